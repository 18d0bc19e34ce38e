import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteUnconfirmed, forgetFormUses } from '../../privacy/form-store.ts';
import { assertIntact } from '../accounts/keys/keys.ts';
import {
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
} from '../consent/helpers.ts';
import { readAllPages } from '../ledger/audit/audit-trail.ts';
import { assertAbsent, needle } from '../needle.ts';
import { testWithClient } from '../svc.ts';
import { day, hour, PrivacyClient, shift } from './requests.ts';

describeServerOnEachDatabase(
  'the form for data-subject requests',
  (server) => {
    const testWith = testWithClient(server, PrivacyClient);
    const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));
    const from = (last: number) => ({ 'X-Forwarded-For': `198.51.100.${last}` });
    const createLink = (client: PrivacyClient, id: string) => client.send('POST', `/v1/dsr/${id}/confirmation-link`);
    const confirm = (token: unknown) =>
      server.request('POST', '/v1/public/dsr-confirmations', { key: null, body: { token } });
    const getPage = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      server.request('GET', path, { key: null, headers });

    testWith('is off until the tenant turns it on, and looks like none then', async (client) => {
      const { tenant } = client;
      const body = { type: 'access', email: 'ada@example.com' };
      const post = (slug: string) => server.request('POST', `/v1/public/dsr/${slug}`, { key: null, body });
      for (const slug of [tenant.slug, 'no-such-tenant', '%00', 'A'.repeat(500)]) {
        await assertNothingWritten(server, async () => assertProblem(await post(slug), '404 not_found'));
        assert.equal((await getPage(`/privacy/${slug}/request`)).status, 404);
      }
      await client.submitted();
      assert.equal((await getPage(`/privacy/${tenant.slug}/request`)).status, 200);
      await assertNothingWritten(server, async () => assertProblem(await post(tenant.id), '404 not_found'));
      payload(await client.send('PATCH', '/v1/tenant', { dsrForm: false }), 200);
      await assertNothingWritten(server, async () => assertProblem(await post(tenant.slug), '404 not_found'));
    });

    testWith(
      'opens a request whose clock runs from the receipt, without personal texts in the audit log',
      async (client) => {
        await client.chooseDays(28);
        const now = server.clock.now();
        const [ada, byron, year] = [needle('ada'), needle('byron'), needle('year')];
        const texts = { name: `Ada <b>${byron}</b>`, message: `<script>alert(1)</script>\nMy account of ${year}.` };
        const { reference, ...rest } = await client.submitted({
          type: 'erasure',
          email: ` ${ada.toUpperCase()}@Example.COM`,
          ...texts,
        });
        assert.deepEqual(rest, { receivedAt: now, dueAt: shift(now, 28 * day) });
        const dsr = await client.read('dsr', reference);
        assert.deepEqual(
          [dsr.source, dsr.status, dsr.channel, dsr.subjectId, dsr.requesterEmail, dsr.requesterName, dsr.message],
          ['public', 'open', 'web', `${ada}@example.com`, `${ada}@example.com`, texts.name, texts.message],
        );
        assert.deepEqual([dsr.confirmedAt, dsr.identityCheck, dsr.notes], [null, null, null]);
        const { events } = await readAllPages(server, { module: 'privacy' }, { key: client.tenant.key });
        assert.deepEqual(
          events.map(({ action, actorType }) => [action, actorType]),
          [['dsr.created', 'system']],
        );
        const { text, body } = await client.send('GET', `/v1/audit/${events[0]?.id}`);
        assert.deepEqual([body.data.ip, body.data.userAgent], [null, null]);
        assertAbsent(text, ada, byron, year);
      },
    );

    testWith('says the same of a person who is known and of one who is not', async (client) => {
      await client.opened({ subjectId: 'known@example.com' });
      const [known, unknown] = [
        await client.submitted({ email: 'known@example.com' }),
        await client.submitted({ email: 'unknown@example.com' }),
      ];
      assert.deepEqual({ ...known, reference: '' }, { ...unknown, reference: '' });
    });

    test('takes five requests an hour from an address, and stores no address', async () => {
      const [client, other] = [await createClient(), await createClient()];
      for (let count = 0; count < 5; count += 1) await client.submitted({}, from(1));
      await assertNothingWritten(server, async () => {
        const refused = await client.submit({}, from(1));
        assertProblem(refused, '429 rate_limited');
        assert.equal(refused.headers.get('retry-after'), '3600');
      });
      await client.submitted({}, from(2));
      await other.submitted({}, from(1));
      server.clock.advance(hour - 1);
      assert.equal((await client.submit({}, from(1))).headers.get('retry-after'), '1');
      server.clock.advance(1);
      await client.submitted({}, from(1));
      const { kysely } = server.installation.database;
      const uses = () => kysely.selectFrom('dsr_form_uses').selectAll().execute();
      assert.ok(!JSON.stringify(await uses()).includes('198.51.100'));
      await forgetFormUses(kysely, shift(server.clock.now(), day));
      assert.deepEqual(await uses(), []);
    });

    testWith('takes twenty requests an hour from an IPv6 site, and others meanwhile', async (client) => {
      const statuses: number[] = [];
      for (let network = 0; network < 40; network += 1)
        statuses.push((await client.submit({}, { 'X-Forwarded-For': `2001:db8:7:${network}::1` })).status);
      assert.deepEqual(statuses, [...Array(20).fill(201), ...Array(20).fill(429)]);
      for (const address of ['2001:db8:8::1', '198.51.100.1'])
        await client.submitted({}, { 'X-Forwarded-For': address });
    });

    testWith(
      'keeps requests for sites, and more for networks, that have sent none, and is never closed for longer than an hour',
      async (client) => {
        const submit = (address: string) => client.submit({}, { 'X-Forwarded-For': address });
        const sites = Array.from({ length: 20 }, (_, index) => `198.51.100.${index + 1}`);
        for (const site of sites)
          for (let count = 0; count < 4; count += 1) assert.equal((await submit(site)).status, 201);
        // With these, a hundred.
        for (const site of sites) assert.equal((await submit(site.replace('51.100', '51.101'))).status, 201);
        await assertNothingWritten(server, async () => {
          const refused = await submit('198.51.100.1');
          assertProblem(refused, '429 rate_limited');
          assert.equal(refused.headers.get('retry-after'), '3600');
        });
        assert.equal((await submit('198.51.100.200')).status, 201);
        const { kysely } = server.installation.database;
        const [use] = await kysely
          .selectFrom('dsr_form_uses')
          .selectAll()
          .where('tenant_id', '=', client.tenant.id)
          .execute();
        assert.ok(use);
        const fill = (count: number, from: number) =>
          kysely
            .insertInto('dsr_form_uses')
            .values(
              Array.from({ length: count }, (_, index) => {
                const name = `hash ${from + index}`;
                return { ...use, id: `${client.tenant.id} ${name}`, client: name, site: name };
              }),
            )
            .execute();
        await fill(99, 0);
        assertProblem(await submit('198.51.100.201'), '429 rate_limited');
        for (const address of ['203.0.113.1', '2001:db8::1']) assert.equal((await submit(address)).status, 201);
        assertProblem(await submit('203.0.113.2'), '429 rate_limited');
        await fill(98, 99);
        const refused = await submit('192.0.2.1');
        assertProblem(refused, '429 rate_limited');
        assert.ok(Number(refused.headers.get('retry-after')) <= 3600);
        server.clock.advance(hour);
        assert.equal((await submit('198.51.100.1')).status, 201);
      },
    );

    testWith('is not sent by pages of other sites, with scripts or without', async (client) => {
      await client.submitted({}, from(30));
      const { slug } = client.tenant;
      const fields = { type: 'access', email: 'ada@example.com' };
      const own = server.url;
      const foreign = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'none' },
        { 'Sec-Fetch-Site': 'cross-site', Origin: own },
        { Origin: 'https://other.example' },
        { Origin: 'null' },
        { Origin: `${own}.other.example` },
      ];
      const send = (headers: Readonly<Record<string, string>>) =>
        server.request('POST', `/privacy/${slug}/request`, {
          key: null,
          rawBody: new URLSearchParams(fields).toString(),
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...from(31), ...headers },
        });
      const { token } = payload(await createLink(client, (await client.submitted({}, from(32))).reference));
      await assertNothingWritten(server, async () => {
        for (const headers of foreign) {
          const page = await send(headers);
          assert.equal(page.status, 403, JSON.stringify(headers));
          assert.match(page.text, /role="alert" id="failure">This did not work/);
          assert.ok(!page.text.includes('ada@example.com'));
          assertProblem(await client.submit({}, { ...from(31), ...headers }), '403 forbidden');
          const confirmed = await server.request('POST', '/v1/public/dsr-confirmations', {
            key: null,
            body: { token },
            headers,
          });
          assertProblem(confirmed, '403 forbidden');
        }
      });
      for (const headers of [{ 'Sec-Fetch-Site': 'same-origin' }, { Origin: own }])
        assert.equal((await send(headers)).status, 200);
    });

    test('confirms an address once, with the latest link, within fourteen days', async () => {
      const [client, stranger] = [await createClient(), await createClient()];
      const { reference } = await client.submitted();
      assertProblem(await createLink(stranger, reference), '404 not_found');
      const first = payload(await createLink(client, reference));
      const { token, expiresAt } = payload(await createLink(client, reference));
      assert.equal(expiresAt, shift(server.clock.now(), 14 * day));
      assert.ok(!JSON.stringify(await client.read('dsr', reference)).includes(token));
      for (const wrong of [first.token, 'svc_confirm_', token.replace('confirm', 'reset'), '']) {
        await assertNothingWritten(server, async () => assertProblem(await confirm(wrong), '404 not_found'));
      }
      server.clock.advance(14 * day - 1);
      const now = server.clock.now();
      assert.deepEqual(payload(await confirm(token), 200), { confirmedAt: now });
      const { confirmedAt, status } = await client.read('dsr', reference);
      assert.deepEqual([confirmedAt, status], [now, 'open']);
      assertProblem(await confirm(token), '404 not_found');
      assertProblem(await createLink(client, reference), '409 conflict');
      const { events } = await readAllPages(server, { module: 'privacy' }, { key: client.tenant.key });
      assert.deepEqual(events.map(({ action }) => action).sort(), [
        'dsr.address_confirmed',
        'dsr.confirmation_link_created',
        'dsr.confirmation_link_created',
        'dsr.created',
      ]);
      await assertIntact(server);
    });

    testWith('ends a link with its time and with its request', async (client) => {
      const [late, done] = [await client.submitted(), await client.submitted()];
      const { token } = payload(await createLink(client, late.reference));
      server.clock.advance(14 * day);
      assertProblem(await confirm(token), '404 not_found');
      const { token: other } = payload(await createLink(client, done.reference));
      payload(await client.complete(done.reference), 200);
      assertProblem(await confirm(other), '404 not_found');
      assertProblem(await createLink(client, done.reference), '409 dsr_already_completed');
      assertProblem(await createLink(client, (await client.opened()).id), '409 conflict');
    });

    testWith('has a subject that members can set, without its text in the audit log', async (client) => {
      const { reference } = await client.submitted();
      const customer = needle('customer');
      const edited = payload(await client.editDsr(reference, { subjectId: customer }), 200);
      assert.deepEqual([edited.subjectId, edited.requesterEmail], [customer, 'ada@example.com']);
      const { events } = await readAllPages(server, { module: 'privacy' }, { key: client.tenant.key });
      const { text } = await client.send(
        'GET',
        `/v1/audit/${events.find(({ action }) => action === 'dsr.edited')?.id}`,
      );
      assert.ok(text.includes('"changed":["subjectId"]'));
      assertAbsent(text, customer);
    });

    testWith('is a page in three languages, with a strict policy and escaped names', async (client) => {
      await client.chooseDays(45);
      await client.submitted();
      await client.send('PATCH', '/v1/tenant', { name: '<b>Acme</b> "x"' });
      const path = `/privacy/${client.tenant.slug}/request`;
      const titles = { en: 'within 45 days', de: 'innerhalb von 45 Tagen', fr: 'dans les 45 jours' };
      for (const [language, due] of Object.entries(titles)) {
        for (const page of [
          await getPage(`${path}?language=${language}`, { 'Accept-Language': 'xx' }),
          await getPage(path, { 'Accept-Language': `${language}-CH, en;q=0.1` }),
        ]) {
          assert.ok(page.text.includes(`<html lang="${language}">`) && page.text.includes(due), language);
          assert.ok(page.text.includes('&lt;b&gt;Acme&lt;/b&gt;') && !page.text.includes('<b>'));
          const policy = page.headers.get('content-security-policy') ?? '';
          assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
          assert.ok(!policy.includes('unsafe'));
          assert.equal(page.headers.get('referrer-policy'), 'same-origin');
        }
      }
      assert.match((await getPage(`${path}?language=xx`)).text, /<html lang="en">/);
      const put = await server.request('PUT', path, { key: null });
      assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST']);
      assert.equal((await server.request('POST', '/privacy/confirm', { key: null })).status, 405);
      assert.match((await getPage('/privacy/confirm?language=fr')).text, /Confirmez votre adresse/);
    });

    testWith('names the contact address of the trust center', async (client) => {
      await client.submitted();
      const path = `/privacy/${client.tenant.slug}/request`;
      assert.ok(!(await getPage(path)).text.includes('privacy@example.com'));
      payload(await client.send('PUT', '/v1/trust', { published: true, contactEmail: 'privacy@example.com' }), 200);
      assert.match((await getPage(path)).text, /<p>You can also write to privacy@example\.com\.<\/p>/);
    });

    const sendForm = async (slug: string, fields: Readonly<Record<string, string>>, from = '198.51.100.77') => {
      const headers = { 'X-Forwarded-For': from };
      const answer = await fetch(`${server.url}/privacy/${slug}/request`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ type: '', email: '', name: '', message: '', ...fields }),
      });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    };

    testWith('takes what a browser without JavaScript sends, and answers with a page', async (client) => {
      const { slug } = client.tenant;
      const fields = { type: 'erasure', email: 'Ada@example.com', message: 'One\r\ntwo <b>' };
      await assertNothingWritten(server, async () => assert.equal((await sendForm(slug, fields)).status, 404));
      payload(await client.send('PATCH', '/v1/tenant', { dsrForm: true }), 200);
      const { status, text, headers } = await sendForm(slug, fields);
      assert.equal(status, 200, text);
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'; frame-ancestors 'none'/);
      assert.match(text, /<h1>Your request was received<\/h1>/);
      const [, reference = ''] = /id="reference">([^<]+)</.exec(text) ?? [];
      const dsr = await client.read('dsr', reference);
      assert.deepEqual(
        [dsr.type, dsr.subjectId, dsr.source, dsr.requesterName, dsr.message],
        ['erasure', 'ada@example.com', 'public', null, 'One\ntwo <b>'],
      );
      assert.ok(text.includes(`<time datetime="${dsr.dueAt}">`));
    });

    testWith('shows a form without JavaScript again with its values and what is wrong', async (client) => {
      const { slug } = client.tenant;
      payload(await client.send('PATCH', '/v1/tenant', { dsrForm: true }), 200);
      const hostile = '"><script>alert(1)</script>';
      await assertNothingWritten(server, async () => {
        const { status, text } = await sendForm(slug, { type: 'access', email: hostile, message: hostile });
        assert.equal(status, 422);
        assert.match(text, /<p class="error" id="email-error">Enter an e-mail address/);
        assert.match(text, /<p class="error" id="type-error" hidden><\/p>/);
        assert.match(text, /id="email"[^>]+aria-invalid="true" autofocus/);
        assert.match(text, /<option value="access" selected>/);
        assert.equal(text.split('&quot;&gt;&lt;script&gt;').length, 3);
        assert.ok(!text.includes('<script>'));
        const unknown = await sendForm(slug, { type: 'access', email: 'ada@example.com', subjectId: 'x' });
        assert.deepEqual(
          [unknown.status, /role="alert" id="failure">This did not work/.test(unknown.text)],
          [422, true],
        );
        const long = await sendForm(slug, { type: 'access', email: 'ada@example.com', message: 'a'.repeat(2001) });
        assert.equal(long.status, 422);
        assert.equal((await sendForm(slug, { message: 'a'.repeat(33 * 1024) })).status, 413);
        const json = await server.request('POST', `/privacy/${slug}/request`, { key: null, body: { type: 'access' } });
        assert.equal(json.status, 415);
      });
      for (let count = 0; count < 5; count += 1) await client.submitted({}, from(8));
      const limited = await sendForm(slug, { type: 'access', email: 'ada@example.com' }, '198.51.100.8');
      assert.equal(limited.status, 429);
      assert.match(limited.headers.get('Retry-After') ?? '', /^\d+$/);
      assert.match(limited.text, /Too many requests were sent.*\n.*<button>/);
      assert.match(limited.text, /value="ada@example.com"/);
    });

    test('deletes a request fourteen days after its link expired unused, unless a member has dealt with it', async () => {
      const [client, other] = [await createClient(), await createClient()];
      const references: string[] = [];
      for (let count = 0; count < 8; count += 1)
        references.push((await client.submitted({ email: `p${count}@example.com` }, from(20 + count))).reference);
      const [unlinked, lapsed, confirmed, completed, checked, extended, known, linkedAgain] = references as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      const linked = references.slice(1);
      const tokens = new Map<string, string>();
      for (const id of linked) tokens.set(id, payload(await createLink(client, id)).token);
      payload(await confirm(tokens.get(confirmed)), 200);
      payload(await client.complete(completed), 200);
      payload(await client.editDsr(checked, { identityCheck: { method: 'Phone' } }), 200);
      payload(await client.extend(extended), 200);
      payload(await client.editDsr(known, { subjectId: 'customer-42' }), 200);
      const { database } = server.installation;
      const list = async () => payload(await client.list('dsr'), 200).items.map(({ id }: { id: string }) => id);
      server.clock.advance(28 * day - 1);
      payload(await createLink(client, linkedAgain));
      assert.equal(await deleteUnconfirmed(database, server.clock.now()), false);
      assert.equal((await list()).length, 8);
      server.clock.advance(1);
      await deleteUnconfirmed(database, server.clock.now());
      const kept = [unlinked, confirmed, completed, checked, extended, known, linkedAgain];
      assert.deepEqual((await list()).sort(), kept.sort());
      const { events } = await readAllPages(server, { module: 'privacy' }, { key: client.tenant.key });
      const deleted = events.filter(({ action }) => action === 'dsr.deleted');
      assert.deepEqual(
        deleted.map(({ targetId, actorType }) => [targetId, actorType]),
        [[lapsed, 'system']],
      );
      const trail = await readAllPages(server, { module: 'privacy' }, { key: other.tenant.key });
      assert.deepEqual(trail.events, []);
      await assertIntact(server);
    });
  },
  { SVC_TRUSTED_PROXIES: '1', SVC_LIMIT_VISITOR: '100000' },
);
