import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { requestText, sendRaw } from '../../http/raw-socket.ts';
import { publishTrust, putTrust, readPage, trustCenter } from './helpers.ts';

/** The tags of a page by name, each with its attributes as they are written. */
function listTags(page: string, name: string): readonly string[] {
  return [...page.matchAll(new RegExp(`<${name}(?=[\\s>])([^>]*)>`, 'g'))].map(([, attributes = '']) => attributes);
}

describeServer('the trust page', (server) => {
  test('says all that was published, each in its place', async () => {
    const { slug } = await publishTrust(server);
    const page = await readPage(server, slug);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    for (const text of [
      `<h1><bdi>${slug}</bdi></h1>`,
      `<title>${slug} · Trust center</title>`,
      '<p class="lead" dir="auto">Your data is safe with us</p>',
      '>First paragraph.</p>',
      '>Second paragraph.</p>',
      '<h3>GDPR</h3>',
      '<time datetime="2026-03-01T00:00:00.000Z">1 March 2026</time>',
      '<time datetime="2027-03-01T00:00:00.000Z">1 March 2027</time>',
      'href="https://example.com/report.pdf"',
      '<h3>SOC 2</h3>',
      'no auditor&#39;s report is implied',
      'It is no SOC 2 report',
      'href="https://example.com/privacy"',
      'href="https://status.example.com/"',
      '<bdi>Example Cloud GmbH</bdi>',
      '<bdi>Servers</bdi>',
      '<bdi>Germany</bdi>',
      'href="mailto:privacy@example.com"',
      'href="https://example.com/security"',
      `href="/v1/public/trust/${slug}/widget"`,
      `<time datetime="${server.clock.now()}">21 November 2026, 12:00 UTC</time>`,
      'Published with Svc',
    ])
      assert.ok(page.text.includes(text), text);
  });

  test('leaves out every section that would be empty', async () => {
    const tenant = await publishTrust(server);
    await putTrust(server, tenant, { published: true });
    const { text } = await readPage(server, tenant.slug);
    const headings = [...text.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, heading]) => heading);
    assert.deepEqual(headings, ['How this page can be checked']);
    assert.doesNotMatch(text, /null|undefined|<ul|<table|class="lead"/);
  });

  test('has no script, nothing inline and nothing from elsewhere, and a policy that allows none', async () => {
    const { slug } = await publishTrust(server);
    for (const path of [slug, 'unknown']) {
      const { headers, text } = await readPage(server, path);
      const directives = (headers.get('content-security-policy') ?? '').split('; ');
      assert.deepEqual(directives, [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.doesNotMatch(text, /<script|<style|<iframe|<form|\sstyle=|\son\w+=|javascript:/i);
      for (const attributes of listTags(text, 'link')) assert.match(attributes, /href="(\/|data:,")/);
    }
  });

  test('leads elsewhere without telling from where, and says where to', async () => {
    const { slug } = await publishTrust(server);
    const { text } = await readPage(server, slug);
    const links = [...text.matchAll(/<a [^>]*href="(https?:[^"]*)"([^>]*)>(.*?)<\/a>/g)];
    assert.equal(links.length, 4);
    for (const [, href = '', attributes, content = ''] of links) {
      assert.equal(attributes, ' rel="noopener noreferrer nofollow"');
      assert.ok(content.includes(`<bdi>${new URL(href).host}</bdi>`), content);
    }
  });

  test('shows hostile names and texts as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>"\'&amp;</title><script>alert(2)</script>';
    const tenant = await publishTrust(server, { published: false });
    await server.request('PATCH', '/v1/tenant', { key: tenant.key, body: { name: `${hostile}\u202E` } });
    const put = await putTrust(server, tenant, {
      ...trustCenter,
      headline: hostile,
      description: `${hostile}\n\n${hostile}`,
      links: [{ label: hostile, url: `https://example.com/?q="><script>alert(3)</script>&a=b` }],
      subprocessors: [{ name: hostile, purpose: hostile, country: hostile.slice(0, 80) }],
      contactEmail: "a&b?cc=d'e@example.com",
    });
    assert.equal(put.status, 200, put.text);
    const plain = await publishTrust(server, { description: 'a\n\nb', links: trustCenter.links.slice(0, 1) });
    const { text } = await readPage(server, tenant.slug);
    assert.doesNotMatch(text, /<script|<img/i);
    assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;&lt;/title&gt;&lt;script&gt;'));
    assert.ok(text.includes('href="mailto:a%26b%3Fcc%3Dd&#39;e@example.com"'), 'no further fields of a message');
    // Whatever the texts are, the page has the same tags.
    const shape = (page: string) => page.match(/<\/?[a-z][a-z0-9]*/g);
    assert.deepEqual(shape(text), shape((await readPage(server, plain.slug)).text));
    assert.doesNotMatch(text.slice(0, text.indexOf('<body>')), /\u202E/, 'a title that is not turned round');
    for (const { index } of text.matchAll(/\u202E/g))
      assert.ok(text.lastIndexOf('<bdi>', index) > text.lastIndexOf('</bdi>', index), 'a name that stays in its place');
  });

  test('shows no link for an invalid address in the database', async () => {
    const tenant = await publishTrust(server, { links: [{ label: 'Here', url: 'https://example.com/here' }] });
    const { kysely } = server.installation.database;
    const rows = () => kysely.selectFrom('trust_centers').select('content').where('tenant_id', '=', tenant.id);
    const { content } = await rows().executeTakeFirstOrThrow();
    const changed = content.replace('https://example.com/here', 'javascript:alert(1)');
    assert.notEqual(changed, content);
    await kysely.updateTable('trust_centers').set({ content: changed }).where('tenant_id', '=', tenant.id).execute();
    const { text } = await readPage(server, tenant.slug);
    assert.ok(text.includes('<bdi>Here</bdi>'));
    assert.doesNotMatch(text, /javascript:/);
    await kysely.updateTable('trust_centers').set({ content }).where('tenant_id', '=', tenant.id).execute();
  });

  test('shows the latest signed checkpoint of the audit log where the tenant wants it, as it was signed', async () => {
    const tenant = await publishTrust(server);
    const quiet = await publishTrust(server, { showsProof: false });
    assert.doesNotMatch((await readPage(server, tenant.slug)).text, /<pre>/, 'before there is one');
    const sign = async ({ key }: typeof tenant) =>
      (await server.request('POST', '/v1/ledgers/audit/checkpoints', { key })).body.data;
    await sign(quiet);
    const { note } = await sign(tenant);
    // The page is cached for a second, or until the next change.
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other' });
    const { text } = await readPage(server, tenant.slug);
    const shown = /<pre>([^<]*)<\/pre>/.exec(text)?.[1];
    assert.equal(shown, note);
    assert.match(text, /href="\/\.well-known\/svc-ledger-key"/);
    assert.equal((await server.request('GET', '/.well-known/svc-ledger-key', { key: null })).status, 200);
    assert.doesNotMatch((await readPage(server, quiet.slug)).text, /<pre>|svc-ledger-key/);
  });

  test('is the same page for what is unknown, not published, or no slug', async () => {
    const draft = await publishTrust(server, { published: false });
    const taken = await publishTrust(server);
    assert.equal((await readPage(server, taken.slug)).status, 200);
    await putTrust(server, taken, { ...trustCenter, published: false });
    const unknown = await readPage(server, 'unknown');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(unknown.text, /<h1>No trust center here<\/h1>/);
    const shared = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => !['svc-request-id', 'date'].includes(name));
    const odd = [taken.slug.toUpperCase(), taken.id, '%00', '%', '__proto__', 'a/b', 'x'.repeat(5000)];
    for (const slug of [draft.slug, taken.slug, ...odd]) {
      const response = await readPage(server, slug);
      assert.deepEqual([response.status, response.text], [404, unknown.text], slug);
      assert.deepEqual(shared(response), shared(unknown));
    }
    const [bare] = await sendRaw(server, requestText('GET', '/trust'));
    assert.equal(bare?.status, 404);
  });

  test('sends who ends the address with a slash to the one without, on this server', async () => {
    const { slug } = await publishTrust(server);
    const targets = {
      [`/trust/${slug}/`]: `/trust/${slug}`,
      [`/trust/${slug}//`]: `/trust/${slug}`,
      '/trust/': '/trust',
    };
    const strange = { '/trust//evil.test/': '/trust//evil.test', '/trust/\\evil.test/': '/trust/\\evil.test' };
    for (const [path, target] of Object.entries({ ...targets, ...strange })) {
      const [answer] = await sendRaw(server, requestText('GET', path));
      assert.deepEqual([answer?.status, answer?.headers.get('location')], [301, target], path);
    }
  });

  test('has its style beside it, which may be kept for good under the address that the page names', async () => {
    const { slug } = await publishTrust(server);
    const [attributes = ''] = listTags((await readPage(server, slug)).text, 'link').filter((link) =>
      link.includes('stylesheet'),
    );
    const path = /href="([^"]+)"/.exec(attributes)?.[1] ?? '';
    assert.match(path, /^\/trust\/trust\.css\?v=[0-9a-f]{16}$/);
    const style = await server.request('GET', path, { key: null });
    assert.equal(style.status, 200);
    assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.match(style.headers.get('cache-control') ?? '', /immutable/);
    const other = await server.request('GET', '/trust/trust.css?v=0', { key: null });
    assert.deepEqual([other.text, other.headers.get('cache-control')], [style.text, 'no-cache']);
    for (const file of ['page.ts', '..%2fsettings.ts', '../settings.ts']) {
      const [answer] = await sendRaw(server, requestText('GET', `/trust/${file}`));
      assert.equal(answer?.status, 404, file);
    }
  });

  test('names no address that a client made up', async () => {
    const { slug } = await publishTrust(server);
    const [answer] = await sendRaw(server, requestText('GET', `/trust/${slug}`, { Host: 'evil.test' }));
    assert.equal(answer?.status, 200);
    assert.doesNotMatch(answer?.text ?? '', /evil\.test|canonical|og:url/);
  });
});

describeServer(
  'the trust page of a server with a public address',
  (server) => {
    test('names its one address to search engines and to those who show links', async () => {
      const { slug } = await publishTrust(server);
      const { text } = await readPage(server, slug);
      const address = `https://trust.example.com/trust/${slug}`;
      assert.ok(text.includes(`<link rel="canonical" href="${address}">`));
      assert.ok(text.includes(`<meta property="og:url" content="${address}">`));
      assert.ok(text.includes(`<meta property="og:title" content="${slug} · Trust center">`));
      assert.ok(text.includes('<meta property="og:description" content="Your data is safe with us">'));
      assert.doesNotMatch((await readPage(server, 'unknown')).text, /canonical|og:url/);
    });
  },
  { SVC_BASE_URL: 'https://trust.example.com' },
);
