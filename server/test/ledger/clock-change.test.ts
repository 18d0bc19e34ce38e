import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, startServer } from '../../cli/server/start-server.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { capture, createFreshTenant, describeServer, payload } from '../consent/helpers.ts';

const day = 24 * 60 * 60_000;

describeServer('a clock that was a day ahead and is set back', (server) => {
  test('gives later entries their true times, in sequence order, and logs one warning', async () => {
    const lines: string[] = [];
    const log = createLog(
      { ...server.installation.settings, logLevel: 'info' },
      { write: (line) => void lines.push(line) },
    );
    await using _ = await startServer(server.installation, { log, housekeeping: false, sends: false });
    const { id, key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const take = async () => payload(await capture(server, notice, {}, { key }));
    const before = await take();
    server.clock.advance(day);
    const ahead = await take();
    assert.equal(ahead.recordedAt, server.clock.now());
    payload(await server.request('POST', '/v1/ledgers/consent/checkpoints', { key }));
    assert.equal(lines.length, 0);
    server.clock.advance(-day + 60_000);
    const now = server.clock.now();
    const after = [await take(), await take()];
    assert.deepEqual(
      after.map(({ recordedAt, capturedAt }) => [recordedAt, capturedAt]),
      [
        [now, now],
        [now, now],
      ],
    );
    const { items } = payload(await server.request('GET', '/v1/consent/subjects/subject-1', { key }), 200);
    assert.deepEqual(
      items.map((record: { id: string }) => record.id),
      [...after.toReversed(), ahead, before].map((record) => record.id),
    );
    assert.equal(payload(await server.request('POST', '/v1/ledgers/consent/checkpoints', { key })).at, now);
    assert.equal(lines.length, 1);
    const warning = JSON.parse(lines[0] as string);
    assert.match(warning.msg, /^The clock is behind the newest entry of a ledger/);
    assert.deepEqual([warning.level, warning.now, warning.newest], [40, now, ahead.recordedAt]);
    for (const ledger of ['consent', 'audit'] as const)
      assert.equal((await verifyChain(server.installation.database.kysely, ledger, id)).fault, null);
  });

  test('lists no audit event outside the requested time range', async () => {
    const { key } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const take = async () => payload(await capture(server, notice, {}, { key }));
    const start = server.clock.now();
    await take();
    server.clock.advance(day);
    const midnight = server.clock.now();
    await take();
    server.clock.advance(-day + 60_000);
    await take();
    const list = async (query: string) =>
      payload(await server.request('GET', `/v1/audit?limit=200&${query}`, { key }), 200).items as { at: string }[];
    for (const { at } of await list(`from=${start}&to=${midnight}`)) assert.ok(at >= start && at < midnight, at);
    for (const { at } of await list(`from=${midnight}`)) assert.ok(at >= midnight, at);
  });
});
