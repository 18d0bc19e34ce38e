// npm run examples: plays the examples of the reference to a real server and records what is sent and answered, and one
// delivery of each type of event, for the OpenAPI document.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedCall } from '../../server/http/openapi-operation.ts';
import { newId } from '../../server/storage/rows.ts';
import { readWebhooks } from '../../server/test/accounts/members/membership-helpers.ts';
import { startTestServer } from '../../server/test/harness.ts';
import { makeAllHappen } from '../../server/test/webhooks/all-events.ts';
import { allowPrivate } from '../../server/test/webhooks/sending.ts';
import { createReference } from '../reference/reference.ts';
import { openStage } from './play-operation.ts';
import { readCall, settleText } from './settle-answer.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'server/site/documentation/openapi-examples.json');
const { operations } = createReference(JSON.parse(readFileSync(join(root, 'server/openapi.json'), 'utf8')));

writeFileSync(file, JSON.stringify({ operations: await recordCalls(), events: await recordEvents() }));
const { status } = spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', file], { stdio: 'inherit' });
process.exitCode = status ?? 1;

async function recordCalls(): Promise<Record<string, RecordedCall>> {
  const calls: Record<string, RecordedCall> = {};
  await using stage = await openStage();
  for (const operation of operations) calls[operation.operationId] = readCall(operation, await stage.play(operation));
  return calls;
}

async function recordEvents(): Promise<Record<string, unknown>> {
  await using server = await startTestServer('sqlite', allowPrivate);
  const tenant = await server.createTenant('acme');
  await makeAllHappen(server, tenant);
  const bodies: Record<string, unknown> = {};
  for (const { type, data, createdAt } of await readWebhooks(server, tenant.id)) {
    const text = JSON.stringify({ id: newId(), type, createdAt, tenantId: tenant.id, data });
    bodies[type] ??= JSON.parse(settleText(text, tenant.id));
  }
  return bodies;
}
