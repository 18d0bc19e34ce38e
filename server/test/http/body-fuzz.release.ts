import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Route } from '../../http/route.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { acceptedCall, join } from './route-samples.ts';
import { createScene } from './scene.ts';
import { assertErrorForm } from './surface-forms.ts';

const edges = [
  '',
  ' ',
  '\u0001',
  '\uFFFF',
  '\u202E',
  'a'.repeat(5000),
  2 ** 31,
  2 ** 53 - 1,
  -1,
  0.5,
  -0,
  [],
  {},
  null,
];
const anyValue = fc.oneof(
  fc.constantFrom(...edges),
  fc.jsonValue(),
  fc.maxSafeInteger(),
  fc.string({ unit: 'binary' }),
);
/** Text that is nearly JSON: valid text with characters inserted or removed. */
const nearlyJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ',', '{', ']', '"', '\\', '\\u0000', '\\ud800', '\0', '1e'),
  )
  .map(([text, at, cut, more]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + more + text.slice(start + cut);
  });

describeOnOneDatabase('any body at all', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  test('is accepted or rejected by every operation that writes, and never fails the server', async (context) => {
    for (const route of server.app.routes.filter(({ method }) => method !== 'GET')) {
      await context.test(`${route.method} ${route.path}`, () => feed(route));
    }
  });

  async function feed(route: Route): Promise<void> {
    const { path, request, credentials } = await acceptedCall(route, await createScene(server));
    const sample = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const fields = [...Object.keys(sample), ...Object.keys((route.body as { shape?: object } | null)?.shape ?? {})];
    const changed = fc
      .tuple(fc.constantFrom('surprise', ...fields), anyValue)
      .map(([name, value]) => JSON.stringify({ ...sample, [name]: value }));
    const bodies = fc.oneof({ arbitrary: changed, weight: 3 }, fc.json(), nearlyJson);
    const { body: _, rawBody: __, ...rest } = request;
    let attempt = 0;
    await fc.assert(
      fc.asyncProperty(bodies, async (rawBody) => {
        attempt += 1;
        const key = { headers: { 'Idempotency-Key': `${route.operationId}-${attempt}` } };
        const response = await server.request(route.method, path, { ...join(credentials, rest, key), rawBody });
        if (response.status === route.status) return;
        assertErrorForm(route, response);
        assert.ok(response.status < 500, response.text);
      }),
      { numRuns: 30 },
    );
  }
});
