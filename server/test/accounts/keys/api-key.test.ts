import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isApiKey, keyEnvironments } from '../../../accounts/credentials.ts';
import { displayApiKey, generateApiKey } from '../../../accounts/keys/api-key.ts';
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
