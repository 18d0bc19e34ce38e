import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { noCounts } from '../../privacy/erasure/erasure.ts';
import { assertNothingWritten, describeServerOnEachDatabase, readTables } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { runVerify } from '../ledger/fixture.ts';
import { assertAbsent, needle } from '../needle.ts';
import { base, type ControlClient, openTenant, payload } from './helpers.ts';
import { evidenceItem } from './samples.ts';

const nameTexts = (person: string) => ({
  title: `Visit of ${person}`,
  description: `${person} signed in`,
  name: `${person}.txt`,
});
const texts = nameTexts('Elif');
const bytes = 'Elif was here';

describeServerOnEachDatabase('the erasure of evidence', (server) => {
  const begin = async () => {
    const client = await openTenant(server);
    return { client, id: await client.create() };
  };
  const upload = async ({ tenant: { key } }: ControlClient, id: string, headers = {}, shown = texts) => {
    const { title, description, name } = shown;
    const about = new URLSearchParams({ ...evidenceItem, title, description, name });
    const path = `${base}/controls/${id}/evidence/files?${about}`;
    const type = { 'Content-Type': 'text/plain' };
    return payload(await server.request('POST', path, { key, rawBody: bytes, headers: { ...type, ...headers } }), 201);
  };
  const pathOf = (id: string, evidenceId: string) => `${base}/controls/${id}/evidence/${evidenceId}`;
  const send = (client: ControlClient, id: string, evidenceId: string, reason = 'Request 4711') =>
    client.send('POST', `${pathOf(id, evidenceId)}/erase`, { reason });
  const erase = async (...given: Parameters<typeof send>) => payload(await send(...given), 200);
  const download = ({ tenant: { key } }: ControlClient, id: string, evidenceId: string) =>
    server.request('GET', `${pathOf(id, evidenceId)}/file`, { key });
  const verify = ({ tenant: { slug } }: ControlClient) => runVerify(server.installation, { tenant: slug });
  const verified = async (client: ControlClient) => {
    const { code, lines } = await verify(client);
    assert.equal(code, 0, lines.join('\n'));
  };
  const change = (text: ReturnType<typeof sql>) => text.execute(server.installation.database.kysely);

  test('clears the texts and the file wherever they are, and keeps hash, size and dates', async () => {
    const { client, id } = await begin();
    const person = needle('elif');
    const headers = { 'Idempotency-Key': 'upload-of-elif' };
    const { id: evidenceId } = await upload(client, id, headers, nameTexts(person));
    payload(await client.withdraw(id, evidenceId, `${person} objects`));
    const before = await client.read(pathOf(id, evidenceId));
    const { erasureId, ...done } = await erase(client, id, evidenceId);
    const counts = { ...noCounts, evidence: 1, files: 1, auditEvents: 1, responses: 1 };
    assert.deepEqual(done, { status: 'done', counts });
    const tables = await readTables(server);
    assertAbsent(JSON.stringify(tables), person);
    assert.ok(!JSON.stringify(tables.control_evidence_chunks).includes(evidenceId));
    const erasedAt = server.clock.now();
    const file = { name: null, size: bytes.length, mediaType: 'text/plain' };
    const after = { ...before, title: null, description: null, withdrawalReason: null, file, erasedAt };
    assert.deepEqual(await client.read(pathOf(id, evidenceId)), after);
    assert.equal(after.sha256, hash('sha256', bytes));
    assertProblem(await download(client, id, evidenceId), 'evidence_erased');
    assert.equal((await client.read(`${base}/evidence-usage`)).used, 0);
    const { webhook_events: events = [] } = tables;
    assert.equal(events.filter((row) => row.includes(erasureId) && row.includes('subject.erased')).length, 1);
    await verified(client);
  });

  test('withdraws an item that counted, and the control with it', async () => {
    const { client, id } = await begin();
    payload(await client.edit(id, { status: 'evidence_requested' }));
    const item = payload(await client.addEvidence(id, { url: 'https://files.example.com/elif' }), 201);
    payload(await client.edit(id, { status: 'accepted' }));
    const { counts } = await erase(client, id, item.id);
    assert.deepEqual(counts, { ...noCounts, evidence: 1 });
    const { status, evidenceCount } = await client.get(id);
    assert.deepEqual([status, evidenceCount], ['needs_review', 0]);
    const erased = await client.read(pathOf(id, item.id));
    assert.deepEqual([erased.url, erased.isValid, erased.withdrawnAt], [null, false, server.clock.now()]);
    const events = await client.readEvents();
    const actions = events.map(({ action, reason }) => `${action}: ${reason}`);
    for (const action of ['control_evidence.erased', 'subject.erased'])
      assert.ok(actions.includes(`${action}: Request 4711`), action);
    payload(await client.withdraw(id, item.id));
    assert.equal((await client.read(pathOf(id, item.id))).withdrawalReason, null);
    await verified(client);
  });

  test('leaves other items with the same bytes their file', async () => {
    const { client, id } = await begin();
    const [one, other] = [await upload(client, id), await upload(client, id)];
    await erase(client, id, one.id);
    assert.equal((await download(client, id, other.id)).text, bytes);
    assert.equal((await client.read(`${base}/evidence-usage`)).used, bytes.length);
    await verified(client);
  });

  test('gives zero counts when it is repeated, and writes nothing then', async () => {
    const { client, id } = await begin();
    const { id: evidenceId } = await upload(client, id);
    await erase(client, id, evidenceId);
    const events = (await client.readEvents()).length;
    const { status, counts } = await erase(client, id, evidenceId);
    assert.deepEqual([status, counts], ['done', noCounts]);
    assert.equal((await client.readEvents()).length, events);
  });

  test('gives a retry of the upload its erased form', async () => {
    const { client, id } = await begin();
    const headers = { 'Idempotency-Key': 'retried-upload' };
    const { id: evidenceId } = await upload(client, id, headers);
    await erase(client, id, evidenceId);
    const again = await upload(client, id, headers);
    assert.deepEqual([again.id, again.title, again.file.name, again.file.size], [evidenceId, null, null, bytes.length]);
    await verified(client);
  });

  test('is refused for a reason that repeats a text', async () => {
    const { client, id } = await begin();
    const { id: evidenceId } = await upload(client, id);
    await assertNothingWritten(server, async () => {
      for (const text of [texts.title, texts.name, texts.description]) {
        const refused = await send(client, id, evidenceId, `About "${text}"`);
        assertInvalid(refused, 'body.reason');
        assert.match(refused.text, /must not repeat a text that is erased: the audit log keeps the reason/);
      }
    });
  });

  test('reaches the evidence of a control that is no longer in force', async () => {
    const { client, id } = await begin();
    const { id: evidenceId } = await upload(client, id);
    assert.equal((await client.remove(id)).status, 204);
    assert.deepEqual((await erase(client, id, evidenceId)).counts, { ...noCounts, evidence: 1, files: 1 });
    await verified(client);
  });

  test('is the only explanation of a missing file, and of bytes that are gone', async () => {
    const { client, id } = await begin();
    const [kept, erased] = [await upload(client, id), await upload(client, id)];
    await erase(client, id, erased.id);
    await verified(client);
    const findings = async () => (await verify(client)).report.findings.map(({ message }) => message);
    const { rows } = await sql<{
      file_id: string;
    }>`select file_id from control_evidence where id = ${erased.id}`.execute(server.installation.database.kysely);
    const fileId = rows[0]?.file_id;
    await change(sql`update control_evidence_chunks set file_id = ${fileId} where tenant_id = ${client.tenant.id}`);
    const moved = await findings();
    assert.ok(moved.some((message) => message.includes(`of evidence ${erased.id}: was erased, but has bytes`)));
    assert.ok(
      moved.some((message) => message.includes(`of evidence ${kept.id}: is missing, and no erasure covers it`)),
    );
    // A time of an erasure that no event has.
    await change(sql`delete from control_evidence_chunks where tenant_id = ${client.tenant.id}`);
    await change(sql`update control_evidence set erased_at = '2026-11-21T12:00:00.000Z' where id = ${kept.id}`);
    assert.ok((await findings()).some((message) => message.includes(`control_evidence ${kept.id}`)));
  });
});
