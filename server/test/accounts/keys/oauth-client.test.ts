import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withClientCredentials } from '../../../accounts/keys/oauth.ts';
import { Problem } from '../../../http/problem.ts';

/** As in a form, where a space is a plus. */
const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

describe('the client credentials of a request', () => {
  test('are read from HTTP Basic as they were encoded', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (id, secret) => {
        const header = `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
        const form = withClientCredentials({ scope: 'x' }, header);
        assert.deepEqual(form, { scope: 'x', client_id: id, client_secret: secret });
      }),
    );
  });

  test('are nothing but a refusal for any other header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        assert.throws(
          () => withClientCredentials({}, `Basic ${header}:`),
          (error) => error instanceof Problem && error.code === 'invalid_client',
        );
      }),
    );
  });

  test('stay those of the form without a header', () => {
    const form = { client_id: 'a', client_secret: 'b' };
    assert.equal(withClientCredentials(form, undefined), form);
  });
});
