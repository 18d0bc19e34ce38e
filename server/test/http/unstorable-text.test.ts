import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnEachDatabase, noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { assertInvalid, assertProblem } from './problems.ts';

const unicode = '\\u';

describeOnEachDatabase('text that a database cannot store', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  const create = (rawBody: string) => server.request('POST', '/v1/consent/notices', { rawBody });
  /** The body of a notice in which `mark` is replaced by other JSON text. */
  const withName = (text: string) => JSON.stringify({ ...noticeContent, name: 'mark' }).replace('mark', text);

  test('is rejected in a value of a body', async () => {
    for (const code of ['0000', 'd800', 'DBFF', 'dc00', 'DFFF']) {
      assertInvalid(await create(withName(`a${unicode}${code}b`)), 'body.name');
    }
    assertInvalid(await create(withName(`${unicode}dc00${unicode}d800`)), 'body.name');
  });

  test('is rejected in a key of a body', async () => {
    assertInvalid(await create(`{"a${unicode}0000":1}`), 'body.a\0');
    assertInvalid(await create(`{"a${unicode}d800":1}`), 'body.a\uFFFD');
  });

  test('is rejected wherever it is nested', async () => {
    const purposes = `[{"key":"a","label":"${unicode}0000","description":"","required":false}]`;
    const body = JSON.stringify({ ...noticeContent, purposes: 'mark' }).replace('"mark"', purposes);
    assertInvalid(await create(body), 'body.purposes.0.label');
  });

  test('does not include surrogate pairs, other control characters or escaped escapes', async () => {
    const names = [
      `${unicode}d83d${unicode}de00`,
      '😀',
      `${unicode}0001`,
      `${unicode}0009x`,
      `\\${unicode}0000`,
      `\\${unicode}d800`,
    ];
    for (const name of names) {
      const response = await create(withName(name));
      assert.equal(response.status, 201, name);
      assert.equal(response.body.data.name, JSON.parse(`"${name}"`).trim());
    }
  });

  test('includes the key __proto__, however it is written', async () => {
    for (const key of ['__proto__', `__proto${unicode}005f_`, `${unicode}005F_proto__`]) {
      assertInvalid(await create(`{"${key}":{"name":"x"}}`), 'body.__proto__');
      assertProblem(await create(`{"purposes":[{"${key}":null}]}`), 'validation_failed');
    }
    assert.equal(({} as { name?: string }).name, undefined);
  });

  test('is rejected in a query', async () => {
    assertInvalid(await server.request('GET', '/v1/audit?module=a%00'), 'query.module');
    assertInvalid(await server.request('GET', '/v1/consent?search=%00'), 'query.search');
    assertInvalid(await server.request('GET', '/v1/consent?domain=%00'), 'query.domain');
  });

  test('may be percent-encoded wrongly in a query', async () => {
    const broken = ['%', '%zz', '%c3', '%ff%fe', '%ed%a0%80', '%e0%80%80', '%u0041', '%25%30%30'];
    for (const text of broken) {
      const listed = await server.request('GET', `/v1/consent?search=${text}`);
      assert.equal(listed.status, 200, listed.text);
      assertInvalid(
        await server.request('GET', `/v1/consent?${text}`),
        `query.${new URLSearchParams(`${text}=`).keys().next().value}`,
      );
    }
  });
});
