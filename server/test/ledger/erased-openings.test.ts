import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personal, recordEvents, systemSource } from '../../ledger/audit/store.ts';
import { type Erased, nameEntry } from '../../ledger/erasure-log.ts';
import { replayErasures } from '../../privacy/erasure/replay.ts';
import { eraseExpired } from '../../privacy/erasure/retention.ts';
import { runTransaction } from '../../storage/database.ts';
import { createFreshTenant, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { base, ControlClient } from '../controls/helpers.ts';
import type { TestTenant } from '../harness.ts';
import { day, PrivacyClient } from '../privacy/requests.ts';
import { runVerify } from './fixture.ts';
import { changeRow, type Row, readRows } from './tamper.ts';

/** Values of events about the person who is erased. */
const text = 'Ada was angry';
const because = { reason: 'Asked for it' };

describeServerOnEachDatabase('which openings of an event are erased', (server) => {
  const readOf = async ({ id }: TestTenant, table: string) =>
    (await readRows(server.installation.database, table)).filter((row) => row.tenant_id === id);
  const change = (row: Row, values: Row) => changeRow(server.installation.database, 'audit_openings', row, values);
  const verify = async ({ id, slug }: TestTenant) => {
    const { code, report } = await runVerify(server.installation, { tenant: slug });
    const found = report.findings.filter(({ tenantId }) => tenantId === id);
    return [code, ...found.map(({ kind, about, message }) => `${kind} ${about}: ${message}`)];
  };
  /** Records two events that name the person, by a colleague whose address stays. */
  const note = (tenant: TestTenant, targetId: string | null = null) => {
    const actor = { type: 'user', id: 'colleague', email: `colleague@${tenant.slug}.example` } as const;
    const source = { ...systemSource(tenant.id), actor };
    const named = { module: 'privacy', action: 'person.noted', targetId, targetRef: null } as const;
    const events = [
      { source, event: { ...named, reason: personal(text) } },
      { source, event: { ...named, diff: { after: { notes: personal(text) } } } },
    ];
    return runTransaction(server.installation.database, server.clock.now(), (tx) => recordEvents(tx, events));
  };
  /** Erases again what a line of erasures.log names. */
  const replay = ({ id: tenantId }: TestTenant, erased: Erased) => {
    const { database, box } = server.installation;
    const line = { tenantId, number: 99, at: server.clock.now(), erased, line: '' };
    return replayErasures(database, box, [line], server.clock.now());
  };

  /** Each records events with `note`. @returns what erases in them what they say of the person. */
  const kinds: Readonly<Record<string, (client: PrivacyClient) => Promise<() => Promise<unknown>>>> = {
    'the erasure of a subject': async (client) => {
      await note(client.tenant);
      const path = `/v1/consent/subjects/${encodeURIComponent(text)}/erase`;
      return () => client.send('POST', path, because);
    },
    'the erasure of a request': async (client) => {
      const { id } = await client.opened();
      await note(client.tenant, id);
      payload(await client.complete(id), 200);
      return () => client.send('POST', `/v1/dsr/${id}/erase`, because);
    },
    'the erasure of a breach': async (client) => {
      const { id } = await client.reported();
      await note(client.tenant, id);
      payload(await client.edit(id, { status: 'closed', notificationReason: 'No risk.' }), 200);
      return () => client.send('POST', `/v1/breach/${id}/erase`, because);
    },
    'the retention of a tenant': async (client) => {
      payload(await client.send('PATCH', '/v1/tenant', { dsrTextDays: 30 }), 200);
      const { id } = await client.opened();
      await note(client.tenant, id);
      payload(await client.complete(id), 200);
      server.clock.advance(31 * day);
      return () => eraseExpired(server.installation.database, server.clock.now());
    },
    'the erasure of evidence': async (client) => {
      const controls = new ControlClient(server, client.tenant);
      const control = await controls.create();
      const { id } = payload(await controls.addEvidence(control), 201);
      await note(client.tenant, id);
      return () => client.send('POST', `${base}/controls/${control}/evidence/${id}/erase`, because);
    },
    'the erasure of a member': async (client) => {
      const admin = await server.createMember({ tenantId: client.tenant.id });
      const { userId } = await server.createMember({ tenantId: client.tenant.id, role: 'engineer' });
      await note(client.tenant, userId);
      return () => server.request('POST', `/v1/users/${userId}/erase`, { headers: admin.session, body: because });
    },
    'a restore that finds the openings of a value': async ({ tenant }) => {
      await note(tenant);
      const [one, other] = (await readOf(tenant, 'audit_events')).slice(-2).map((row) => nameEntry(row as never));
      assert.ok(one && other);
      return () =>
        replay(tenant, {
          kind: 'openings',
          openings: [
            [...one, 'reason'],
            [...other, 'diff.after.notes'],
          ],
        });
    },
    'a restore that finds the texts of a request': async (client) => {
      const { id } = await client.opened();
      await note(client.tenant, id);
      return () => replay(client.tenant, { kind: 'texts', table: 'dsr_requests', ids: [id] });
    },
  };
  for (const [kind, prepare] of Object.entries(kinds))
    test(`says the event of ${kind}`, async () => {
      const client = new PrivacyClient(server, await createFreshTenant(server));
      const { tenant } = client;
      const erase = await prepare(client);
      const before = await readOf(tenant, 'audit_openings');
      await erase();
      assert.deepEqual(await verify(tenant), [0]);
      const after = await readOf(tenant, 'audit_openings');
      const find = ({ sequence, path }: Row) => after.find((row) => row.sequence === sequence && row.path === path);
      const erased = before.filter((row) => row.value !== null && find(row)?.value === null);
      const notes = erased.filter(({ value }) => value === text);
      assert.equal(notes.length, 2);
      const name = ({ sequence, path }: Row) =>
        `tampered opening: ${tenant.slug}: audit chain, row ${sequence}: the value of ${path}`;
      for (const { sequence } of notes) {
        const address = after.find((row) => row.sequence === sequence && row.path === 'actorEmail') as Row;
        await change(address, { salt: null, value: null });
        assert.deepEqual(await verify(tenant), [
          1,
          `${name(address)} is missing, and no event says that it was erased`,
        ]);
        await change(address, address);
      }
      for (const row of erased) {
        await change(row, row);
        assert.deepEqual(await verify(tenant), [1, `${name(row)} was erased, but is there`]);
        await change(row, { salt: null, value: null });
      }
      assert.deepEqual(await verify(tenant), [0]);
    });

  test('says no event about those of later events, with the same value', async () => {
    const client = new PrivacyClient(server, await createFreshTenant(server));
    const erase = await (kinds['the erasure of a subject'] as (typeof kinds)[string])(client);
    const countOpen = async () =>
      (await readOf(client.tenant, 'audit_openings')).filter(({ value }) => value === text).length;
    await erase();
    await note(client.tenant);
    assert.deepEqual([await countOpen(), await verify(client.tenant)], [2, [0]]);
    await erase();
    assert.deepEqual([await countOpen(), await verify(client.tenant)], [0, [0]]);
  });
});
