import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HostCookie } from '../../../accounts/sign-in/session-store.ts';

const plain = new HostCookie('svc_session', false);
const secure = new HostCookie('svc_session', true);
/** Values of a token. */
const value = fc.stringMatching(/^[\w-]{1,64}$/);

describe('a host cookie', () => {
  test('is limited to https and to this host if the server uses https', () => {
    const attributes = '; Path=/; HttpOnly; SameSite=Lax';
    assert.equal(plain.write('value'), `svc_session=value${attributes}`);
    // Browsers accept the prefix only with Secure, with Path=/ and without Domain.
    assert.equal(secure.write('value'), `__Host-svc_session=value${attributes}; Secure`);
  });

  test('is a session cookie by default', () => {
    assert.doesNotMatch(secure.write('value'), /Max-Age|Expires/);
    assert.match(secure.write('value', 60), /^__Host-svc_session=value;.*; Max-Age=60$/);
    assert.match(plain.clear(), /^svc_session=;.*; Max-Age=0$/);
    assert.match(secure.clear(), /^__Host-svc_session=;.*; Max-Age=0$/);
  });

  test('is read unchanged, in any position among others', () => {
    const others = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), value).map((pair) => pair.join('=')));
    fc.assert(
      fc.property(fc.constantFrom(plain, secure), value, others, others, (cookie, token, before, after) => {
        const [pair = ''] = cookie.write(token).split(';');
        assert.equal(cookie.read([...before, pair, ...after].join('; ')), token);
        assert.equal(cookie.read([...before, pair, ...after].join(';')), token);
      }),
    );
  });

  test('is not confused with other cookies', () => {
    for (const header of [
      undefined,
      '',
      'svc_session',
      'xsvc_session=a',
      'svc_session2=a',
      'SVC_SESSION=a',
      'a=svc_session=b',
    ])
      assert.equal(plain.read(header), undefined, header);
    // On https a page of a neighbouring host can set the plain name, which is therefore ignored.
    assert.equal(secure.read('svc_session=a'), undefined);
    assert.equal(plain.read('__Host-svc_session=a'), undefined);
  });
});
