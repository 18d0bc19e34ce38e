import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markDistributed } from '../../storage/rows.ts';
import { createFreshTenant, describeServer, payload, visit } from './helpers.ts';

// The statements for a database of several nodes are also right on one. Citus itself is tried by hand: see the
// page of the documentation.
describeServer('captures on a distributed database', (server) => {
  test('are written together only with those of their tenant', async () => {
    markDistributed(server.installation.database.kysely);
    const batches: number[] = [];
    server.installation.database.signals.on('batchWritten', (size) => batches.push(size));
    const others = await Promise.all([createFreshTenant(server), createFreshTenant(server)]);
    const notices = [await server.createNotice()];
    for (const { key } of others) notices.push(await server.createNotice({ key }));
    const subjects = Array.from({ length: 6 }, (_, index) => `visitor-${index}`);
    for (let round = 1; round <= 2; round += 1) {
      const answers = await Promise.all(
        subjects.flatMap((subjectId) =>
          notices.map((notice) =>
            visit(server, notice, {
              subjectId,
              purposes: { necessary: true, analytics: round === 1, marketing: true },
            }),
          ),
        ),
      );
      for (const answer of answers) assert.equal(payload(answer).capturedAt, server.clock.now());
    }
    assert.ok(Math.max(...batches) <= subjects.length, `batches of ${batches}`);
    assert.equal(
      batches.reduce((sum, size) => sum + size),
      2 * subjects.length * notices.length,
    );
    const keys = [server.tenant.key, ...others.map(({ key }) => key)];
    for (const [index, notice] of notices.entries()) {
      const list = payload(
        await server.request('GET', `/v1/consent/${notice}/records`, { key: keys[index] as string }),
        200,
      );
      assert.equal(list.data.length, 2 * subjects.length);
    }
  });
});
