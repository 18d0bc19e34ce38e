// node -C @svc/source docs-site/test/write-answers.ts: plays the examples of the reference and records what was answered.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReference } from '../reference/reference.ts';
import { openStage } from './play-operation.ts';
import { readAnswer } from './settle-answer.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'docs-site/reference/answers.json');
const { operations } = createReference(JSON.parse(readFileSync(join(root, 'server/openapi.json'), 'utf8')));

const answers: Record<string, unknown> = {};
await using stage = await openStage();
for (const operation of operations) {
  const answer = readAnswer(await stage.play(operation));
  if (answer !== null) answers[operation.operationId] = answer;
}
writeFileSync(file, JSON.stringify(answers));
const { status } = spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', file], { stdio: 'inherit' });
process.exitCode = status ?? 1;
console.log(`${Object.keys(answers).length} answers are in docs-site/reference/answers.json.`);
