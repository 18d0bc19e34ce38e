import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { noticeContent, startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import {
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  ServerError,
  ValidationError,
} from '../../src/api-error.ts';
import { Svc } from '../../src/client.ts';

const noOne = '018f0000-0000-7000-8000-000000000000';

describe('errors of the server', () => {
  let server: TestServer;
  let svc: Svc;
  before(async () => {
    server = await startTestServer();
    const scimToken = await server.createScimToken();
    svc = new Svc({ baseUrl: server.url, apiKey: server.tenant.key, scimToken, retries: 0 });
  });
  after(async () => {
    await svc.close();
    await server[Symbol.asyncDispose]();
  });

  test('a record against a draft reports the required status and the current one', async () => {
    const { id } = await svc.consent.notices.create(noticeContent);
    const call = svc.consent.records.capture(id, { subjectId: 'subject-1', purposes: { analytics: true } });
    await assert.rejects(call, (error) => {
      assert.ok(ConflictError.isInstance(error));
      const { status, code, fields, operation, idempotencyKey, requestId } = error;
      assert.deepEqual([status, code, operation], [409, 'consent_notice_not_published', 'captureConsentRecord']);
      assert.deepEqual(fields, { requiredStatus: 'published', actualStatus: 'draft' });
      assert.match(idempotencyKey ?? '', /^[A-Za-z0-9_-]{8,128}$/);
      assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
      return true;
    });
  });

  test('invalid values are reported one by one', async () => {
    const purposes = noticeContent.purposes.map((purpose) => ({ ...purpose, key: 'same' }));
    await assert.rejects(svc.consent.notices.create({ ...noticeContent, language: '?', purposes }), (error) => {
      assert.ok(ValidationError.isInstance(error));
      assert.deepEqual([error.status, error.code], [422, 'validation_failed']);
      const paths = error.details.map(({ path }) => path);
      assert.deepEqual(paths, ['body.language', 'body.purposes.1.key', 'body.purposes.2.key']);
      return true;
    });
  });

  test('a change that names an outdated content has its own code', async () => {
    const { id } = await svc.consent.notices.create(noticeContent);
    const { etag } = (await svc.consent.notices.retrieve(id).withResponse()).response.headers;
    await svc.consent.notices.update(id, { name: 'Theirs' }, { ifMatch: etag });
    const changes = [
      () => svc.consent.notices.update(id, { name: 'Mine' }, { ifMatch: etag }),
      () => svc.consent.notices.publish(id, { ifMatch: etag }),
      () => svc.consent.notices.delete(id, { ifMatch: etag }),
    ];
    for (const change of changes)
      await assert.rejects(change, (error) => {
        assert.ok(ConflictError.isInstance(error));
        assert.equal(error.code, 'consent_notice_changed');
        return true;
      });
    assert.equal((await svc.consent.notices.retrieve(id)).name, 'Theirs');
    await svc.consent.notices.delete(id);
    await assert.rejects(svc.consent.notices.retrieve(id), { code: 'not_found' });
  });

  test('a trust center that was changed meanwhile is not replaced', async () => {
    const { etag } = (await svc.trust.retrieve().withResponse()).response.headers;
    const theirs = await svc.trust.replace({ published: false, headline: 'Theirs' }, { ifMatch: etag });
    await assert.rejects(svc.trust.replace({ published: true, headline: 'Mine' }, { ifMatch: etag }), (error) => {
      assert.ok(ConflictError.isInstance(error));
      assert.equal(error.code, 'trust_center_changed');
      return true;
    });
    assert.deepEqual(await svc.trust.retrieve(), theirs);
  });

  test('a second withdrawal of the same record has its own code', async () => {
    const noticeId = await server.createNotice();
    const { id } = await svc.consent.records.capture(noticeId, { subjectId: 'one', purposes: { analytics: true } });
    const withdrawal = await svc.consent.records.withdraw(noticeId, id);
    assert.deepEqual([withdrawal.kind, withdrawal.withdrawsRecordId], ['withdrawal', id]);
    await assert.rejects(svc.consent.records.withdraw(noticeId, id), { code: 'consent_already_withdrawn' });
  });

  test('a visitor can decide only on a page of the site', async () => {
    const noticeId = await server.createNotice();
    const record = { subjectId: 'visitor', purposes: { necessary: true, analytics: false, marketing: false } };
    const recorded = await svc.public.consent.capture(noticeId, record, { origin: 'https://www.example.com' });
    assert.equal(recorded.subjectId, 'visitor');
    const call = svc.public.consent.capture(noticeId, record, { origin: 'https://elsewhere.test' });
    await assert.rejects(call, (error) => {
      assert.ok(PermissionError.isInstance(error));
      assert.equal(error.code, 'consent_origin_not_allowed');
      return true;
    });
  });

  test('a missing scope of the key is reported', async () => {
    const apiKey = await server.createKey(server.tenant.id, ['consent:read']);
    const reader = svc.withOptions({ apiKey });
    await assert.rejects(reader.consent.notices.create(noticeContent), (error) => {
      assert.ok(PermissionError.isInstance(error));
      assert.equal(error.code, 'insufficient_scope');
      assert.match(error.message, /consent:write/);
      return true;
    });
  });

  test('a cursor is valid only with its filters', async () => {
    await server.createNotice();
    await server.createNotice();
    const { nextCursor } = await svc.consent.notices.list({ status: 'published', limit: 1 });
    assert.ok(nextCursor !== null);
    await assert.rejects(svc.consent.notices.list({ status: 'draft', cursor: nextCursor }), (error) => {
      assert.ok(BadRequestError.isInstance(error));
      assert.equal(error.code, 'invalid_cursor');
      return true;
    });
  });

  test('SCIM reports errors in its own format', async () => {
    const userName = `${randomUUID()}@example.com`;
    await svc.scim.users.create({ userName });
    const failures = [
      [() => svc.scim.users.create({ userName }), ConflictError, 'uniqueness'],
      [() => svc.scim.users.list({ filter: 'userName sw "a"' }), BadRequestError, 'invalidFilter'],
      [
        () => svc.scim.users.patch(noOne, [{ op: 'replace', path: 'title', value: 'Dr' }]),
        BadRequestError,
        'invalidPath',
      ],
      [() => svc.scim.groups.patch('auditor', [{ op: 'remove' }]), BadRequestError, 'noTarget'],
    ] as const;
    for (const [call, Class, code] of failures) {
      await assert.rejects(
        () => call().finally(),
        (error) => {
          assert.ok(Class.isInstance(error), code);
          assert.equal(error.code, code);
          return true;
        },
      );
    }
    await assert.rejects(svc.scim.groups.retrieve('dpco_principal'), (error) => NotFoundError.isInstance(error));
    const replacement = svc.scim.users.replace(noOne, { userName });
    await assert.rejects(replacement.then(), (error) => ServerError.isInstance(error) && error.status === 501);
  });

  describe('a notice that does not exist', () => {
    const isMissing = (error: unknown): boolean => {
      assert.ok(NotFoundError.isInstance(error));
      const { status, code, message, operation, attempts, requestId } = error;
      assert.deepEqual([status, code, operation, attempts], [404, 'not_found', 'getConsent', 1]);
      assert.match(message, /^There is no such consent notice/);
      assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
      return true;
    };

    test('is not found, although the id could be that of a subject', async () => {
      await assert.rejects(svc.consent.notices.retrieve(noOne), isMissing);
      await assert.rejects(svc.consent.notices.retrieve('missing').withResponse(), isMissing);
      await assert.rejects(svc.consent.notices.retrieve(noOne).asResponse(), isMissing);
      await assert.rejects(svc.consent.notices.retrieve(noOne).finally(), isMissing);
      assert.equal(await svc.consent.notices.retrieve(noOne).catch(isMissing), true);
    });

    test('is not found if a subject with that id has records', async () => {
      const noticeId = await server.createNotice();
      await svc.consent.records.capture(noticeId, { subjectId: noOne, purposes: { analytics: true } });
      await assert.rejects(svc.consent.notices.retrieve(noOne), isMissing);
    });

    test('has no effect if it exists', async () => {
      const noticeId = await server.createNotice();
      const notice = await svc.consent.notices.retrieve(noticeId);
      assert.equal(notice.id, noticeId);
      const { data, response } = await svc.consent.notices.retrieve(noticeId).withResponse();
      assert.deepEqual([data, response.status], [notice, 200]);
      const raw = await svc.consent.notices.retrieve(noticeId).asResponse();
      assert.deepEqual(await raw.json(), { data: notice });
    });

    test('is reported once by the process if its rejection is unhandled', async () => {
      const reasons: unknown[] = [];
      const note = (reason: unknown) => reasons.push(reason);
      const others = process.listeners('unhandledRejection');
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
      try {
        void svc.consent.notices.retrieve(noOne);
        // The calls of a client run concurrently: when this one has its response, and the turn is over, so has that one.
        await svc.consent.notices.retrieve(noOne).catch(() => undefined);
        do await new Promise((resolve) => setImmediate(resolve));
        while (reasons.length === 0);
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(reasons.length, 1);
        isMissing(reasons[0]);
      } finally {
        process.removeListener('unhandledRejection', note);
        for (const other of others) process.on('unhandledRejection', other);
      }
    });
  });
});
