import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { checkForm } from './block-forms.ts';
import { type PageBlock, type PageBlocks, readAllBlocks } from './code-blocks.ts';
import { startDemoServer } from './demo-server.ts';
import { checkTypes, createProgramFolder, runProgram, writePrograms } from './program-blocks.ts';
import { checkShellSyntax, matchesOutput, runShellBlocks } from './shell-blocks.ts';

const pages = readAllBlocks();
const isRun = ({ language, isRun: run }: PageBlock) => run && ['sh', 'ts', 'js'].includes(language);

// Readers type the commands of a page as they are.
describe('every block of code of every page', () => {
  const folder = createProgramFolder();
  const programs = writePrograms(pages, folder);
  after(() => rmSync(folder, { recursive: true }));

  test('has the form of its language', () => {
    for (const { page, blocks } of pages)
      for (const { language, code, isRun: run, line } of blocks) {
        const problem = language === 'sh' && !run ? checkShellSyntax(code) : checkForm(language, code);
        assert.equal(problem, null, `${page}, line ${line}: ${problem}`);
      }
  });

  test('shows an output only behind what prints it', () => {
    for (const { page, blocks } of pages)
      for (const [index, { language, line }] of blocks.entries())
        if (language === 'output') assert.equal(blocks[index - 1]?.language, 'sh', `${page}, line ${line}`);
  });

  test('compiles where it is a program', { skip: programs.length === 0 }, () => assert.equal(checkTypes(folder), ''));

  for (const { page, blocks } of pages.filter((one) => one.blocks.some(isRun)))
    test(`runs: ${page}`, async () => {
      await using server = await startDemoServer();
      const shell = blocks.filter((block) => block.language === 'sh' && block.isRun);
      const outputs = runShellBlocks(shell, server);
      for (const [index, output] of outputs.entries()) assertOutput({ page, blocks }, shell[index], output);
      for (const program of programs.filter((one) => one.page === page && one.block.isRun)) runProgram(program, server);
    });
});

function assertOutput({ page, blocks }: PageBlocks, block: PageBlock | undefined, output: string): void {
  const next = block === undefined ? undefined : blocks[blocks.indexOf(block) + 1];
  if (next?.language !== 'output') return;
  assert.ok(matchesOutput(output, next.code), `${page}, line ${next.line}: printed was\n${output}`);
}
