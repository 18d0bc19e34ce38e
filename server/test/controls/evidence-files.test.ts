import assert from 'node:assert/strict';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from 'kysely';
import { deleteAbandonedFile } from '../../controls/file-store.ts';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { openSocket, readAnswers, requestText } from '../http/raw-socket.ts';
import { runVerify } from '../ledger/fixture.ts';
import { base, type ControlClient, openTenant, payload } from './helpers.ts';
import { evidenceItem } from './samples.ts';

const mebibyte = 1024 * 1024;
const hour = 60 * 60_000;
const about = { ...evidenceItem, name: 'visitors.txt' };

describeServerOnEachDatabase(
  'the files of evidence',
  (server) => {
    const begin = async () => {
      const client = await openTenant(server);
      const id = await client.create();
      return { client, id };
    };
    const pathOf = (id: string, change: object = {}) =>
      `${base}/controls/${id}/evidence/files?${new URLSearchParams({ ...about, ...change })}`;
    const upload = (
      { tenant }: ControlClient,
      id: string,
      rawBody: string | Uint8Array,
      { change = {}, headers = {} }: { readonly change?: object; readonly headers?: Record<string, string> } = {},
    ) =>
      server.request('POST', pathOf(id, change), {
        key: tenant.key,
        rawBody,
        headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
      });
    const download = ({ tenant }: ControlClient, id: string, evidenceId: string) =>
      fetch(`${server.url}${base}/controls/${id}/evidence/${evidenceId}/file`, {
        headers: { Authorization: `Bearer ${tenant.key}` },
      });
    const readBytes = async (response: Response) => Buffer.from(await response.arrayBuffer());
    const countStored = async () => {
      const rows = await sql<{ count: number }>`
        select (select count(*) from control_evidence_files) + (select count(*) from control_evidence_chunks) as count
      `.execute(server.installation.database.kysely);
      return Number(rows.rows[0]?.count);
    };

    test('are stored in chunks, hashed by the server, written into the audit log, and downloaded unchanged', async () => {
      const { client, id } = await begin();
      payload(await client.edit(id, { status: 'evidence_requested' }));
      const bytes = randomBytes(mebibyte + 1);
      const sha256 = hash('sha256', bytes);
      const item = payload(await upload(client, id, bytes), 201);
      assert.deepEqual(item.file, { name: 'visitors.txt', size: bytes.length, mediaType: 'text/plain' });
      assert.deepEqual([item.sha256, item.url, item.title], [sha256, null, evidenceItem.title]);
      const { status, evidenceCount, evidenceFreshness } = await client.get(id);
      assert.deepEqual([status, evidenceCount, evidenceFreshness], ['evidence_submitted', 1, 'current']);
      const added = (await client.readEvents()).find(({ action }) => action === 'control_evidence.added');
      assert.equal(added.diff.sha256, sha256);
      const { rows } = await sql<{ size: number }>`
        select length(bytes) as size from control_evidence_chunks where tenant_id = ${client.tenant.id} order by position
      `.execute(server.installation.database.kysely);
      assert.equal(
        rows.reduce((sum, { size }) => sum + Number(size), 0),
        bytes.length,
      );
      assert.ok(rows.length >= 2 && rows.every(({ size }) => Number(size) < mebibyte), JSON.stringify(rows));
      payload(await client.withdraw(id, item.id));
      const response = await download(client, id, item.id);
      assert.deepEqual(await readBytes(response), bytes);
      const link = `${base}/controls/${id}/evidence/${item.id}/file?tenant=`;
      const follow = (tenantId: string) => server.request('GET', `${link}${tenantId}`, { key: client.tenant.key });
      assert.equal((await follow(client.tenant.id)).status, 200);
      assertProblem(await follow(server.tenant.id), 'tenant_not_allowed');
      const headers = [
        'content-type',
        'content-length',
        'content-disposition',
        'content-security-policy',
        'x-content-type-options',
      ];
      assert.deepEqual(
        headers.map((name) => response.headers.get(name)),
        [
          'text/plain',
          String(bytes.length),
          `attachment; filename="visitors.txt"; filename*=UTF-8''visitors.txt`,
          'sandbox',
          'nosniff',
        ],
      );
      assert.equal((await runVerify(server.installation, { tenant: client.tenant.slug })).report.intact, true);
    });

    test('may have 1 byte to 25 MiB, and a larger one is refused before it is read whole', async () => {
      const { client, id } = await begin();
      const largest = Buffer.alloc(25 * mebibyte, 1);
      assert.equal(payload(await upload(client, id, largest), 201).file.size, largest.length);
      const before = await countStored();
      assertInvalid(await upload(client, id, ''), 'body');
      const announced = await openSocket(server);
      const headers = { Authorization: `Bearer ${client.tenant.key}`, 'Content-Length': 26 * mebibyte };
      announced.write(requestText('POST', pathOf(id), headers, 'only the start'));
      assertProblem((await readAnswers(announced))[0] as never, 'payload_too_large');
      // Without an announcement, the server counts.
      const other = await begin();
      const chunked = await openSocket(server);
      const answers = readAnswers(chunked);
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(mebibyte), Buffer.from('\r\n')]);
      const unannounced = { Authorization: `Bearer ${other.client.tenant.key}`, 'Transfer-Encoding': 'chunked' };
      chunked.write(requestText('POST', pathOf(other.id), unannounced));
      for (let sent = 0; sent < 26 && !chunked.destroyed; sent += 1) chunked.write(chunk);
      assertProblem((await answers)[0] as never, 'payload_too_large');
      assert.equal(await countStored(), before);
    });
    test('leave nothing of an upload that breaks off, and what a stopped server left is deleted later', async () => {
      const { client, id } = await begin();
      const before = await countStored();
      const socket = await openSocket(server);
      const headers = { Authorization: `Bearer ${client.tenant.key}`, 'Content-Length': 2 * mebibyte };
      socket.write(requestText('POST', pathOf(id), headers));
      socket.write(Buffer.alloc(mebibyte));
      while ((await countStored()) < before + 2) await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
      while ((await countStored()) > before) await new Promise((resolve) => setImmediate(resolve));
      assert.equal((await client.get(id)).evidenceCount, 0);

      const { database } = server.installation;
      const now = server.clock.now();
      const left = { id: randomUUID(), tenant_id: client.tenant.id, size: 1, created_at: now, finished_at: null };
      await database.kysely.insertInto('control_evidence_files').values(left).execute();
      const chunk = { tenant_id: left.tenant_id, file_id: left.id, position: 0, bytes: Buffer.from('x') };
      await database.kysely.insertInto('control_evidence_chunks').values(chunk).execute();
      assert.equal(await deleteAbandonedFile(database.kysely, now), false);
      const later = new Date(server.clock.milliseconds() + hour + 1).toISOString();
      assert.equal(await deleteAbandonedFile(database.kysely, later), true);
      assert.equal(await deleteAbandonedFile(database.kysely, later), false);
      assert.equal(await countStored(), before);
    });

    test('may not exceed the quota of the tenant, not even by uploads at the same time', async () => {
      const { client, id } = await begin();
      const third = Buffer.alloc(10 * mebibyte);
      const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await upload(client, id, third)).status));
      assert.deepEqual(statuses.sort(), [201, 201, 201, 409]);
      const refused = await upload(client, id, 'one byte more');
      assertProblem(refused, 'evidence_quota_exceeded');
      const { quota, used } = refused.body.error;
      assert.deepEqual([quota, used], [30 * mebibyte, 30 * mebibyte]);
      const other = await begin();
      const usage = async ({ tenant: { key } }: typeof client) =>
        payload(await server.request('GET', '/v1/control-framework/evidence-usage', { key }), 200);
      assert.deepEqual(await usage(client), { used, quota });
      assert.deepEqual(await usage(other.client), { used: 0, quota });
      payload(await upload(other.client, other.id, 'x'), 201);
    });

    test('are sent again by a retry, which gets the first answer for the same bytes only', async () => {
      const { client, id } = await begin();
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = payload(await upload(client, id, 'the file', { headers }), 201);
      const before = await countStored();
      const again = await upload(client, id, 'the file', { headers });
      assert.deepEqual([again.headers.get('idempotent-replayed'), payload(again, 201)], ['true', first]);
      assertProblem(await upload(client, id, 'other bytes', { headers }), 'idempotency_key_reused');
      assert.equal(await countStored(), before);
      assert.equal((await client.get(id)).evidenceCount, 1);
    });

    test('belong to their control and their item', async () => {
      const { client, id } = await begin();
      const item = payload(await upload(client, id, 'secret'), 201);
      const bare = payload(await client.addEvidence(id), 201);
      const foreign = [download(client, id, bare.id), download(client, await client.create(), item.id)];
      for (const response of await Promise.all(foreign)) assert.equal(response.status, 404);
    });

    test('keep no name and no type that could harm', async () => {
      const { client, id } = await begin();
      const names: readonly (readonly [given: string, kept: string, sent: string])[] = [
        ['../../etc/pass"wd', 'pass_wd', `filename="pass_wd"; filename*=UTF-8''pass_wd`],
        ['C:\\temp\\a\r\nSet-Cookie: x.txt', 'a__Set-Cookie_ x.txt', `filename*=UTF-8''a__Set-Cookie_%20x.txt`],
        ['invoice\u202Efdp.exe', 'invoice_fdp.exe', `filename="invoice_fdp.exe"`],
        ['.htaccess', 'htaccess', 'filename="htaccess"'],
        [
          'Prüfung (1).pdf',
          'Prüfung (1).pdf',
          `filename="Pr_fung (1).pdf"; filename*=UTF-8''Pr%C3%BCfung%20%281%29.pdf`,
        ],
        [`${'x'.repeat(296)}.pdf`, `${'x'.repeat(196)}.pdf`, 'xxx.pdf"'],
        ['/..', 'file', 'filename="file"'],
      ];
      for (const [name, kept, sent] of names) {
        const item = payload(await upload(client, id, 'x', { change: { name } }), 201);
        assert.equal(item.file.name, kept);
        const disposition = (await download(client, id, item.id)).headers.get('content-disposition') ?? '';
        assert.ok(disposition.startsWith('attachment; filename="') && disposition.includes(sent), disposition);
      }
      const types: readonly (readonly [given: string, kept: string | null, sent: string])[] = [
        ['text/html', 'text/html', 'application/octet-stream'],
        ['image/svg+xml', 'image/svg+xml', 'application/octet-stream'],
        ['IMAGE/PNG', 'image/png', 'image/png'],
        ['nonsense', null, 'application/octet-stream'],
      ];
      for (const [type, kept, sent] of types) {
        const item = payload(await upload(client, id, '<script>', { headers: { 'Content-Type': type } }), 201);
        const response = await download(client, id, item.id);
        assert.deepEqual([item.file.mediaType, response.headers.get('content-type')], [kept, sent]);
      }
      const gzip = await upload(client, id, 'x', { headers: { 'Content-Encoding': 'gzip' } });
      assertProblem(gzip, 'unsupported_media_type');
    });

    test('need a description with possible times, checked before the body is read', async () => {
      const { client, id } = await begin();
      const before = await countStored();
      for (const [change, path] of [
        [{ collectedAt: '2030-01-01T00:00:00Z' }, 'query.collectedAt'],
        [{ expiresAt: '2026-10-01T00:00:00Z' }, 'query.expiresAt'],
      ] as const)
        assertInvalid(await upload(client, id, 'x', { change }), path);
      assert.equal(await countStored(), before);
    });

    test('that were changed in the database are named by svc verify', async () => {
      const { client, id } = await begin();
      const item = payload(await upload(client, id, 'the original', { change: { name: 'list.txt' } }), 201);
      const { kysely: queries } = server.installation.database;
      const change = (text: string) =>
        queries
          .updateTable('control_evidence_chunks')
          .set({ bytes: Buffer.from(text) })
          .where('tenant_id', '=', client.tenant.id)
          .execute();
      const verify = () => runVerify(server.installation, { tenant: client.tenant.slug });
      await change('the 0riginal');
      const { report, code } = await verify();
      assert.equal(code, 1);
      const finding = report.findings.find(({ about: kind }) => kind === 'file');
      assert.match(finding?.message ?? '', new RegExp(`file "list.txt" of evidence ${item.id}: the bytes differ`));
      await change('the original');
      assert.equal((await verify()).report.intact, true);
    });

    test('arrive slowly without holding up other changes', async () => {
      const { client, id } = await begin();
      const socket = await openSocket(server);
      const headers = { Authorization: `Bearer ${client.tenant.key}`, 'Content-Length': mebibyte };
      const before = await countStored();
      socket.write(requestText('POST', pathOf(id), headers));
      socket.write(Buffer.alloc(mebibyte / 2));
      while ((await countStored()) < before + 2) await new Promise((resolve) => setImmediate(resolve));
      payload(await client.addEvidence(id), 201);
      const answers = readAnswers(socket);
      socket.write(Buffer.alloc(mebibyte / 2));
      assert.equal((await answers)[0]?.status, 201);
      assert.equal((await client.get(id)).evidenceCount, 2);
      if (!socket.destroyed) await once(socket, 'close');
    });
  },
  { SVC_EVIDENCE_MIB: '30' },
);
