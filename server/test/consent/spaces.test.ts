import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { noticeContent } from '../harness.ts';
import {
  allGranted,
  assertProblem,
  capture,
  describeServerOnEachDatabase,
  payload,
  visit,
  withdraw,
} from './helpers.ts';

const refused = { necessary: true, analytics: false, marketing: false };
const subjectId = 'customer-1';

describeServerOnEachDatabase(
  'the spaces of a subject',
  (server) => {
    const readState = async (subject = subjectId, path = '/v1/consent/subjects/') =>
      payload(await server.request('GET', path + subject), 200).state;
    const readRecord = async (notice: string, id: string) =>
      payload(await server.request('GET', `/v1/consent/${notice}/records/${id}`), 200);
    /** Makes a decision on a page and reads the record as the tenant sees it. */
    const decide = async (notice: string, body: object) =>
      readRecord(notice, payload(await visit(server, notice, { subjectId, ...body })).id);
    const hold = (purposes: object, recordId: string) =>
      Object.fromEntries(Object.entries(purposes).map(([key, granted]) => [key, { granted, recordId }]));

    test('a visitor who sends the subject id of a customer changes nothing that was captured with a key', async () => {
      const notice = await server.createNotice();
      const subject = 'customer-of-forged-origin';
      const granted = payload(await capture(server, notice, { subjectId: subject, purposes: { marketing: true } }));
      const forged = await decide(notice, { subjectId: subject, purposes: refused });
      assert.deepEqual(
        [forged.kind, forged.withdrawsRecordId, forged.space, forged.otherPurposes],
        ['capture', null, 'public', {}],
      );
      for (const path of ['/v1/consent/subjects/', '/v1/consent/'])
        assert.deepEqual(await readState(subject, path), {
          api: [{ noticeId: notice, purposes: hold({ marketing: true }, granted.id) }],
          public: [{ noticeId: notice, purposes: hold(refused, forged.id) }],
          truncated: { api: false, public: false },
        });
      const withdrawal = payload(await withdraw(server, notice, granted.id));
      assert.deepEqual([withdrawal.space, withdrawal.withdrawsRecordId], ['api', granted.id]);
    });

    test('a visitor cannot grant what a customer refused with a key', async () => {
      const notice = await server.createNotice();
      const subject = 'customer-who-refused';
      const refusal = payload(await capture(server, notice, { subjectId: subject, purposes: { marketing: false } }));
      await decide(notice, { subjectId: subject, purposes: allGranted });
      const [state] = (await readState(subject)).api;
      assert.deepEqual(state.purposes, hold({ marketing: false }, refusal.id));
    });

    test('a capture with a key withdraws no grant of a visitor', async () => {
      const notice = await server.createNotice();
      const subject = 'visitor-then-customer';
      const visited = await decide(notice, { subjectId: subject });
      const record = payload(await capture(server, notice, { subjectId: subject, purposes: { analytics: false } }));
      assert.deepEqual([record.kind, record.withdrawsRecordId], ['capture', null]);
      assert.deepEqual((await readState(subject)).public[0].purposes, hold(allGranted, visited.id));
    });

    test('a withdrawal that a caller sends stays in the space of the record of a visitor', async () => {
      const notice = await server.createNotice();
      const subject = 'visitor-who-writes-a-letter';
      const customer = payload(await capture(server, notice, { subjectId: subject, purposes: { marketing: true } }));
      const visited = await decide(notice, { subjectId: subject });
      const withdrawal = payload(await withdraw(server, notice, visited.id, { purposes: ['marketing'] }));
      assert.deepEqual([withdrawal.source, withdrawal.space], ['api', 'public']);
      assert.deepEqual(withdrawal.otherPurposes, hold({ necessary: true, analytics: true }, visited.id));
      assert.deepEqual(await readState(subject), {
        api: [{ noticeId: notice, purposes: hold({ marketing: true }, customer.id) }],
        public: [
          {
            noticeId: notice,
            purposes: {
              ...hold({ necessary: true, analytics: true }, visited.id),
              ...hold({ marketing: false }, withdrawal.id),
            },
          },
        ],
        truncated: { api: false, public: false },
      });
      assertProblem(
        await withdraw(server, notice, visited.id, { purposes: ['marketing'] }),
        '409 consent_already_withdrawn',
      );
      const again = await decide(notice, { subjectId: subject, purposes: refused });
      assert.deepEqual([again.kind, again.withdrawsRecordId], ['withdrawal', visited.id]);
      assert.equal(payload(await withdraw(server, notice, customer.id)).space, 'api');
    });

    test('a visitor who refuses what a customer grants twice keeps neither grant from being withdrawn', async () => {
      const notice = await server.createNotice();
      const subject = 'customer-who-grants-twice';
      const grant = async () =>
        payload(await capture(server, notice, { subjectId: subject, purposes: { marketing: true } }));
      const first = await grant();
      await decide(notice, { subjectId: subject, purposes: refused });
      await grant();
      const withdrawal = payload(await withdraw(server, notice, first.id));
      assert.deepEqual([withdrawal.withdrawsRecordId, withdrawal.purposes], [first.id, { marketing: false }]);
    });

    test('records of visitors on other notices are spaces of their own', async () => {
      const [notice, other] = [await server.createNotice(), await server.createNotice()];
      const subject = 'visitor-of-two-sites';
      const first = await decide(notice, { subjectId: subject });
      const second = await decide(other, { subjectId: subject, purposes: refused });
      assert.equal(second.kind, 'capture');
      // The newest notice first.
      assert.deepEqual((await readState(subject)).public, [
        { noticeId: other, purposes: hold(refused, second.id) },
        { noticeId: notice, purposes: hold(allGranted, first.id) },
      ]);
    });

    test('what later records do not name still holds, and the newest grant is withdrawn', async () => {
      const notice = await server.createNotice();
      const subject = 'customer-with-many-forms';
      const take = async (purposes: object) => payload(await capture(server, notice, { subjectId: subject, purposes }));
      const analytics = await take({ analytics: true });
      const marketing = await take({ marketing: true });
      assert.deepEqual(marketing.otherPurposes, hold({ analytics: true }, analytics.id));
      const necessary = await take({ necessary: true });
      assert.deepEqual(necessary.otherPurposes, {
        ...hold({ analytics: true }, analytics.id),
        ...hold({ marketing: true }, marketing.id),
      });
      const withdrawal = await take({ analytics: false, marketing: false });
      assert.deepEqual([withdrawal.kind, withdrawal.withdrawsRecordId], ['withdrawal', marketing.id]);
      assert.deepEqual((await readState(subject)).api[0].purposes, {
        ...hold({ necessary: true }, necessary.id),
        ...hold({ analytics: false, marketing: false }, withdrawal.id),
      });
    });

    test('a purpose that a later version does not have still holds and can be withdrawn', async () => {
      const notice = await server.createNotice();
      const subject = 'visitor-of-two-versions';
      const first = await decide(notice, { subjectId: subject });
      const purposes = noticeContent.purposes.slice(0, 2);
      await server.request('PATCH', `/v1/consent/${notice}`, { body: { purposes } });
      await server.request('POST', `/v1/consent/${notice}/publish`);
      const second = await decide(notice, { subjectId: subject, purposes: { necessary: true, analytics: true } });
      assert.deepEqual(second.otherPurposes, hold({ marketing: true }, first.id));
      assert.deepEqual(payload(await withdraw(server, notice, first.id)).purposes, {
        analytics: false,
        marketing: false,
      });
    });

    const made: string[] = [];
    before(async () => {
      // One by one: all at once they wait for a connection longer than a busy machine allows.
      while (made.length < 101) made.push(await server.createNotice());
    });

    test('the state names at most 100 notices and says when there are more', async () => {
      const subject = 'customer-of-many-notices';
      const records = await Promise.all(made.map((notice) => capture(server, notice, { subjectId: subject })));
      const notices = records
        .map((record) => payload(record).noticeId)
        .sort()
        .reverse();
      const state = await readState(subject);
      assert.deepEqual(
        state.api.map(({ noticeId }: { noticeId: string }) => noticeId),
        notices.slice(0, 100),
      );
      assert.deepEqual(state.public, []);
      assert.deepEqual(state.truncated, { api: true, public: false });
    });

    test('visitors on any number of notices push nothing out that was captured with a key', async () => {
      const subject = 'customer-whom-visitors-name';
      const record = payload(await capture(server, await server.createNotice(), { subjectId: subject }));
      for (const answer of await Promise.all(made.map((notice) => visit(server, notice, { subjectId: subject }))))
        payload(answer);
      const state = await readState(subject);
      assert.deepEqual(state.api, [{ noticeId: record.noticeId, purposes: hold({ analytics: true }, record.id) }]);
      assert.equal(state.public.length, 100);
      assert.deepEqual(state.truncated, { api: false, public: true });
    });
  },
  { SVC_LIMIT_CAPTURE_CLIENT: '1000' },
);
