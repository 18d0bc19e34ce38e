import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { continueErasure } from '../../privacy/erasure/erase.ts';
import { systemClock } from '../../storage/clock.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { payload } from '../consent/helpers.ts';
import { startTestServer } from '../harness.ts';

// Takes seconds: one value of about a thousand is left, so that few would show nothing.
test('no erased value is left in a page of the file whose rows moved to another', async () => {
  await using server = await startTestServer('sqlite');
  const { database, settings } = server.installation;
  const noticeId = await server.createNotice();
  // Keys in no order: the pages that hold them are divided again and again.
  const subjects = Array.from(
    { length: 2000 },
    (_, index) => `${hash('sha256', String(index)).slice(0, 12)}@example.com`,
  );
  for (const [index, subjectId] of subjects.entries())
    payload(
      await server.request('POST', `/v1/consent/${noticeId}/records`, {
        headers: { 'Idempotency-Key': hash('md5', `key ${index}`) },
        body: { subjectId, purposes: { analytics: true } },
      }),
    );
  const erased = subjects.filter((_, index) => index % 2 === 0);
  for (const subjectId of erased)
    payload(
      await server.request('POST', `/v1/consent/subjects/${subjectId}/erase`, { body: { reason: 'Asked for it' } }),
      200,
    );
  while (await continueErasure(database, systemClock()));
  assert.ok(await removeRemains(database));
  const file = readFileSync(join(settings.dataDir, 'svc.sqlite'));
  assert.deepEqual(
    erased.filter((subjectId) => file.includes(subjectId)),
    [],
  );
});
