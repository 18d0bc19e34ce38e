import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readSite } from '../../accounts/authenticate.ts';
import { startTestServer } from '../harness.ts';

/** A request as a server on http reads it. */
function ask(headers: Readonly<Record<string, string>>, encrypted = false): IncomingMessage {
  return { headers: { host: 'localhost:8787', ...headers }, socket: { encrypted } } as unknown as IncomingMessage;
}

describe('the page that a request comes from', () => {
  test('is what the browser itself found out, whatever the Origin says', () => {
    for (const origin of ['http://localhost:8787', 'https://elsewhere.test', 'null']) {
      assert.equal(readSite(ask({ 'sec-fetch-site': 'same-origin', origin }), null), 'own');
      for (const site of ['same-site', 'cross-site', 'none', '', 'Same-Origin', 'same-origin, same-origin'])
        assert.equal(readSite(ask({ 'sec-fetch-site': site, origin }), null), 'foreign', site);
    }
  });

  test('is one of ours when its Origin is the address that was asked', () => {
    assert.equal(readSite(ask({ origin: 'http://localhost:8787' }), null), 'own');
    assert.equal(readSite(ask({ origin: 'https://localhost:8787' }, true), null), 'own');
  });

  test('is one of ours when its Origin is the public address, where one is set', () => {
    const baseUrl = 'https://privacy.example.com';
    assert.equal(readSite(ask({ origin: baseUrl }), baseUrl), 'own');
    // Behind a proxy the Host is no matter of ours, and may be made up.
    assert.equal(readSite(ask({ origin: 'http://localhost:8787' }), baseUrl), 'foreign');
  });

  test('is foreign with any other Origin, however near', () => {
    const near = [
      'https://localhost:8787',
      'http://localhost',
      'http://localhost:87870',
      'http://localhost:8787/',
      'http://localhost:8787.elsewhere.test',
      'http://sub.localhost:8787',
      'HTTP://LOCALHOST:8787',
      'localhost:8787',
      'null',
      '',
    ];
    for (const origin of near) assert.equal(readSite(ask({ origin }), null), 'foreign', origin);
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), fc.domain(), (scheme, domain) => {
        assert.equal(readSite(ask({ origin: `${scheme}://${domain}` }), 'https://privacy.example.com'), 'foreign');
      }),
    );
  });

  test('is not known where nothing is said, as programs do', () => {
    assert.equal(readSite(ask({}), null), 'unknown');
    assert.equal(readSite(ask({ referer: 'https://elsewhere.test/' }), 'https://privacy.example.com'), 'unknown');
  });

  test('must be one of ours for a change in a session', async () => {
    await using server = await startTestServer();
    const { Cookie = '' } = (await server.createMember()).session;
    const endSessions = async (headers: Readonly<Record<string, string>>) =>
      (await server.request('DELETE', '/v1/me/sessions', { headers: { Cookie, ...headers } })).status;
    const origins = [{}, { Origin: 'https://elsewhere.test' }, { Origin: server.url }];
    assert.deepEqual(await Promise.all(origins.map(endSessions)), [403, 403, 200]);
  });
});
