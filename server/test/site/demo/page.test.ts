import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { writeDemoPage } from '../../../site/demo/page.ts';
import { seedDemo } from '../../../site/demo/seed.ts';
import { readWidget } from '../../../site/widgets/widget.ts';
import { type RequestOptions, startTestServer, type TestServer } from '../../harness.ts';
import { requestText, sendRaw } from '../../http/raw-socket.ts';

/** Starts a server with the demo tenant, which needs a database without tenants. */
async function startDemo(environment: Readonly<Record<string, string>> = {}) {
  const server = await startTestServer('sqlite', environment);
  const { kysely } = server.installation.database;
  await kysely.deleteFrom('api_keys').execute();
  await kysely.deleteFrom('chain_heads').execute();
  await kysely.deleteFrom('tenants').execute();
  const baseUrl = environment.SVC_BASE_URL ?? server.url.replace('127.0.0.1', 'localhost');
  const credentials = await seedDemo(server.installation, baseUrl);
  assert.ok(credentials);
  return { server, credentials, baseUrl };
}

describe('the demo page', () => {
  let server: TestServer;
  let credentials: Awaited<ReturnType<typeof startDemo>>['credentials'];
  let baseUrl: string;
  before(async () => {
    ({ server, credentials, baseUrl } = await startDemo());
  });
  after(() => server[Symbol.asyncDispose]());

  const open = (path: string, options: RequestOptions = {}) =>
    fetch(baseUrl + path, { redirect: 'manual', ...options } as RequestInit);
  const readPage = async () => (await open('/demo')).text();

  test('allows nothing inline and nothing from elsewhere', async () => {
    const response = await open('/demo');
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = new Map(
      (response.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values.join(' ')];
      }),
    );
    assert.equal(policy.get('default-src'), "'none'");
    for (const name of ['script-src', 'style-src', 'connect-src']) assert.equal(policy.get(name), "'self'");
    for (const name of ['base-uri', 'form-action', 'frame-ancestors']) assert.equal(policy.get(name), "'none'");
    assert.doesNotMatch([...policy.values()].join(' '), /unsafe|\*/);
    const page = await response.text();
    assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=|javascript:/i);
    for (const [, attributes = ''] of page.matchAll(/<script([^>]*)>/g)) assert.match(attributes, /src="/);
  });

  test('carries the pinned script with the integrity of what is served', async () => {
    const page = await readPage();
    const tag = /<script src="([^"]+)" integrity="(sha384-[^"]+)" crossorigin="anonymous" defer><\/script>/.exec(page);
    assert.ok(tag, page);
    const [, source = '', integrity] = tag;
    assert.match(source, /\/widgets\/svc-consent\/[\w.-]+\/svc-consent\.js$/);
    assert.ok(source.startsWith(`${baseUrl}/`));
    const script = Buffer.from(await (await fetch(source)).arrayBuffer());
    assert.equal(`sha384-${hash('sha384', script, 'base64')}`, integrity);
  });

  test('shows the banner of the demo notice, which this page may use', async () => {
    const page = await readPage();
    assert.ok(page.includes(`<svc-consent notice-id="${credentials.noticeId}" api-base="${baseUrl}"></svc-consent>`));
    const notice = await (await open(`/v1/public/consent/${credentials.noticeId}`)).json();
    assert.equal(notice.data.domain, 'localhost');
    const captured = await fetch(`${baseUrl}/v1/public/consent/${credentials.noticeId}/records`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: baseUrl },
      body: JSON.stringify({ subjectId: 'v', purposes: { necessary: true, analytics: true, marketing: false } }),
    });
    assert.equal(captured.status, 201);
  });

  test('shows no secret', async () => {
    assert.ok(!(await readPage()).includes(credentials.apiKey));
  });

  test('shows its tag as text', async () => {
    const page = await readPage();
    assert.ok(page.includes('&lt;script src=&quot;'));
    assert.ok(page.includes('&lt;svc-consent notice-id=&quot;'));
  });

  test('shows the trust badge of the demo tenant in several variants, each a plain link until its script runs', async () => {
    const page = await readPage();
    const badges = [...page.matchAll(/<svc-trust-badge tenant="demo" api-base="([^"]+)" variant="(\w+)"/g)];
    assert.deepEqual(
      badges.map(([, , variant]) => variant),
      ['compact', 'status', 'card', 'floating'],
    );
    for (const [, base] of badges) assert.equal(base, baseUrl);
    assert.equal(page.split(`<a href="${baseUrl}/trust/demo">Trust center</a></svc-trust-badge>`).length, 5);
    assert.ok(page.includes('&lt;svc-trust-badge tenant=&quot;demo&quot;'), 'the tag to paste');
    const source = /<script src="([^"]+svc-trust-badge\.js)" integrity="(sha384-[^"]+)"/.exec(page);
    const script = Buffer.from(await (await fetch(source?.[1] ?? '')).arrayBuffer());
    assert.equal(`sha384-${hash('sha384', script, 'base64')}`, source?.[2]);
  });

  test('is without the badge where that was not built', async () => {
    const banner = readWidget('consent-banner');
    assert.ok(banner);
    const page = writeDemoPage({ banner, badge: undefined, noticeId: 'x', slug: 'demo', baseUrl });
    assert.doesNotMatch(page, /trust/);
    assert.match(page, /<svc-consent notice-id="x"/);
  });

  test('has its style and its script beside it', async () => {
    for (const [path, type] of [
      ['/demo/demo.css', 'text/css'],
      ['/demo/demo.js', 'text/javascript'],
    ] as const) {
      const response = await open(path);
      assert.equal(response.status, 200);
      assert.ok(response.headers.get('content-type')?.startsWith(type));
    }
    for (const path of [
      '/demo/page.ts',
      '/demo/seed.ts',
      '/demo/',
      '/demo/../settings.ts',
      '/demo/%2e%2e/settings.ts',
    ]) {
      const [answer] = await sendRaw(server, requestText('GET', path));
      assert.equal(answer?.status, 404, path);
    }
  });

  test('is where the front door leads, under the name that the notice belongs to', async () => {
    for (const url of [`${baseUrl}/`, `${server.url}/`, `${server.url}/demo`]) {
      const response = await fetch(url, { redirect: 'manual' });
      assert.equal(response.status, 302);
      assert.equal(response.headers.get('location'), `${baseUrl}/demo`);
    }
  });

  test('does not repeat what a client writes into its headers', async () => {
    const hostile = '"><script>alert(1)</script>';
    const [answer] = await sendRaw(server, requestText('GET', '/demo?<script>', { Host: hostile, Referer: hostile }));
    assert.ok(!answer?.text.includes('alert(1)'));
    assert.ok(!answer?.headers.get('location')?.includes('alert'));
  });
});

describe('the demo page behind a proxy', () => {
  test('names the public address', async () => {
    const { server, baseUrl } = await startDemo({ SVC_BASE_URL: 'https://privacy.example.com' });
    await using _ = server;
    const page = await server.request('GET', '/demo', { key: null });
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`api-base="${baseUrl}"`));
    assert.ok(!page.text.includes('http://'));
    const front = await server.request('GET', '/', { key: null });
    assert.equal(front.headers.get('location'), `${baseUrl}/demo`);
  });
});
