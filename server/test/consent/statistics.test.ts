import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BannerUsage } from '../../consent/banner-usage.ts';
import { mostHosts, mostRefusedHosts } from '../../consent/statistics-store.ts';
import { readWidgets, type Widget } from '../../site/widgets/widget.ts';
import { openDatabase } from '../../storage/database.ts';
import {
  allGranted,
  assertProblem,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  visit,
  withdraw,
} from './helpers.ts';

describeServerOnEachDatabase('statistics of a consent notice', (server) => {
  const write = () => server.app.usage.write(server.installation.database);
  const read = (id: string, headers: Readonly<Record<string, string>> = {}) =>
    server.request('GET', `/v1/public/consent/${id}`, { key: null, headers });
  const statistics = async (id: string, query = '') =>
    payload(await server.request('GET', `/v1/consent/${id}/statistics${query}`), 200).items;
  const usage = async (id: string) => payload(await server.request('GET', `/v1/consent/${id}/sightings`), 200).items;

  test('keep what could not be written for the next time', async () => {
    const id = await server.createNotice();
    await read(id, { Origin: 'https://example.com' });
    await using empty = openDatabase({ url: null, file: ':memory:' });
    await assert.rejects(server.app.usage.write(empty));
    await read(id);
    assert.deepEqual(await usage(id), []);
    await write();
    const [day] = await statistics(id);
    assert.equal(day.reads, 2);
    assert.deepEqual(
      (await usage(id)).map(({ host }: { readonly host: string }) => host),
      ['example.com'],
    );
  });

  test('count records by the day in UTC, purpose and kind, and reads', async () => {
    const id = await server.createNotice();
    assert.deepEqual(await statistics(id), []);
    await read(id, { Origin: 'https://example.com' });
    await read(id);
    await visit(server, id, { subjectId: 'one' });
    const { id: recordId } = payload(await capture(server, id, { subjectId: 'two', purposes: { analytics: true } }));
    const first = server.clock.now().slice(0, 10);
    server.clock.advance(24 * 60 * 60_000);
    payload(await withdraw(server, id, recordId));
    await visit(server, id, { subjectId: 'three', purposes: { necessary: true, analytics: false, marketing: true } });
    const second = server.clock.now().slice(0, 10);
    await write();
    await write();
    const expected = [
      {
        date: second,
        ...{ reads: 0, captures: 1, withdrawals: 1, visitorRecords: 1 },
        purposes: [
          { key: 'analytics', granted: 0, refused: 2 },
          { key: 'marketing', granted: 1, refused: 0 },
          { key: 'necessary', granted: 1, refused: 0 },
        ],
      },
      {
        date: first,
        ...{ reads: 2, captures: 2, withdrawals: 0, visitorRecords: 1 },
        purposes: [
          { key: 'analytics', granted: 2, refused: 0 },
          { key: 'marketing', granted: 1, refused: 0 },
          { key: 'necessary', granted: 1, refused: 0 },
        ],
      },
    ];
    assert.deepEqual(await statistics(id), expected);
    assert.deepEqual(await statistics(id, '?days=1'), expected.slice(0, 1));
  });

  test('are exact for captures at once, and for requests that are rejected or repeated', async () => {
    const id = await server.createNotice();
    const capturedAt = server.clock.now();
    const same = { subjectId: 'same', capturedAt };
    await Promise.all([
      ...Array.from({ length: 40 }, (_, index) => visit(server, id, { subjectId: `visitor-${index}` })),
      ...Array.from({ length: 5 }, () => visit(server, id, same)),
      ...Array.from({ length: 5 }, () => visit(server, id, { purposes: { unknown: true } })),
    ]);
    const [{ captures, withdrawals, purposes }] = await statistics(id);
    assert.deepEqual([captures, withdrawals, purposes[0].granted], [41, 0, 41]);
  });

  test('list the hosts of the domain with their latest times, and nothing else', async () => {
    const id = await server.createNotice();
    const earlier = server.clock.now();
    await read(id, { Origin: 'https://shop.example.com:8443' });
    await read(id, { Referer: 'http://example.com/a/page?of=someone' });
    for (const Origin of [
      'https://example.com.evil.test',
      'null',
      'https://evil.test',
      `https://${'a'.repeat(300)}.example.com`,
    ])
      await read(id, { Origin });
    await write();
    server.clock.advance(12_000);
    await visit(server, id, {}, { Origin: 'https://shop.example.com' });
    await write();
    assert.deepEqual(await usage(id), [
      {
        host: 'shop.example.com',
        lastReadAt: earlier,
        lastCaptureAt: server.clock.now(),
        lastRefusedAt: null,
        widgetVersion: null,
      },
      { host: 'example.com', lastReadAt: earlier, lastCaptureAt: null, lastRefusedAt: null, widgetVersion: null },
    ]);
    assert.equal(payload(await server.request('GET', `/v1/consent/${id}`), 200).lastSeenAt, server.clock.now());
  });

  test('say which version of the banner a host loaded last', async () => {
    const id = await server.createNotice();
    const load = (file: string, headers: Readonly<Record<string, string>>) =>
      server.request('GET', `/widgets/${file}`, { key: null, headers });
    const seen = async (host: string) => {
      await read(id, { Origin: `https://${host}` });
      await write();
      return (await usage(id)).find((one: { host: string }) => one.host === host).widgetVersion;
    };
    const Origin = 'https://built.example.com:8443';
    const [banner, badge] = readWidgets() as [Widget, Widget];
    const folder = `svc-consent/${banner.version}`;
    await load(`${folder}/integrity.json`, { Origin });
    await load(`svc-trust-badge/${badge.version}/svc-trust-badge.js`, { Origin });
    await load('svc-consent/9.9.9/svc-consent.js', { Origin });
    await load(`${folder}/svc-consent.js`, { Origin: 'https://evil.test' });
    assert.equal(await seen('built.example.com'), null);
    await load(`${folder}/svc-consent.js`, { Origin });
    await load(`${folder}/svc-consent.js`, { Referer: 'https://www.example.com/a/page' });
    assert.equal(await seen('built.example.com'), banner.version);
    assert.equal(await seen('www.example.com'), banner.version);
  });

  test('hold a bounded number of versions in memory, and keep what is written', async () => {
    const [id, other] = [await server.createNotice(), await server.createNotice()];
    const noted = new BannerUsage();
    const see = async (noticeId: string) => {
      const notice = { tenantId: server.tenant.id, noticeId, domain: 'example.com' };
      noted.seen(notice, 'https://example.com', server.clock.now());
      await noted.write(server.installation.database);
      return (await usage(noticeId))[0].widgetVersion;
    };
    noted.loaded('0.1.0', 'https://example.com');
    assert.equal(await see(id), '0.1.0');
    for (let index = 0; index < 20_000; index += 1) noted.loaded('0.2.0', `https://h${index}.example.com`);
    assert.equal(await see(other), null);
    assert.equal(await see(id), '0.1.0');
    noted.loaded('0.2.0', 'https://example.com');
    assert.equal(await see(id), '0.2.0');
  });

  test('keep a bounded number of hosts: made-up ones displace none that was seen within a day', async () => {
    const id = await server.createNotice();
    const seen = async (prefix: string) => {
      for (let index = 0; index < mostHosts; index += 1)
        await read(id, { Origin: `https://${prefix}${index}.example.com` });
      await write();
    };
    await seen('real');
    await seen('forged');
    const hosts = (await usage(id)).map(({ host }: { host: string }) => host);
    assert.equal(hosts.length, mostHosts);
    assert.ok(hosts.every((host: string) => host.startsWith('real')));
    server.clock.advance(25 * 60 * 60_000);
    // All are equally old. One is seen again first, and keeps its place.
    for (const host of ['real1', 'new0', 'new1', 'new2']) await read(id, { Origin: `https://${host}.example.com` });
    await write();
    const later = (await usage(id)).map(({ host }: { host: string }) => host.split('.')[0]);
    assert.equal(later.length, mostHosts);
    assert.deepEqual(later.slice(0, 4), ['new0', 'new1', 'new2', 'real1']);
    // Each new one took the place of another.
    assert.equal(later.filter((host: string) => host.startsWith('real')).length, mostHosts - 3);
  });

  test('hold a bounded number of hosts in memory', async () => {
    const id = await server.createNotice();
    const noted = new BannerUsage();
    const notice = { tenantId: server.tenant.id, noticeId: id, domain: 'example.com' };
    for (let index = 0; index < 20_000; index += 1)
      noted.seen(notice, `https://h${index}.example.com`, server.clock.now());
    await noted.write(server.installation.database);
    const [{ reads }] = await statistics(id);
    assert.equal(reads, 20_000);
    assert.equal((await usage(id)).length, mostHosts);
  });

  describe('hosts whose decisions are refused', () => {
    const refuse = async (id: string, host: string) =>
      assertProblem(await visit(server, id, {}, { Origin: `https://${host}` }), '403 consent_origin_not_allowed');
    const listRefused = async (id: string): Promise<readonly string[]> =>
      (await usage(id)).flatMap(({ host, lastRefusedAt }: { host: string; lastRefusedAt: string | null }) =>
        lastRefusedAt === null ? [] : host,
      );

    test('are listed with the time, and do not count as a sight of the notice', async () => {
      const id = await server.createNotice();
      await refuse(id, 'staging.test:8443');
      server.clock.advance(1000);
      await refuse(id, 'staging.test');
      // A read loses no decision, and these name no host.
      await read(id, { Origin: 'https://reader.test' });
      for (const Origin of ['null', 'https://Upper.test', 'https://a.test/path', 'https://<b>.test', 'ftp://a.test'])
        assertProblem(await visit(server, id, {}, { Origin }), '403 consent_origin_not_allowed');
      const bare = { key: null, body: { subjectId: 'visitor-1', purposes: allGranted } };
      const path = `/v1/public/consent/${id}/records`;
      assertProblem(await server.request('POST', path, bare), '403 consent_origin_not_allowed');
      await write();
      const lastRefusedAt = server.clock.now();
      assert.deepEqual(await usage(id), [
        { host: 'staging.test', lastReadAt: null, lastCaptureAt: null, lastRefusedAt, widgetVersion: null },
      ]);
      assert.equal(payload(await server.request('GET', `/v1/consent/${id}`), 200).lastSeenAt, null);
    });

    test('have places of their own, which a new one gets after a day', async () => {
      const id = await server.createNotice();
      const refuseMany = async (prefix: string) => {
        for (let index = 0; index <= mostRefusedHosts; index += 1) await refuse(id, `${prefix}${index}.test`);
        await write();
      };
      for (let index = 0; index < mostHosts; index += 1) await read(id, { Origin: `https://h${index}.example.com` });
      await write();
      await refuseMany('first');
      await refuseMany('second');
      const refused = await listRefused(id);
      assert.equal(refused.length, mostRefusedHosts);
      assert.ok(refused.every((host) => host.startsWith('first')));
      assert.equal((await usage(id)).length, mostHosts + mostRefusedHosts);
      server.clock.advance(25 * 60 * 60_000);
      await refuse(id, 'third.test');
      await write();
      const later = await listRefused(id);
      assert.deepEqual([later[0], later.length], ['third.test', mostRefusedHosts]);
      assert.equal((await usage(id)).length, mostHosts + mostRefusedHosts);
    });

    test('are refused no longer once the published domain includes them', async () => {
      const id = await server.createNotice();
      const edit = async (domain: string) =>
        payload(await server.request('PATCH', `/v1/consent/${id}`, { body: { domain } }), 200);
      const publish = async () => payload(await server.request('POST', `/v1/consent/${id}/publish`), 200);
      await read(id, { Origin: 'https://example.com' });
      await refuse(id, 'shop.test');
      await edit('shop.test');
      await write();
      assert.deepEqual(await listRefused(id), ['shop.test']);
      await publish();
      assert.deepEqual(await listRefused(id), []);
      payload(await visit(server, id, {}, { Origin: 'https://shop.test' }));
      await refuse(id, 'example.com');
      await write();
      const [refusedAt, capturedAt] = [server.clock.now(), server.clock.now()];
      const seen = (await usage(id)).map((one: Readonly<Record<string, unknown>>) => [
        ...[one.host, one.lastCaptureAt, one.lastRefusedAt],
      ]);
      assert.deepEqual(seen.sort(), [
        ['example.com', null, refusedAt],
        ['shop.test', capturedAt, null],
      ]);
    });

    test('are hosts of the site if they were seen since, before the refusal was written', async () => {
      const id = await server.createNotice();
      await refuse(id, 'shop.test');
      payload(await server.request('PATCH', `/v1/consent/${id}`, { body: { domain: 'shop.test' } }), 200);
      payload(await server.request('POST', `/v1/consent/${id}/publish`), 200);
      payload(await visit(server, id, {}, { Origin: 'https://shop.test' }));
      await write();
      const [{ host, lastCaptureAt, lastRefusedAt }] = await usage(id);
      assert.deepEqual([host, lastCaptureAt, lastRefusedAt], ['shop.test', server.clock.now(), null]);
    });

    test('are not kept of a draft, which can be deleted', async () => {
      const id = await server.createNotice({ publish: false });
      await refuse(id, 'staging.test');
      await write();
      assert.deepEqual(await usage(id), []);
      assert.equal((await server.request('DELETE', `/v1/consent/${id}`)).status, 204);
    });

    test('are kept for the next time if they could not be written', async () => {
      const id = await server.createNotice();
      await refuse(id, 'staging.test');
      await using empty = openDatabase({ url: null, file: ':memory:' });
      await assert.rejects(server.app.usage.write(empty));
      await write();
      assert.deepEqual(await listRefused(id), ['staging.test']);
    });
  });

  test('cover at most 366 days', async () => {
    const tenant = await createFreshTenant(server);
    const id = await server.createNotice({ key: tenant.key });
    const refused = await server.request('GET', `/v1/consent/${id}/statistics?days=367`, { key: tenant.key });
    assertProblem(refused, '422 validation_failed', ['query.days']);
  });
});
