import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { findNode22 } from '../../../../tools/test/node-22.ts';
import { packageVersion } from '../../src/version.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve('typescript/package.json')), 'lib/tsc.js');
const modules = join(dirname(require.resolve('undici/package.json')), '..');

/** Uses each entry, and shows that the package answers: a refusal comes from its own code. */
const program = `
  const { Svc, SvcError, ConfigurationError } = sdk;
  const svc = new Svc({ baseUrl: 'http://127.0.0.1:9', apiKey: 'svc_test_0123456789', retries: 0 });
  svc.audit.list().then(() => process.exit(2), async (error) => {
    if (!SvcError.isInstance(error) || error.code !== 'connection_failed') process.exit(3);
    console.log(ConfigurationError.name, typeof ledger.verifyExport);
  });
`;

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-node-sdk-'));
  const installed = join(folder, 'node_modules/@svc/node-sdk');
  let tarball: string;

  before(() => {
    tarball = pack(root);
    const project = {
      type: 'module',
      private: true,
      dependencies: { '@svc/node-sdk': `file:${tarball}` },
      devDependencies: { '@types/node': `file:${pack(join(modules, '@types/node'))}` },
      // The packages that the registry would return, packed from the installed copies: the test needs no network.
      overrides: Object.fromEntries(
        ['undici', 'undici-types'].map((name) => [name, `file:${pack(join(modules, name))}`]),
      ),
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
    npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  });

  const npm = (options: readonly string[], cwd: string): string =>
    // An empty cache, so that nothing comes out of an earlier run.
    execFileSync('npm', [...options, '--cache', join(folder, 'cache')], { cwd, encoding: 'utf8', stdio: 'pipe' });

  /** @returns the tarball. */
  const pack = (source: string): string => {
    const answer = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], source));
    const { filename } = Object.values(answer)[0] as { readonly filename: string };
    return join(folder, filename.replace(/^@/, '').replace('/', '-'));
  };

  after(() => rmSync(folder, { recursive: true }));

  const run = (file: string, code: string): string => {
    writeFileSync(join(folder, file), code);
    return execFileSync(process.execPath, [join(folder, file)], { encoding: 'utf8' }).trim();
  };

  it('is found good by publint, strictly, and by attw as ESM', () => {
    for (const [tool, ...options] of [
      ['publint', '--strict'],
      ['attw', '--profile', 'esm-only'],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(join(modules, '.bin', tool), [tarball, ...options], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
    }
  });

  it('is installed by npm with undici and nothing else, from a tarball with its license', () => {
    const there = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    assert.deepEqual(there.sort(), ['@svc', '@types', 'undici', 'undici-types']);
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/undici/package.json'), 'utf8'));
    // From the version that is tested here up to the next major one.
    assert.deepEqual(dependencies, { undici: `^${version}` });
    const license = readFileSync(join(root, '../../LICENSE'), 'utf8');
    assert.equal(readFileSync(join(installed, 'LICENSE'), 'utf8'), license);
  });

  it('imports no other package than it depends on', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const imported = files
      .filter((name) => name.endsWith('.js') || name.endsWith('.d.ts'))
      .flatMap((name) => {
        const text = readFileSync(join(installed, 'dist', name), 'utf8');
        return [...text.matchAll(/(?:^|\s)(?:from|import\(?)\s*["']([@a-z][^"']*)["']/gm)].map(
          ([, path]) => path as string,
        );
      });
    // Of undici its public entry only: its files may move in any version.
    assert.deepEqual([...new Set(imported.filter((path) => !path.startsWith('node:')))], ['undici']);
  });

  it('has the source that each declaration map leads to', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const led = files
      .filter((name) => name.endsWith('.d.ts.map'))
      .flatMap((name) => {
        const { sources } = JSON.parse(readFileSync(join(installed, name), 'utf8')) as { sources: readonly string[] };
        return sources.map((source) => relative(installed, join(dirname(join(installed, name)), source)));
      });
    assert.ok(led.length > 30);
    for (const source of led) assert.ok(files.includes(source), source);
  });

  it('is small: 0.97 MB and 190 files with its sources, to which the declaration maps lead, next to undici', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) =>
      statSync(join(installed, name)),
    );
    const bytes = files.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
    assert.ok(bytes <= 970_000, `${bytes} bytes`);
    const count = files.filter((stat) => stat.isFile()).length;
    assert.ok(count <= 190, `${count} files`);
    const { version, dependencies, sideEffects } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(Object.keys(dependencies), ['undici']);
    assert.equal(sideEffects, false);
    assert.equal(version, packageVersion);
  });

  it('is imported, in ESM', () => {
    const imports = ['sdk:', 'ledger:/ledger'].map((pair) => pair.split(':') as [string, string]);
    const code = imports.map(([name, path]) => `import * as ${name} from '@svc/node-sdk${path}';`).join('\n');
    assert.equal(run('esm.mjs', code + program), 'ConfigurationError function');
  });

  it('is required, in CommonJS', () => {
    const code = ['sdk:', 'ledger:/ledger']
      .map((pair) => pair.split(':'))
      .map(([name, path]) => `const ${name} = require('@svc/node-sdk${path}');`)
      .join('\n');
    assert.equal(run('cjs.cjs', code + program), 'ConfigurationError function');
  });

  it('is imported and required by Node 22, which the engines allow', () => {
    const node = findNode22();
    for (const file of ['esm.mjs', 'cjs.cjs']) {
      const output: string = execFileSync(node, [join(folder, file)], { encoding: 'utf8' });
      assert.equal(output.trim(), 'ConfigurationError function');
    }
  });

  it('is bundled, and leaves out what is not used', async () => {
    const size = async (name: string, code: string, external: RegExp[], conditions = ['node']): Promise<number> => {
      const entry = join(folder, `${name}.js`);
      writeFileSync(entry, code);
      const lib = { entry, formats: ['es'] as ['es'], fileName: () => `${name}.bundle.mjs` };
      await build({
        configFile: false,
        root: folder,
        logLevel: 'error',
        resolve: { conditions },
        build: {
          target: 'node22',
          minify: false,
          outDir: join(folder, 'bundles'),
          emptyOutDir: false,
          lib,
          rolldownOptions: { external, platform: 'node', output: { codeSplitting: false, minify: true } },
        },
      });
      return brotliCompressSync(readFileSync(join(folder, `bundles/${name}.bundle.mjs`))).length;
    };
    const apart = [/^node:/, /^undici/];
    const whole = await size('whole', "export * from '@svc/node-sdk';", apart);
    assert.ok(whole <= 16_300, `${whole} bytes`);
    const errors = await size('errors', "export { ConflictError } from '@svc/node-sdk';", apart);
    assert.ok(errors <= 1300, `${errors} bytes`);
    const one = `import { ConsentRecords, SvcClient } from '@svc/node-sdk';
      const records = new ConsentRecords(new SvcClient());
      console.log(await records.capture('n', { subjectId: 's', purposes: { analytics: true } }));`;
    // The modules of streams and OAuth are loaded by the first use.
    const onDemand = [...apart, /byte-stream|access-tokens/];
    const call = await size('call', one, onDemand);
    assert.ok(call <= 12_000, `${call} bytes`);
    const edge = ['workerd', 'worker', 'browser'];
    const wholeFetch = await size('whole-fetch', "export * from '@svc/node-sdk';", apart, edge);
    assert.ok(wholeFetch <= 16_300, `${wholeFetch} bytes`);
    const callFetch = await size('call-fetch', one, onDemand, edge);
    assert.ok(callFetch <= 12_000, `${callFetch} bytes`);
    for (const name of ['whole-fetch', 'call-fetch'])
      assert.doesNotMatch(readFileSync(join(folder, `bundles/${name}.bundle.mjs`), 'utf8'), /["'`](?:node:|undici)/);
    await size(
      'app',
      `import * as sdk from '@svc/node-sdk'; import * as ledger from '@svc/node-sdk/ledger';${program}`,
      [/^node:/],
    );
    assert.match(run('start.mjs', "await import('./bundles/app.bundle.mjs');"), / function$/);
  });

  it('verifies ledgers in browsers, by an entry that needs nothing of Node', () => {
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /["'](?:node:|undici)|\bBuffer\b/, file);
      for (const [, path] of text.matchAll(/(?:from|import\(?)\s*["'](\.[^"']+)["']/g))
        visit(join(dirname(file), `${path}`));
    };
    visit(join(installed, 'dist/ledger/browser.js'));
    const program =
      "import { openCheckpoint } from '@svc/node-sdk/ledger'; await openCheckpoint('', { publicKey: '' }).catch((error) => console.log(error.code));";
    writeFileSync(join(folder, 'browser.mjs'), program);
    const output = execFileSync(process.execPath, ['--conditions=browser', join(folder, 'browser.mjs')], {
      encoding: 'utf8',
    });
    assert.equal(output, 'key_invalid\n');
  });

  for (const module of ['nodenext', 'node20'] as const)
    it(`has types that hold in a CommonJS project of TypeScript (module: ${module})`, () => {
      const project = join(folder, `commonjs-${module}`);
      mkdirSync(project);
      const compilerOptions = { target: 'es2023', module, types: ['node'], strict: true, outDir: 'out' };
      writeFileSync(join(project, 'package.json'), '{ "type": "commonjs" }');
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      const code =
        "import { Svc } from '@svc/node-sdk';\nconst svc: Svc = new Svc();\nconsole.log(typeof svc.audit.list);\n";
      writeFileSync(join(project, 'program.ts'), code);
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
      assert.equal(status, 0, stdout);
      const output = execFileSync(process.execPath, [join(project, 'out/program.js')], { encoding: 'utf8' });
      assert.equal(output, 'function\n');
    });

  for (const [name, module, moduleResolution] of [
    ['Node', 'nodenext', 'nodenext'],
    ['a bundler', 'esnext', 'bundler'],
  ] as const)
    it(`has types that hold in a strict project for ${name}`, () => {
      const project = join(folder, moduleResolution);
      mkdirSync(project);
      const compilerOptions = {
        ...{
          target: 'es2024',
          lib: ['es2024', 'esnext.disposable'],
          module,
          moduleResolution,
          types: ['node'],
          strict: true,
        },
        ...{ noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
        ...{ verbatimModuleSyntax: true, isolatedModules: true },
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      writeFileSync(
        join(project, 'program.ts'),
        `import { ConflictError, type ListOptions, type Page, Svc } from '@svc/node-sdk';
         import { verifyLedger } from '@svc/node-sdk/ledger';
         export async function run(options: ListOptions): Promise<number> {
           await using svc = new Svc({ baseUrl: 'https://svc.example.com' });
           const page: Page<{ readonly id: string }> = await svc.consent.notices.list({ status: 'draft' }, options);
           for await (const event of svc.audit.list()) { const action: string = event.action; console.log(action); }
           try { await svc.consent.notices.publish('x'); }
           catch (error) { if (ConflictError.isInstance(error)) { const status: number = error.status; return status; } }
           const { data, response } = await svc.consent.notices.retrieve('x').withResponse();
           // @ts-expect-error: there is no such status
           svc.consent.notices.list({ status: 'unknown' });
           // @ts-expect-error: the name has a typing error
           new Svc({ baseURL: 'https://svc.example.com' });
           const { entries } = await verifyLedger(svc, { ledger: 'consent' });
           return data.recordCount + response.attempts + page.items.length + entries;
         }`,
      );
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    });
});
