import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { anchorFile } from '../../../ledger/anchor-log.ts';
import { forgetRuns, interruptRun } from '../../../proofs/verification-store.ts';
import { Verifier } from '../../../proofs/verifier.ts';
import { runTransaction } from '../../../storage/database.ts';
import { FaultLog } from '../../../storage/fault-log.ts';
import { readWebhooks } from '../../accounts/members/membership-helpers.ts';
import { capture, createFreshTenant, describeServerOnEachDatabase, payload } from '../../consent/helpers.ts';

const hour = 60 * 60 * 1000;
const path = '/v1/system/verifications';

describeServerOnEachDatabase('verification by the server', (server) => {
  const queries = () => server.installation.database.kysely;
  const operate = async () => (await server.createMember({ role: 'platform_admin' })).session;
  const verify = async (headers: Readonly<Record<string, string>>) => {
    const started = payload(await server.request('POST', path, { headers }));
    await server.app.verifier.idle();
    return started;
  };
  const listRuns = async (headers: Readonly<Record<string, string>>, query = '') =>
    payload(await server.request('GET', `${path}${query}`, { headers }), 200);
  const readLatest = async (key: string) =>
    payload(await server.request('GET', '/v1/ledgers/verification', { key }), 200).latest;

  const readEvents = async (tenantId: string) =>
    (await readWebhooks(server, tenantId)).filter(({ type }) => type.startsWith('ledger.'));

  /** Begins a run on another server, which is lost before it starts. */
  const loseRun = async () => {
    const { installation, clock } = server;
    const other = new Verifier({
      ...installation,
      faults: new FaultLog(installation.database, pino({ level: 'silent' })),
      replica: null,
    });
    const begun = await runTransaction(installation.database, clock.now(), (tx) =>
      other.begin({ ...tx, afterCommit: () => undefined }),
    );
    assert.equal(begun?.isNew, true);
    return begun.run;
  };

  test('holds where nothing was changed, for the server and for each tenant', async () => {
    const headers = await operate();
    const tenant = await createFreshTenant(server);
    assert.equal(await readLatest(tenant.key), null);
    const noticeId = await server.createNotice({ key: tenant.key });
    payload(await capture(server, noticeId, { subjectId: 'one' }, { key: tenant.key }));
    const started = await verify(headers);
    assert.deepEqual([started.status, started.finishedAt, started.verifiedTenants], ['running', null, 0]);
    const { items, nextCursor } = await listRuns(headers, '?limit=1');
    assert.equal(nextCursor, null);
    const { tenants } = payload(await server.request('GET', '/v1/system', { headers }), 200);
    const [{ entries, checkedRows, ...run }] = items;
    const times = { startedAt: server.clock.now(), finishedAt: server.clock.now() };
    const held = { status: 'holds', ...times, fault: null };
    assert.deepEqual(run, { id: started.id, ...held, tenants, verifiedTenants: tenants, findings: 0 });
    const latest = await readLatest(tenant.key);
    assert.ok(
      latest.entries > 3 && latest.entries < entries && latest.checkedRows > 1 && latest.checkedRows < checkedRows,
    );
    assert.deepEqual({ ...latest, entries, checkedRows }, { ...held, entries, checkedRows });
    assert.deepEqual(await readEvents(tenant.id), [
      { type: 'ledger.verified', data: latest, createdAt: run.finishedAt },
    ]);
    const log = payload(await server.request('GET', '/v1/audit?action=verification.started'), 200).items;
    assert.deepEqual([log.length, log[0].targetId, log[0].actorType], [1, started.id, 'user']);
  });

  test('fails where a row was changed, names it to its tenant, and reports nothing to the others', async () => {
    const headers = await operate();
    const [changed, other] = [await createFreshTenant(server), await createFreshTenant(server)];
    const rename = (name: string) =>
      queries().updateTable('tenants').set({ name }).where('id', '=', changed.id).execute();
    await rename('Changed by hand');
    await verify(headers);
    await rename(changed.slug);
    const [run] = (await listRuns(headers)).items;
    // The audit log and the seal of the row.
    assert.deepEqual([run.status, run.findings], ['failed', 2]);
    assert.match(run.fault, new RegExp(`^${changed.slug}: tenants ${changed.id}: `));
    const latest = await readLatest(changed.key);
    assert.deepEqual([latest.status, latest.fault], ['failed', run.fault]);
    assert.equal((await readLatest(other.key)).status, 'holds');
    const at = { createdAt: server.clock.now() };
    const failure = { type: 'ledger.verification_failed', data: latest, ...at };
    assert.deepEqual(await readEvents(changed.id), [failure]);
    assert.deepEqual(await readEvents(other.id), [
      { type: 'ledger.verified', data: await readLatest(other.key), ...at },
    ]);
    await verify(headers);
    const types = (await readEvents(changed.id)).map(({ type }) => type);
    assert.deepEqual(types, ['ledger.verification_failed', 'ledger.verified']);
    assert.equal((await listRuns(headers)).items[0].status, 'holds');
    assert.equal((await readLatest(changed.key)).status, 'holds');
  });

  test('reports to each tenant a change that concerns the whole server, without what it is', async () => {
    const headers = await operate();
    const tenant = await createFreshTenant(server);
    const head = { ledger: 'consent', sequence: 1, at: server.clock.now(), hash: 'a', key_id: 'k', mac: 'm' };
    await queries()
      .insertInto('chain_heads')
      .values({ ...head, tenant_id: 'stranger' } as never)
      .execute();
    await verify(headers);
    await queries().deleteFrom('chain_heads').where('tenant_id', '=', 'stranger').execute();
    const [run] = (await listRuns(headers)).items;
    assert.equal(run.status, 'failed');
    assert.match(run.fault, /stranger/);
    const latest = await readLatest(tenant.key);
    assert.equal(latest.status, 'failed');
    assert.match(latest.fault, /^Something was found that concerns the whole server/);
  });

  test('reports as unchecked, not as changed, what cannot be compared with the anchors', async () => {
    const headers = await operate();
    const tenant = await createFreshTenant(server);
    payload(await server.request('POST', '/v1/ledgers/audit/checkpoints', { key: tenant.key }));
    const file = join(server.installation.settings.dataDir, anchorFile);
    renameSync(file, `${file}.away`);
    await verify(headers);
    renameSync(`${file}.away`, file);
    const [event, ...others] = await readEvents(tenant.id);
    assert.deepEqual([event.type, event.data.status, others], ['ledger.verification_failed', 'could_not_check', []]);
    assert.equal((await readLatest(tenant.key)).status, 'could_not_check');
  });

  test('reports nothing of a run that another server has ended', async () => {
    const headers = await operate();
    const tenant = await createFreshTenant(server);
    payload(await server.request('POST', path, { headers }));
    // The thread works on, and its outcome comes too late.
    await queries()
      .updateTable('verification_runs')
      .set({ claimed_by: 'other' })
      .where('status', '=', 'running')
      .execute();
    await server.app.verifier.idle();
    await queries()
      .updateTable('verification_runs')
      .set({ status: 'interrupted' })
      .where('status', '=', 'running')
      .execute();
    assert.deepEqual([await readEvents(tenant.id), await readLatest(tenant.key)], [[], null]);
  });

  test('is run by one server at a time, and begun again when that server is lost', async () => {
    const headers = await operate();
    const { clock } = server;
    const lost = await loseRun();
    clock.advance(2 * 60_000 - 1);
    const answers = await Promise.all([1, 2, 3].map(() => server.request('POST', path, { headers })));
    assert.deepEqual(
      answers.map((answer) => payload(answer).id),
      Array(3).fill(lost.id),
    );
    clock.advance(1);
    const begun = await Promise.all([1, 2, 3].map(() => server.request('POST', path, { headers })));
    const ids = new Set(begun.map((answer) => payload(answer).id));
    await server.app.verifier.idle();
    const [latest, previous] = (await listRuns(headers)).items;
    assert.deepEqual([...ids], [latest.id]);
    assert.deepEqual([latest.status, previous.id, previous.status], ['holds', lost.id, 'interrupted']);
  });

  test('is due a day after the previous one, and at once after one that was interrupted', async () => {
    const headers = await operate();
    const { clock, app } = server;
    const count = async () => {
      await app.verifier.step(clock.now());
      await app.verifier.idle();
      return (await queries().selectFrom('verification_runs').select('id').execute()).length;
    };
    await verify(headers);
    const before = await count();
    clock.advance(24 * hour - 1);
    assert.equal(await count(), before);
    clock.advance(1);
    assert.equal(await count(), before + 1);
    assert.equal(await count(), before + 1);
    const lost = await loseRun();
    assert.ok(await interruptRun(queries(), lost, clock.now()));
    assert.equal(await count(), before + 3);
  });

  test('is listed for ninety days, the newest for longer', async () => {
    const headers = await operate();
    const ids = [(await verify(headers)).id, (await verify(headers)).id];
    const kept = async (later: number) => {
      await forgetRuns(queries(), new Date(server.clock.milliseconds() + later).toISOString());
      const rows = await queries().selectFrom('verification_runs').select('id').orderBy('id').execute();
      return rows.map(({ id }) => id).filter((id) => ids.includes(id));
    };
    const running = await loseRun();
    ids.push(running.id);
    assert.deepEqual(await kept(90 * 24 * hour - 1), ids);
    assert.deepEqual(await kept(90 * 24 * hour), [running.id]);
    assert.ok(await interruptRun(queries(), running, server.clock.now()));
    assert.deepEqual(await kept(1000 * 24 * hour), [running.id]);
  });
});
