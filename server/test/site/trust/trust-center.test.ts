import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertIntact } from '../../accounts/keys/keys.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
} from '../../consent/helpers.ts';
import { testWithClient } from '../../svc.ts';
import { readPage, readWidget, TrustClient, trustCenter } from './helpers.ts';

const framework = { code: 'GDPR', achievedAt: '2026-03-01T00:00:00Z' };
const link = { label: 'Privacy policy', url: 'https://example.com/' };
const subprocessor = { name: 'Example Ltd', purpose: 'Mail', country: 'Ireland' };

describeServer('the trust center of a tenant', (server) => {
  const testWith = testWithClient(server, TrustClient);

  testWith('is empty and not published before anything was set', async (client) => {
    const { slug } = client.tenant;
    assert.deepEqual(await client.read(), {
      slug,
      name: slug,
      url: `${server.url}/trust/${slug}`,
      published: false,
      headline: null,
      description: null,
      contactEmail: null,
      securityContact: null,
      frameworks: [],
      links: [],
      subprocessors: [],
      showsProof: false,
      publishedAt: null,
      updatedAt: null,
      draft: null,
    });
  });

  testWith('is as it was put, and replaced whole: what is left out is emptied', async (client) => {
    const { slug: name } = client.tenant;
    const empty = await client.read();
    const now = server.clock.now();
    const dates = { announcedAt: now, endAnnouncedAt: null, changedAt: now };
    const subprocessors = trustCenter.subprocessors.map((one) => ({ ...one, ...dates }));
    const expected = { ...empty, ...trustCenter, name, subprocessors, publishedAt: now, updatedAt: now };
    assert.deepEqual(payload(await client.put(), 200), expected);
    assert.deepEqual(await client.read(), expected);
    const short = { published: true, headline: 'Short' };
    payload(await client.replace(short), 200);
    assert.deepEqual(await client.read(), { ...empty, ...short, publishedAt: now, updatedAt: now });
  });

  testWith(
    'has its times from its changes: published since it was published, updated when anything changes',
    async (client) => {
      payload(await client.put(), 200);
      let publishedAt: string | null = server.clock.now();
      for (const published of [true, false, true]) {
        server.clock.advance(1000);
        payload(await client.put({ published, headline: 'Other' }), 200);
        const updatedAt = server.clock.now();
        publishedAt = published ? (publishedAt ?? updatedAt) : null;
        const times = await client.read();
        assert.deepEqual([times.publishedAt, times.updatedAt], [publishedAt, updatedAt]);
      }
    },
  );

  testWith('is not written if nothing changes, in any order of its frameworks', async (client) => {
    payload(await client.put(), 200);
    const other = new TrustClient(server, await createFreshTenant(server));
    server.clock.advance(1000);
    await assertNothingWritten(server, async () => {
      for (const change of [
        {},
        { frameworks: trustCenter.frameworks.toReversed() },
        { headline: ` ${trustCenter.headline} `, securityContact: 'HTTPS://EXAMPLE.com:443/security' },
      ])
        payload(await client.put(change), 200);
      assert.equal(payload(await other.replace({ published: false }), 200).updatedAt, null);
    });
  });

  testWith('audits the names of changed fields and whether it is published, without values', async (client) => {
    for (const change of [{ published: false }, {}, { headline: 'Other', links: [] }, { links: [], published: false }])
      await client.put(change);
    const details = [];
    for (const { id, action, targetRef } of await client.readEvents()) {
      const { states, ...diff } = payload(await client.send('GET', `/v1/audit/${id}`), 200).diff;
      assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
      assert.equal(targetRef, client.tenant.slug);
      details.push([action, diff]);
    }
    assert.deepEqual(details, [
      ['trust_center.created', { fields: Object.keys(trustCenter).filter((name) => name !== 'published') }],
      ['trust_center.published', { published: { before: false, after: true } }],
      ['trust_center.edited', { fields: ['headline', 'links'] }],
      ['trust_center.edited', { fields: ['headline'] }],
      ['trust_center.unpublished', { published: { before: true, after: false } }],
    ]);
  });

  testWith('is one row after many changes at once, each in the log', async (client) => {
    const headlines = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(headlines.map((headline) => client.replace({ published: true, headline })));
    for (const { status } of answers) assert.equal(status, 200);
    const actions = (await client.readEvents()).map(({ action }) => action);
    assert.deepEqual(actions.sort(), [
      'trust_center.created',
      ...headlines.slice(1).map(() => 'trust_center.edited'),
      'trust_center.published',
    ]);
    await assertIntact(server);
  });

  testWith('belongs to its tenant only', async (client) => {
    const other = new TrustClient(server, await createFreshTenant(server));
    await client.put();
    await other.put({ headline: 'Another company' });
    await client.replace({ published: false });
    const { headline, published } = await other.read();
    assert.deepEqual([headline, published], ['Another company', true]);
  });

  // The schema of each field, its length and its kind of text are tested in http/every-field.test.ts.
  testWith('refuses unknown frameworks, what repeats, and an end that is not after the beginning', async (client) => {
    const again = { label: 'PRIVACY policy', url: 'https://example.com/other' };
    await assertBodiesRefused(server, (change) => client.put(change as object), [
      ...['gdpr', 'ISO9001', '', '__proto__', 'constructor', 'x'.repeat(65)].map(
        (code) => [{ frameworks: [framework, { ...framework, code }] }, 'body.frameworks.1.code'] as const,
      ),
      [{ frameworks: [framework, { ...framework, code: 'SOC2' }, framework] }, 'body.frameworks.2.code'],
      ...['2026-03-01T00:00:00Z', '2026-03-01T01:00:00+02:00', '2025-03-01T00:00:00Z'].map(
        (expiresAt) => [{ frameworks: [{ ...framework, expiresAt }] }, 'body.frameworks.0.expiresAt'] as const,
      ),
      [{ links: [link, again] }, 'body.links.1.label'],
      [{ subprocessors: [subprocessor, subprocessor] }, 'body.subprocessors.1'],
      [{ subprocessors: [subprocessor, { ...subprocessor, purpose: 'Backups' }] }, 'body.subprocessors.1'],
    ]);
    const expiresAt = '2026-03-01T00:00:00.001Z';
    payload(await client.put({ frameworks: [{ ...framework, expiresAt }] }), 200);
    const since = '2026-01-01T00:00:00Z';
    payload(await client.put({ subprocessors: [subprocessor, { ...subprocessor, since }] }), 200);
  });

  testWith(
    'takes markup, other scripts and the marks that they need, and the longest texts and lists',
    async (client) => {
      const headline = '<script>alert("1")</script> & שלום\u200F! مرحبا \u{1F512}';
      const data = payload(await client.put({ headline, description: 'One\r\ntwo\r\n\r\n\tthree' }), 200);
      assert.deepEqual([data.headline, data.description], [headline, 'One\ntwo\n\n\tthree']);
      const links = Array.from({ length: 20 }, (_, index) => ({ ...link, label: `Link ${index}` }));
      const subprocessors = Array.from({ length: 100 }, (_, index) => ({
        ...{ name: `${index}`.padEnd(120, 'a'), purpose: 'a'.repeat(240), country: 'a'.repeat(80) },
      }));
      const longest = { headline: 'a'.repeat(160), description: 'a'.repeat(4000), links };
      payload(await client.put(longest), 200);
      payload(await client.put({ subprocessors }), 200);
    },
  );
});

describeServer('If-Match on the trust center', (server) => {
  const testWith = testWithClient(server, TrustClient);

  testWith('replaces what the caller has seen, and answers the new tag', async (client) => {
    const tags = [await client.readTag()];
    for (const body of [
      { headline: 'One', published: false },
      { headline: 'One', published: true },
      { headline: 'Two', published: true },
    ]) {
      const answer = await client.replace(body, { 'If-Match': `"other", ${tags.at(-1)}` });
      assert.equal(payload(answer, 200).headline, body.headline);
      assert.equal(answer.headers.get('etag'), await client.readTag());
      tags.push(await client.readTag());
    }
    assert.equal(new Set(tags).size, tags.length);
    payload(await client.replace({ published: false }, { 'If-Match': '*' }), 200);
  });

  testWith('rejects a replacement after someone edited, published or unpublished it', async (client) => {
    for (const theirs of [{ headline: 'Theirs' }, { published: true }, {}]) {
      const seen = await client.readTag();
      const now = (await client.replace({ published: false, ...theirs })).headers.get('etag');
      await assertNothingWritten(server, async () => {
        for (const ifMatch of [seen, '', `W/${seen}`, `${now}x`, 'x'.repeat(8000)]) {
          const refused = await client.replace({ published: true, headline: 'Mine' }, { 'If-Match': ifMatch });
          assertProblem(refused, '409 trust_center_changed');
          assert.equal(refused.headers.get('etag'), now);
        }
      });
    }
  });

  testWith('lets a retry of an applied change through, and never answers 304', async (client) => {
    const seen = { 'If-Match': await client.readTag() };
    for (const _ of [1, 2]) payload(await client.replace({ published: false, headline: 'Mine' }, seen), 200);
    const headers = { 'If-None-Match': await client.readTag() };
    payload(await client.send('GET', '/v1/trust', undefined, { headers }), 200);
  });
});

describeServer('the draft of the trust center', (server) => {
  const { published: _, ...content } = trustCenter;
  const wanted = { ...content, headline: 'Next headline', subprocessors: [] };
  const testWith = testWithClient(server, TrustClient);
  const listActions = async (client: TrustClient) => (await client.readEvents()).map(({ action }) => action);

  testWith('changes nothing that is public, and ends when the trust center is replaced', async (client) => {
    await client.put();
    const { slug } = client.tenant;
    const [before, page, widget] = [await client.read(), await readPage(server, slug), await readWidget(server, slug)];
    server.clock.advance(60_000);
    const saved = payload(await client.saveDraft(wanted), 200);
    assert.deepEqual(saved, { ...before, draft: { ...wanted, updatedAt: server.clock.now() } });
    assert.deepEqual(await client.read(), saved);
    assert.equal((await readPage(server, slug)).text, page.text);
    assert.equal((await readWidget(server, slug)).text, widget.text);

    const { headline, draft } = payload(await client.replace({ published: true, ...wanted }), 200);
    assert.deepEqual([headline, draft], ['Next headline', null]);
    assert.deepEqual((await listActions(client)).slice(-2), ['trust_center.draft_saved', 'trust_center.edited']);
  });

  testWith('ends also when it is what is public already', async (client) => {
    await client.put();
    payload(await client.saveDraft(content), 200);
    assert.equal(payload(await client.put(), 200).draft, null);
  });

  testWith('can be saved before the first change, and discarded', async (client) => {
    assert.equal(payload(await client.discardDraft(), 200).draft, null);
    const { published, headline, draft } = payload(await client.saveDraft(wanted), 200);
    assert.deepEqual([published, headline, draft.headline], [false, null, 'Next headline']);
    assert.equal((await readPage(server, client.tenant.slug)).status, 404);
    assert.equal(payload(await client.discardDraft(), 200).draft, null);
    assert.deepEqual(await listActions(client), ['trust_center.draft_saved', 'trust_center.draft_discarded']);
  });

  testWith('writes nothing for the same draft, for none to discard, and for what breaks a rule', async (client) => {
    const other = new TrustClient(server, await createFreshTenant(server));
    await client.put();
    await client.saveDraft(wanted);
    const future = { code: 'GDPR', achievedAt: '2999-01-01T00:00:00.000Z' };
    await assertNothingWritten(server, async () => {
      payload(await client.saveDraft(wanted), 200);
      payload(await other.discardDraft(), 200);
      assertProblem(await client.saveDraft({ ...wanted, frameworks: [future] }), '422 validation_failed');
    });
  });

  testWith('is guarded by If-Match, as the trust center is after a draft was saved', async (client) => {
    await client.put();
    const seen = await client.readTag();
    const headers = { 'If-Match': seen };
    const { headers: answered } = await client.saveDraft(wanted, headers);
    assert.equal(answered.get('etag'), await client.readTag());
    assert.notEqual(await client.readTag(), seen);
    await assertNothingWritten(server, async () => {
      for (const refused of [
        await client.saveDraft({ headline: 'Mine' }, headers),
        await client.discardDraft(headers),
        await client.replace({ published: true, headline: 'Mine' }, headers),
      ])
        assertProblem(refused, '409 trust_center_changed');
    });
    payload(await client.discardDraft({ 'If-Match': await client.readTag() }), 200);
  });
});

describeServer(
  'the trust center behind a proxy',
  (server) => {
    test('is returned with the public address', async () => {
      const { url } = await new TrustClient(server, server.tenant).read();
      assert.equal(url, `https://trust.example.com/trust/${server.tenant.slug}`);
    });
  },
  { SVC_BASE_URL: 'https://trust.example.com' },
);
