/**
 * npm run test:openapi: lints the OpenAPI document of a running server with Spectral and Redocly, generates clients for Go and
 * Python with the commands of the page "Generate a client", and calls the server through them. Everything it installs has a
 * pinned version and goes below node_modules/.cache.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlocks } from '../../docs-site/test/code-blocks.ts';
import { type DemoServer, startDemoServer } from '../../docs-site/test/demo-server.ts';
import { readExamples } from '../../server/site/documentation/api-document.ts';
import { findProgram } from '../test/find-program.ts';
import { lintDocument } from './lint.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/openapi');
const page = 'docs-site/pages/api/clients.md';
const blocks = readBlocks(page, readFileSync(join(root, page), 'utf8'));

/** The language of a generated client, and the program that calls the server through it. */
interface Language {
  readonly name: string;
  /** Programs that must be there. */
  readonly programs: readonly string[];
  /** Text that identifies its block of commands. */
  readonly mark: string;
  readonly sources: string;
  readonly run: string;
}

const languages: readonly Language[] = [
  { name: 'Go', programs: ['go'], mark: 'oapi-codegen.yaml', sources: 'go', run: 'go vet . && go run .' },
  {
    name: 'Python',
    programs: ['python3'],
    mark: 'openapi-python-client.yaml',
    sources: 'python',
    run: '.venv/bin/python -m compileall -q svc_api_client && .venv/bin/python client.py',
  },
];

await using server = await startDemoServer();
const failures = [...(await lint(server)), ...languages.flatMap((language) => tryLanguage(language, server))];
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

async function lint({ credentials }: DemoServer): Promise<readonly string[]> {
  const folder = join(cache, 'lint');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(import.meta.dirname, name), join(folder, name));
  const options = { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' } as const;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (spawnSync('npm', ['ci', ...flags], options).status !== 0) return ['Spectral and Redocly could not be installed.'];
  const text = await (await fetch(`${credentials.baseUrl}/v1/openapi.json`)).text();
  const problems = await lintDocument(text, folder);
  if (problems.length === 0) console.log('Spectral and Redocly report nothing.');
  return problems;
}

function tryLanguage(
  { name, programs, mark, sources, run }: Language,
  { credentials, adapt }: DemoServer,
): readonly string[] {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) {
    const reason = `The client for ${name} was not checked: ${missing.join(' and ')} not found in PATH.`;
    if (process.env.CI === 'true') return [reason];
    console.log(reason);
    return [];
  }
  const folder = join(cache, sources);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, sources), folder, { recursive: true });
  const config = blocks.find(
    ({ language, code }) => language === 'yaml' && code.includes(sources === 'go' ? 'skip-prune' : 'post_hooks'),
  );
  writeFileSync(join(folder, mark), config?.code ?? '');
  const [download, generate] = [
    blocks[0]?.code,
    blocks.find(({ language, code }) => language === 'sh' && code.includes(mark))?.code,
  ];
  const { status } = spawnSync('bash', ['-euo', 'pipefail', '-c', [adapt(download ?? ''), generate, run].join('\n')], {
    cwd: folder,
    stdio: 'inherit',
    env: {
      ...process.env,
      PIP_CONSTRAINT: 'constraints.txt',
      SVC_BASE_URL: credentials.baseUrl,
      SVC_API_KEY: credentials.apiKey,
      SVC_EVENT: JSON.stringify(readExamples().events['consent.recorded']),
    },
  });
  if (status !== 0) return [`The client for ${name} failed: see above.`];
  console.log(`The client for ${name} compiles and works.`);
  return [];
}
