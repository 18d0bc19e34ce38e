import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { foldSubject } from '../../consent/spelling-store.ts';
import type { TestTenant } from '../harness.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { runVerify } from '../ledger/fixture.ts';
import { allGranted, capture, createFreshTenant, describeServerOnEachDatabase, payload } from './helpers.ts';

describeServerOnEachDatabase('POST /v1/consent/subjects/search', (server) => {
  const start = async () => {
    const tenant = await createFreshTenant(server);
    return { tenant, noticeId: await server.createNotice({ key: tenant.key }) };
  };
  const record = async ({ key }: TestTenant, noticeId: string, subjectId: string) =>
    payload(await capture(server, noticeId, { subjectId }, { key, headers: { 'Idempotency-Key': randomUUID() } }), 201);
  const visit = async (noticeId: string, subjectId: string) =>
    payload(
      await server.request('POST', `/v1/public/consent/${noticeId}/records`, {
        key: null,
        headers: { Origin: 'https://example.com' },
        body: { subjectId, purposes: allGranted },
      }),
      201,
    );
  const search = async ({ key }: TestTenant, subjectId: string) => {
    const { items, nextCursor } = payload(
      await server.request('POST', '/v1/consent/subjects/search', { key, body: { subjectId } }),
      200,
    );
    assert.equal(nextCursor, null);
    return items.map((item: { subjectId: string; recordCount: number }) => [item.subjectId, item.recordCount]);
  };
  const erase = async ({ key }: TestTenant, subjectId: string) =>
    payload(
      await server.request('POST', `/v1/consent/subjects/${encodeURIComponent(subjectId)}/erase`, {
        key,
        body: { reason: 'Asked for it' },
      }),
      200,
    );

  test('lists the spellings of an id in both spaces, as they were given, with their records', async () => {
    const { tenant, noticeId } = await start();
    const wide = 'ｎｏｒａ.k@corp.example';
    for (const id of ['nora.k@corp.example', 'Nora.K@Corp.example', 'Nora.K@Corp.example', ' nora.k@corp.example '])
      await record(tenant, noticeId, id);
    await visit(noticeId, 'NORA.K@corp.example');
    await visit(noticeId, wide);
    await visit(noticeId, 'Nora.K@Corp.example');
    for (const other of ['nora.l@corp.example', 'nora k@corp.example', 'Nora.K']) await record(tenant, noticeId, other);
    const expected = [
      [' nora.k@corp.example ', 1],
      ['NORA.K@corp.example', 1],
      ['Nora.K@Corp.example', 3],
      ['nora.k@corp.example', 1],
      [wide, 1],
    ];
    for (const id of ['nora.k@corp.example', 'NORA.K@CORP.EXAMPLE', '\tＮora.k@corp.example\u200b'])
      assert.deepEqual(await search(tenant, id), expected, id);
    assert.deepEqual(await search(tenant, 'nobody@corp.example'), []);
    const stranger = await createFreshTenant(server);
    assert.deepEqual(await search(stranger, 'nora.k@corp.example'), []);
  });

  test('finds no erased spelling, which leaves no text behind', async () => {
    const { tenant, noticeId } = await start();
    const [plain, spelled] = ['erased.search@corp.example', 'Erased.Search@Corp.example'];
    await record(tenant, noticeId, plain);
    await record(tenant, noticeId, spelled);
    await visit(noticeId, spelled);
    await erase(tenant, spelled);
    assert.deepEqual(await search(tenant, spelled), [[plain, 1]]);
    assert.ok(!(await readAllRows(server.installation.database)).includes(spelled));
    await erase(tenant, plain);
    assert.deepEqual(await search(tenant, plain), []);
    assert.ok(!(await readAllRows(server.installation.database)).toLowerCase().includes(plain));
    // Nor does the stored answer of a search that was made with an Idempotency-Key.
    await record(tenant, noticeId, spelled);
    const headers = { 'Idempotency-Key': randomUUID() };
    const options = { key: tenant.key, headers, body: { subjectId: 'ERASED.SEARCH@corp.example' } };
    const first = await server.request('POST', '/v1/consent/subjects/search', options);
    assert.equal(first.body.data.items[0].subjectId, spelled);
    await erase(tenant, spelled);
    const again = await server.request('POST', '/v1/consent/subjects/search', options);
    assert.deepEqual([again.status, again.body.data.items[0].subjectId], [200, null]);
    assert.ok(!(await readAllRows(server.installation.database)).toLowerCase().includes(plain));
    // A record that comes later is found again.
    await record(tenant, noticeId, spelled);
    assert.deepEqual(await search(tenant, plain), [[spelled, 1]]);
    const { code, lines } = await runVerify(server.installation);
    assert.equal(code, 0, lines.join('\n'));
  });

  test('stores no spelling of ids that are in their form', async () => {
    const { tenant, noticeId } = await start();
    for (const id of [randomUUID(), 'plain@corp.example', '+491701234567', '用户@例子.广告'])
      await record(tenant, noticeId, id);
    const { kysely } = server.installation.database;
    const rows = await kysely.selectFrom('consent_spellings').selectAll().where('tenant_id', '=', tenant.id).execute();
    assert.deepEqual(rows, []);
  });
});

describe('the form of a subject id', () => {
  test('is the same for ids that differ in case, Unicode form and what is not seen', () => {
    for (const [form, ...spellings] of [
      ['nora@x', 'NORA@X', ' Nora@x\n', 'no\u200bra@x', 'ｎｏｒａ＠ｘ', '\ufeffnora@x'],
      ['strasse', 'Straße', 'STRASSE', 'STRAẞE'],
      ['σασ', 'ΣΑΣ', 'σας', 'Σας'],
      ['josé', 'JOSÉ', 'josé'.normalize('NFD'), 'JOSÉ'.normalize('NFD')],
      ['fi', 'ﬁ', 'FI'],
      ['k', '\u212a', 'K'],
    ] as const)
      for (const spelling of [form, ...spellings]) assert.equal(foldSubject(spelling), form, JSON.stringify(spelling));
    for (const [one, other] of [
      ['ırmak', 'irmak'],
      ['jose', 'josé'],
      ['a b', 'ab'],
      ['а', 'a'],
    ] as const)
      assert.notEqual(foldSubject(one), foldSubject(other));
    for (const id of ['İstanbul', 'ẞ', 'ﬃ', 'ΐ', 'ŉ', 'ǰ', '\u0345', '가']) {
      const form = foldSubject(id);
      assert.equal(foldSubject(form), form, id);
    }
  });
});
