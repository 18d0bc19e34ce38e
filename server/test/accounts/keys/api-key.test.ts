import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isApiKey, keyEnvironments } from '../../../accounts/credentials.ts';
import { displayApiKey, expiryAfter, generateApiKey, successorEnd } from '../../../accounts/keys/api-key.ts';
import { hashToken } from '../../../installation/token.ts';

const alphabet = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const key = fc.constantFrom(...keyEnvironments).map((environment) => generateApiKey(environment));
const prefixLength = 'svc_live_'.length;

describe('an API key', () => {
  test('has the form svc_<env>_<token>', () => {
    fc.assert(
      fc.property(key, (text) => {
        assert.match(text, /^svc_(live|test)_[0-9A-Za-z]+$/);
        assert.equal(text.length, prefixLength + 38);
        assert.ok(isApiKey(text));
      }),
    );
    assert.match(generateApiKey('live'), /^svc_live_/);
    assert.match(generateApiKey('test'), /^svc_test_/);
  });

  test('is another one each time', () => {
    assert.equal(new Set(Array.from({ length: 1000 }, () => generateApiKey('live'))).size, 1000);
  });

  test('uses the whole alphabet', () => {
    const used = new Set(Array.from({ length: 200 }, () => generateApiKey('live').slice(prefixLength, -6)).join(''));
    assert.equal(used.size, alphabet.length);
  });

  test('is recognised as mistyped when one character differs', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.constantFrom(...alphabet, '_', '-', ' ', 'é'), (text, at, other) => {
        const place = at % text.length;
        fc.pre(text[place] !== other);
        assert.ok(!isApiKey(text.slice(0, place) + other + text.slice(place + 1)));
      }),
      { numRuns: 2000 },
    );
  });

  test('is recognised as mistyped when two neighbours are swapped', () => {
    fc.assert(
      fc.property(key, fc.nat(), (text, at) => {
        const place = at % (text.length - 1);
        const [one, other] = [text[place], text[place + 1]];
        fc.pre(one !== other);
        assert.ok(!isApiKey(`${text.slice(0, place)}${other}${one}${text.slice(place + 2)}`));
      }),
      { numRuns: 2000 },
    );
  });

  test('is recognised as mistyped when something is left out, put in or put around it', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.constantFrom(...alphabet), (text, at, more) => {
        const place = at % text.length;
        assert.ok(!isApiKey(text.slice(0, place) + text.slice(place + 1)));
        assert.ok(!isApiKey(text.slice(0, place) + more + text.slice(place)));
      }),
    );
    const text = generateApiKey('live');
    for (const wrong of ['', ` ${text}`, `${text}\n`, text.toLowerCase(), text.replace('live', 'prod'), `x${text}`]) {
      assert.ok(!isApiKey(wrong), wrong);
    }
    assert.ok(!isApiKey(text.replace('live', 'test')));
  });

  test('is stored as a hash, and shown by four characters', () => {
    fc.assert(
      fc.property(key, (text) => {
        assert.match(hashToken(text), /^[0-9a-f]{64}$/);
        assert.equal(displayApiKey(text), text.slice(0, prefixLength + 4));
      }),
    );
  });
});

const range = { min: new Date('1970-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') };
const time = fc.date({ ...range, noInvalidDate: true }).map((date) => date.toISOString());

describe('the expiry of rotated keys', () => {
  test('the new key has the lifetime of the old one, up to the last year of four digits', () => {
    fc.assert(
      fc.property(time, time, time, (one, other, now) => {
        const [created_at, expires_at] = [one, other].sort() as [string, string];
        const end = successorEnd({ created_at, expires_at }, now) as string;
        assert.equal(end.length, now.length);
        assert.ok(end >= now);
        const lifetime = Date.parse(expires_at) - Date.parse(created_at);
        if (end !== range.max.toISOString()) assert.equal(Date.parse(end) - Date.parse(now), lifetime);
        else assert.ok(Date.parse(now) + lifetime >= range.max.getTime());
        assert.equal(successorEnd({ created_at, expires_at: null }, now), null);
      }),
    );
  });

  test('the old key expires with the overlap or its own expiry, whichever is first', () => {
    const early = fc.date({ ...range, max: new Date('9999-12-01T00:00:00.000Z'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.option(time), early, fc.integer({ min: 0, max: 168 }), (expires_at, date, hours) => {
        const overlap = new Date(date.getTime() + hours * 3_600_000).toISOString();
        const end = expiryAfter({ expires_at }, hours, date.toISOString());
        assert.equal(end, [overlap, expires_at ?? overlap].sort()[0]);
      }),
    );
  });
});
