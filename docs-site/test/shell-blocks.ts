import { spawnSync } from 'node:child_process';
import type { PageBlock } from './code-blocks.ts';
import type { DemoServer } from './demo-server.ts';

/** Runs the shell blocks of a page in one shell, in their order. @returns what each has printed. */
export function runShellBlocks(blocks: readonly PageBlock[], server: DemoServer): readonly string[] {
  const marks = blocks.map((_block, index) => `printf '\\n@@ block ${index} @@\\n'`);
  const script = blocks.map(({ code }, index) => `${marks[index]}\n${server.adapt(code)}`).join('\n');
  const { stdout, stderr, status, error } = spawnSync('bash', ['-euo', 'pipefail'], {
    cwd: server.folder,
    env: server.environment,
    input: script,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const outputs = stdout.split(/\n@@ block \d+ @@\n/).slice(1);
  if (status !== 0) {
    const failed = blocks[outputs.length - 1];
    throw new Error(`the block at line ${failed?.line} ended with ${status ?? error}:\n${outputs.at(-1)}\n${stderr}`);
  }
  return outputs;
}

/** Checks the syntax of a block that is not run. @returns the message of bash, or null. */
export function checkShellSyntax(code: string): string | null {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
  return status === 0 ? null : stderr;
}

/** True if an output matches that on a page, in which … matches any text. */
export function matchesOutput(output: string, pattern: string): boolean {
  const parts = pattern
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(output.trim());
}
