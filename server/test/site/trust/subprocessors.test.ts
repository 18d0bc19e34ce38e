import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNothingWritten, describeServer, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { publishTrust, putTrust, readPage } from './helpers.ts';

const day = 24 * 60 * 60_000;

/** The texts of an element in a feed, in order. */
function listTexts(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}

describeServer('changes of the subprocessors', (server) => {
  const cloud = { name: 'Cloud', purpose: 'Servers', country: 'Germany' };
  const time = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
  const put = async (tenant: TestTenant, subprocessors: readonly object[], published = true) =>
    payload(await putTrust(server, tenant, { published, subprocessors }), 200).subprocessors;
  const readFeed = ({ slug }: TestTenant) => server.request('GET', `/trust/${slug}/subprocessors.atom`, { key: null });

  test('are dated when they become public, and keep that date', async () => {
    const tenant = await publishTrust(server, { published: false, subprocessors: [] });
    const since = time(30 * day);
    const draft = await put(tenant, [{ ...cloud, since }], false);
    const dates = { since, until: null, announcedAt: null, endAnnouncedAt: null, changedAt: null };
    assert.deepEqual(draft, [{ ...cloud, ...dates }]);
    server.clock.advance(day);
    const announcedAt = server.clock.now();
    assert.deepEqual(await put(tenant, [{ ...cloud, since }]), [
      { ...cloud, ...dates, announcedAt, changedAt: announcedAt },
    ]);
    server.clock.advance(day);
    await assertNothingWritten(server, () => put(tenant, [{ ...cloud, since }]));
    const until = time(60 * day);
    const [moved] = await put(tenant, [{ ...cloud, country: 'France', since, until }]);
    const now = server.clock.now();
    assert.deepEqual(moved, {
      ...cloud,
      country: 'France',
      ...{ since, until, announcedAt, endAnnouncedAt: now, changedAt: now },
    });
  });

  test('are listed on the page, where only who is in force is in the table', async () => {
    const tenant = await publishTrust(server, { subprocessors: [] });
    const [past, soon] = [time(-day), time(day)];
    await put(tenant, [
      { ...cloud, name: 'Old', until: past },
      { ...cloud, name: 'New', since: soon },
      { ...cloud, name: 'Now', since: past, until: soon },
      cloud,
    ]);
    const readRows = async () =>
      [...(await readPage(server, tenant.slug)).text.matchAll(/scope="row"><bdi>([^<]*)/g)].map(([, name]) => name);
    assert.deepEqual(await readRows(), ['Now', 'Cloud']);
    const { text } = await readPage(server, tenant.slug);
    const changes = [
      ...text.matchAll(/<li><time datetime="([^"]*)">[^<]*<\/time>: <strong><bdi>([^<]*)<\/bdi><\/strong>. (\w+)/g),
    ];
    assert.deepEqual(
      changes.map(([, at, name, what]) => [at, name, what]),
      [
        [soon, 'New', 'Starts'],
        [soon, 'Now', 'Ends'],
        [past, 'Old', 'Ended'],
        [past, 'Now', 'Added'],
      ],
    );
    server.clock.advance(day);
    assert.deepEqual(await readRows(), ['New', 'Cloud']);
    assert.ok(text.includes(`<link rel="alternate" type="application/atom+xml"`));
    await put(tenant, []);
    assert.ok(!(await readPage(server, tenant.slug)).text.includes('.atom'));
  });

  test('are a feed whose entries keep their ids, and whose times follow what changes', async () => {
    const tenant = await publishTrust(server, { subprocessors: [] });
    const since = time(30 * day);
    await put(tenant, [
      { ...cloud, since },
      { ...cloud, name: 'Undated' },
    ]);
    const announced = server.clock.now();
    const first = await readFeed(tenant);
    assert.equal(first.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const ids = listTexts(first.text, 'id');
    assert.equal(ids.length, 2);
    assert.equal(new Set(ids).size, 2);
    for (const id of ids)
      assert.match(id, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(listTexts(first.text, 'updated'), [announced, announced]);
    assert.deepEqual(listTexts(first.text, 'published'), [announced]);
    assert.deepEqual(listTexts(first.text, 'title'), [
      `Subprocessors of ${tenant.slug}`,
      `Added from ${since.slice(0, 10)}: Cloud`,
    ]);
    server.clock.advance(day);
    await put(tenant, [{ ...cloud, country: 'France', since, until: time(90 * day) }]);
    const now = server.clock.now();
    const { text } = await readFeed(tenant);
    const [feed, ended, added] = listTexts(text, 'id');
    assert.deepEqual([feed, added], ids);
    assert.equal(listTexts(text, 'title')[1], `Ends on ${time(90 * day).slice(0, 10)}: Cloud`);
    assert.ok(!ids.includes(ended as string));
    assert.deepEqual(listTexts(text, 'updated'), [now, now, now]);
    assert.deepEqual(listTexts(text, 'published'), [now, announced]);
  });

  test('are a feed that caches keep, and that is there only while the trust center is published', async () => {
    const tenant = await publishTrust(server);
    const { headers } = await readFeed(tenant);
    assert.equal(headers.get('cache-control'), 'public, max-age=300');
    await put(tenant, [], false);
    const hidden = await readFeed(tenant);
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, (await readPage(server, 'unknown')).text);
  });

  test('are a well-formed feed whatever the names are', async () => {
    const tenant = await publishTrust(server, { subprocessors: [] });
    const hostile = `]]> </title><script>&"' \uFFFF`;
    payload(
      await server.request('PATCH', '/v1/tenant', { key: tenant.key, body: { name: `${hostile}\u0001\u202E` } }),
      200,
    );
    await put(tenant, [{ name: hostile, purpose: hostile, country: hostile, since: time(0) }]);
    const { text } = await readFeed(tenant);
    for (const part of ['<script', '\u0001', '\uFFFF', '\u202E']) assert.ok(!text.includes(part));
    const escaped = ']]&gt; &lt;/title&gt;&lt;script&gt;&amp;&quot;&#39; ';
    assert.ok(text.includes(`<author><name>${escaped}</name></author>`), text);
    assert.ok(text.includes(`Purpose: ${escaped}.`));
  });

  test('must have an end after their start', async () => {
    const tenant = await publishTrust(server);
    const subprocessors = [{ ...cloud, since: time(day), until: time(day) }];
    const { status, body } = await putTrust(server, tenant, { published: true, subprocessors });
    assert.deepEqual([status, body.error.details[0].path], [422, 'body.subprocessors.0.until']);
  });
});
