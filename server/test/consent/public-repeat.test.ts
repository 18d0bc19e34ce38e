import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allGranted,
  assertNothingWritten,
  capture,
  createFreshTenant,
  describeServer,
  payload,
  visit,
} from './helpers.ts';

const first = '2026-11-21T11:00:00.000Z';
const second = '2026-11-21T11:00:05.000Z';
const refused = { necessary: true, analytics: false, marketing: false };

describeServer('decisions of one visitor', (server) => {
  const readRecord = async (notice: string, id: string, key = server.tenant.key) =>
    payload(await server.request('GET', `/v1/consent/${notice}/records/${id}`, { key }), 200);
  const readTotal = async (notice: string) =>
    payload(await server.request('GET', `/v1/consent/${notice}/records`), 200).page.total;
  /** Makes the decision and reads the record as the tenant sees it. */
  const decide = async (notice: string, body: object) =>
    readRecord(notice, payload(await visit(server, notice, body)).id);

  test('sent again, with the time in any offset, give the record that is there', async () => {
    const notice = await server.createNotice();
    const sent = await visit(server, notice, { capturedAt: first });
    server.clock.advance(60_000);
    await assertNothingWritten(server, async () => {
      for (const capturedAt of [first, '2026-11-21T12:00:00+01:00']) {
        const again = await visit(server, notice, { capturedAt });
        assert.deepEqual([again.status, again.body], [201, sent.body]);
      }
    });
  });

  test('sent again late, after other decisions, give the record that is there', async () => {
    const notice = await server.createNotice();
    const decisions = [
      { capturedAt: second },
      { capturedAt: first, purposes: refused },
      { capturedAt: first },
      { capturedAt: second, purposes: refused },
    ];
    const sent: string[] = [];
    for (const decision of decisions) sent.push(payload(await visit(server, notice, decision)).id);
    assert.equal(new Set(sent).size, 4);
    payload(await capture(server, notice, { subjectId: 'visitor-1', capturedAt: '2020-01-01T00:00:00Z' }));
    await assertNothingWritten(server, async () => {
      for (const [index, decision] of decisions.entries()) {
        assert.equal(payload(await visit(server, notice, decision)).id, sent[index]);
      }
    });
  });

  test('sent many times at once give one record', async () => {
    const notice = await server.createNotice();
    const answers = await Promise.all(Array.from({ length: 20 }, () => visit(server, notice, { capturedAt: first })));
    assert.equal(new Set(answers.map((answer) => payload(answer).id)).size, 1);
    assert.equal(await readTotal(notice), 1);
  });

  test('with other choices, another time, method or subject, or no time, are new records', async () => {
    const notice = await server.createNotice();
    const decision = { capturedAt: first };
    const others = [
      { ...decision, purposes: refused },
      { ...decision, capturedAt: second },
      { ...decision, method: 'banner' },
      { ...decision, subjectId: 'visitor-2' },
      {},
      {},
    ];
    for (const body of [decision, ...others]) payload(await visit(server, notice, body));
    assert.equal(await readTotal(notice), 1 + others.length);
  });

  test('are kept apart from those of the same subject on other notices', async () => {
    const [notice, other] = [await server.createNotice(), await server.createNotice()];
    await decide(notice, { capturedAt: first });
    const record = await decide(other, { capturedAt: first, purposes: refused });
    assert.deepEqual([record.noticeId, record.kind], [other, 'capture']);
  });

  test('that turn a grant off are withdrawals of it', async () => {
    const notice = await server.createNotice();
    const granted = await decide(notice, {});
    const withdrawal = await decide(notice, { purposes: { ...allGranted, marketing: false } });
    assert.deepEqual([withdrawal.kind, withdrawal.withdrawsRecordId], ['withdrawal', granted.id]);
    assert.deepEqual(await readRecord(notice, granted.id), granted);
    const further = await decide(notice, { purposes: refused });
    assert.equal(further.withdrawsRecordId, withdrawal.id);
  });

  test('that refuse what was never granted, or is off already, are no withdrawals', async () => {
    const notice = await server.createNotice();
    for (const purposes of [refused, refused, allGranted]) {
      const record = await decide(notice, { purposes });
      assert.deepEqual([record.kind, record.withdrawsRecordId], ['capture', null]);
    }
  });

  test('made at once see each other', async () => {
    const tenant = await createFreshTenant(server);
    const { key } = tenant;
    const notice = await server.createNotice({ key });
    const decisions = Array.from({ length: 20 }, (_, index) => ({ purposes: index % 2 === 0 ? allGranted : refused }));
    await Promise.all(decisions.map((decision) => visit(server, notice, decision)));
    const { data } = payload(await server.request('GET', `/v1/consent/${notice}/records`, { key }), 200);
    let grant: string | null = null;
    for (const record of data.reverse()) {
      const withdraws: string | null = record.purposes.analytics ? null : grant;
      assert.deepEqual(
        [record.kind, record.withdrawsRecordId],
        [withdraws === null ? 'capture' : 'withdrawal', withdraws],
      );
      grant = record.purposes.analytics ? record.id : null;
    }
  });
});
