import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** All that the site is made from, and what makes it. */
export const inputs: readonly string[] = [
  'docs-site/{build.ts,package.json}',
  'docs-site/{site,reference,client,styles,pages,monitoring}/**/*',
  'packages/{consent-banner,trust-badge}/dist/{integrity,custom-elements}.json',
  'packages/webhook-verify/src/*.ts',
  'packages/node-sdk/test/operations/calls.ts',
  'tools/types/type-writer.ts',
  'tools/bench/{benchmark,measurement,recorded,report}.ts',
  'server/{openapi.json,settings.ts}',
  'server/{cli,consent,webhooks}/**/*.{ts,json}',
  'server/http/{html,problem,roles}.ts',
  'server/site/{documentation,trust,widgets}/**/*.{ts,json}',
  'CHANGELOG.md',
  'package-lock.json',
];

/** A hash of everything that the site is made from: where it is the same, so is the site. */
export function takeFingerprint(): string {
  const files = globSync(inputs, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const parts = files.map((file) => `${file.slice(root.length)} ${hash('sha256', readFileSync(file))}`);
  return hash('sha256', parts.join('\n'));
}
