import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PageBlock, PageBlocks } from './code-blocks.ts';
import type { DemoServer } from './demo-server.ts';

/** A block of TypeScript or JavaScript as a file beside which the packages of this repository are found. */
export interface ProgramFile {
  readonly page: string;
  readonly block: PageBlock;
  readonly file: string;
}

/** A folder for programs: within the repository, so that they find its packages. */
export function createProgramFolder(): string {
  const parent = join(import.meta.dirname, 'dist');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'blocks-'));
}

/** Writes every program of some pages. */
export function writePrograms(pages: readonly PageBlocks[], folder: string): readonly ProgramFile[] {
  return pages.flatMap(({ page, blocks }) =>
    blocks
      .filter(({ language }) => language === 'ts' || language === 'js')
      .map((block) => {
        const file = join(
          folder,
          `${page.replaceAll('/', '-')}-${block.line}.${block.language === 'ts' ? 'ts' : 'mjs'}`,
        );
        // Each is a module, also one that imports nothing.
        writeFileSync(file, `${block.code}\nexport {};\n`);
        return { page, block, file };
      }),
  );
}

/** Checks the types of every program at once. @returns what the compiler says; empty when nothing is wrong. */
export function checkTypes(folder: string): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'lib/tsc.js');
  const config = {
    extends: '../../../../tsconfig.json',
    include: ['*.ts', '*.mjs'],
    exclude: [],
    compilerOptions: { allowJs: true, noUnusedLocals: false, noUnusedParameters: false },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return stdout;
}

/** Runs a program. @throws when it fails or one of its assertions does not hold. */
export function runProgram({ file, block }: ProgramFile, server: DemoServer): void {
  writeFileSync(file, `${strict}${server.adapt(block.code)}\nexport {};\n`);
  const { status, stdout, stderr, error } = spawnSync(process.execPath, ['-C', '@svc/source', file], {
    cwd: server.folder,
    env: server.environment,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0)
    throw new Error(`the block at line ${block.line} ended with ${status ?? error}:\n${stdout}\n${stderr}`);
}

/** Node only prints what console.assert finds wrong. */
const strict = `console.assert = (holds, ...words) => { if (!holds) throw new Error(\`an assertion does not hold: \${words.join(' ')}\`); };
`;
