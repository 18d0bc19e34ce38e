import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { readConsent } from '@svc/consent-banner/server';
import fc from 'fast-check';

const DAY = 86_400_000;
const noticeId = '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11';

function decide(changes: object = {}, daysAgo = 3): object {
  const decidedAt = new Date(Date.now() - daysAgo * DAY).toISOString();
  const purposes = { necessary: true, statistics: true };
  return { decision: 'accepted', purposes, noticeVersion: 4, decidedAt, subjectId: 'the-visitor', ...changes };
}

const refusal = { decision: 'rejected', purposes: { necessary: true, statistics: false } };
const write = (value: unknown, id = noticeId): string =>
  `${encodeURIComponent(`svc-consent:${id}`)}=${encodeURIComponent(JSON.stringify(value))}`;
const read = (cookie: string, more: object = {}) => readConsent({ noticeId, headers: { cookie }, ...more });
const state = (purposes: object) => ({ decided: true, purposes: Object.assign(Object.create(null), purposes) });
const granted = state({ necessary: true, statistics: true });
const refused = state({ necessary: true, statistics: false });

describe('a server', () => {
  test('reads the visitor’s decision from the cookie of the request, among others', () => {
    assert.deepEqual(read(`a=b; ${write(decide())}; c`), granted);
    assert.deepEqual(read(write(decide(refusal))), refused);
  });

  test('accepts the headers of the Fetch API, of Node, and in any case', () => {
    const cookie = write(decide());
    for (const headers of [new Headers({ cookie }), { cookie }, { Cookie: ['a=b', cookie] }])
      assert.deepEqual(readConsent({ noticeId, headers }), granted);
  });

  test('reads no decision without the cookie, nor from that of another notice', () => {
    assert.equal(readConsent({ noticeId, headers: {} }), null);
    assert.equal(read(write(decide(), 'another')), null);
  });

  test('reads the newer of two cookies of one name, in any order', () => {
    const cookies = [write(decide({}, 5)), write(decide(refusal, 2))];
    assert.deepEqual(read(cookies.join('; ')), refused);
    assert.deepEqual(read(cookies.reverse().join('; ')), refused);
  });

  test('ignores an expired decision and one from the future, but no refusal within half a year', () => {
    assert.equal(read(write(decide({}, 366))), null);
    assert.deepEqual(read(write(decide({}, 364))), granted);
    assert.equal(read(write(decide({}, 31)), { maxAge: 30 }), null);
    const ages = { maxAge: 30, refusalMaxAge: 10 };
    assert.deepEqual(read(write(decide(refusal, 182)), ages), refused);
    assert.equal(read(write(decide(refusal, 184)), ages), null);
    assert.deepEqual(read(write(decide({}, 11)), ages), granted);
    assert.equal(read(write(decide({}, -1))), null);
  });

  test('grants what was on by its basis only in the region of the decision, and what was consented to everywhere', () => {
    const purposes = { necessary: true, statistics: true, marketing: true, support: true };
    const basis = { necessary: 'required', statistics: 'object', marketing: 'consent', support: 'exempt' };
    const cookie = write(decide({ purposes, basis, region: 'US-CA' }));
    assert.deepEqual(read(cookie, { region: 'US-CA' }), state(purposes));
    for (const region of ['DE', 'US', null, undefined])
      assert.deepEqual(read(cookie, { region }), state({ ...purposes, statistics: false, support: false }));
    for (const damaged of [undefined, null, 'consent', ['consent']])
      assert.deepEqual(
        read(write(decide({ purposes, basis: damaged, region: 'US-CA' })), { region: 'US-CA' })?.purposes.marketing,
        false,
      );
  });

  test('respects Sec-GPC: an earlier consent no longer counts, but a later consent and a refusal do', () => {
    const ask = (value: object, signal: string) =>
      readConsent({ noticeId, headers: { cookie: write(value), 'sec-gpc': signal } });
    assert.equal(ask(decide(), '1'), null);
    assert.deepEqual(ask(decide({ signal: true }), '1'), granted);
    assert.deepEqual(ask(decide(refusal), '1'), refused);
    assert.deepEqual(ask(decide(), '0'), granted);
    // A repeated header is joined.
    assert.equal(ask(decide(), '1, 1'), null);
    const twice = { cookie: write(decide()), 'sec-gpc': ['1', '1'] };
    assert.equal(readConsent({ noticeId, headers: twice }), null);
  });

  test('needs no navigator', () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator') as PropertyDescriptor;
    Reflect.deleteProperty(globalThis, 'navigator');
    try {
      assert.deepEqual(read(write(decide())), granted);
    } finally {
      Object.defineProperty(globalThis, 'navigator', own);
    }
  });

  test('grants nothing if a withdrawal is dated ahead of the clock', () => {
    assert.equal(read([write(decide({}, 3)), write(decide(refusal, -0.01))].join('; ')), null);
    assert.deepEqual(read([write(decide(refusal, 3)), write(decide({}, -0.01))].join('; ')), refused);
  });

  test('finds no purpose without a decision, whatever its key', () => {
    const purposes = read(write(decide()))?.purposes ?? {};
    for (const name of ['constructor', 'toString', '__proto__']) assert.equal(purposes[name], undefined, name);
  });

  test('gets null for invalid arguments, and no exception', () => {
    const odd: readonly unknown[] = [
      null,
      {},
      { noticeId, headers: null },
      { noticeId: '\ud800', headers: { cookie: 'a=b' } },
      { noticeId, headers: { get: () => 1 } },
      {
        noticeId,
        headers: {
          get() {
            throw new Error('closed');
          },
        },
      },
    ];
    for (const question of odd) assert.equal(readConsent(question as Parameters<typeof readConsent>[0]), null);
  });

  test('logs an invalid age once, and uses the default', () => {
    const logged = mock.method(console, 'error', () => {});
    for (const _ of [1, 2]) assert.deepEqual(read(write(decide({}, 300)), { maxAge: -1 }), granted);
    assert.deepEqual(
      logged.mock.calls.map(({ arguments: [text] }) => text),
      ['<svc-consent>: maxAge: -1 is not understood. It must be a number of days above 0.'],
    );
    logged.mock.restore();
  });

  test('grants nothing for garbage, and throws nothing', () => {
    const name = write(0).split('=')[0];
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.anything().map(fc.stringify)),
        fc.boolean(),
        (text, isEncoded) => {
          assert.equal(read(`${name}=${isEncoded ? encodeURIComponent(text) : text}`), null);
        },
      ),
    );
  });

  test('reads the content of the cookie, whatever the keys of the purposes', () => {
    const purposes = fc.dictionary(fc.string({ minLength: 1 }), fc.boolean(), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(purposes, (given) => {
        assert.deepEqual({ ...read(write(decide({ decision: 'custom', purposes: given })))?.purposes }, given);
      }),
    );
  });

  test('gets a frozen result', () => {
    const found = read(write(decide()));
    assert.ok(Object.isFrozen(found) && Object.isFrozen(found?.purposes));
  });
});
