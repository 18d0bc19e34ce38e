import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeContent } from '../harness.ts';
import { assertBodiesRefused, createFreshTenant, describeServer, payload, readEvents } from './helpers.ts';

const facts = {
  controllerContact: { address: '1 Example Road', email: 'privacy@example.com' },
  links: { privacyPolicy: 'https://example.com/privacy' },
  rights: ['access'],
  jurisdictions: ['EU'],
  consentDuration: 'P6M',
};
const [necessary, analytics] = noticeContent.purposes;
const purposeFacts = {
  dataCategories: ['ip_address'],
  storage: { period: 'P1Y', criteria: 'Account closure', locations: ['IE'] },
  recipients: [{ name: 'Counting GmbH', role: 'processor', address: 'Berlin', email: 'a@b.example', country: 'DE' }],
};

describeServer('what a notice states about the processing', (server) => {
  const edit = (id: string, body: object) => server.request('PATCH', `/v1/consent/${id}`, { body });
  const publish = (id: string) => server.request('POST', `/v1/consent/${id}/publish`);
  const listVersions = async (id: string) =>
    payload(await server.request('GET', `/v1/consent/${id}/versions`), 200).items;

  test('is part of the version and of its hash', async () => {
    const id = await server.createNotice();
    const purposes = [necessary, { ...analytics, ...purposeFacts }];
    assert.equal(payload(await edit(id, { ...facts, purposes }), 200).hasUnpublishedChanges, true);
    assert.equal(payload(await publish(id), 200).version, 2);
    await edit(id, { consentDuration: 'P7M' });
    await publish(id);
    const [third, second, first] = await listVersions(id);
    const { version: _, contentHash, publishedAt: __, asksSince, shown, ...content } = second;
    assert.deepEqual([asksSince, Object.keys(shown)], [2, ['en']]);
    assert.deepEqual(content, { ...noticeContent, ...facts, purposes });
    assert.equal(new Set([first.contentHash, contentHash, third.contentHash]).size, 3);
  });

  test('is not sent to visitors, but for the links', async () => {
    const purposes = [{ ...analytics, ...purposeFacts }];
    const id = await server.createNotice({ content: { ...facts, purposes } });
    const notice = payload(await server.request('GET', `/v1/public/consent/${id}`, { key: null }), 200);
    const { texts: _, ...others } = notice;
    const { links } = facts;
    const shown = { ...noticeContent, purposes: [analytics], links, version: 1, asksSince: 1, languages: [] };
    assert.deepEqual(others, { id, ...shown });
  });

  test('is removed by null, which leaves the content as if it had never been stated', async () => {
    const { key, ...tenant } = await createFreshTenant(server);
    const id = await server.createNotice({ key, content: facts });
    const body = { links: null, rights: null, jurisdictions: null, consentDuration: null, controllerContact: null };
    payload(await server.request('PATCH', `/v1/consent/${id}`, { key, body }), 200);
    await server.request('POST', `/v1/consent/${id}/publish`, { key });
    const other = await server.createNotice({ key });
    const read = async (notice: string) =>
      payload(await server.request('GET', `/v1/consent/${notice}/versions`, { key }), 200).items[0].contentHash;
    assert.equal(await read(id), await read(other));
    const edited = (await readEvents(server, { key, ...tenant })).find(
      ({ action }) => action === 'consent_notice.edited',
    );
    assert.deepEqual([edited.diff.before, edited.diff.after], [facts, body]);
  });

  test('rejects values that are not of their kind', async () => {
    const id = await server.createNotice();
    const purpose = (more: object) => ({ purposes: [{ ...analytics, ...more }] });
    const recipient = { name: 'A', role: 'processor' };
    await assertBodiesRefused(server, (body) => edit(id, body as object), [
      [{ links: { privacyPolicy: 'http://example.com' } }, 'body.links.privacyPolicy'],
      [{ links: { withdrawal: 'javascript:alert(1)' } }, 'body.links.withdrawal'],
      [{ links: { rights: `https://example.com/${'a'.repeat(2048)}` } }, 'body.links.rights'],
      [{ links: { home: 'https://example.com' } }, 'body.links.home'],
      [{ controllerContact: { email: 'nobody' } }, 'body.controllerContact.email'],
      [{ controllerContact: { address: ' \u200B ' } }, 'body.controllerContact.address'],
      [{ rights: ['happiness'] }, 'body.rights.0'],
      [{ rights: ['access', 'access'] }, 'body.rights.1'],
      [{ jurisdictions: ['de'] }, 'body.jurisdictions.0'],
      [{ jurisdictions: ['XX'] }, 'body.jurisdictions.0'],
      [{ jurisdictions: ['EU', 'EU'] }, 'body.jurisdictions.1'],
      ...['P', '6M', 'P6', 'PT1H', 'P6M1Y', 'P-1D', 'P1W'].map(
        (consentDuration) => [{ consentDuration }, 'body.consentDuration'] as const,
      ),
      [purpose({ dataCategories: ['shoe_size'] }), 'body.purposes.0.dataCategories.0'],
      [purpose({ storage: { period: 'forever' } }), 'body.purposes.0.storage.period'],
      [purpose({ storage: { locations: ['Germany'] } }), 'body.purposes.0.storage.locations.0'],
      [purpose({ recipients: [{ role: 'processor' }] }), 'body.purposes.0.recipients.0.name'],
      [purpose({ recipients: [{ ...recipient, role: 'friend' }] }), 'body.purposes.0.recipients.0.role'],
      [purpose({ recipients: Array(51).fill(recipient) }), 'body.purposes.0.recipients'],
      [purpose({ dataCategories: null }), 'body.purposes.0.dataCategories'],
    ]);
  });

  test('creation rejects null, which only an edit can mean', async () => {
    const send = (body: unknown) => server.request('POST', '/v1/consent/notices', { body });
    await assertBodiesRefused(server, send, [[{ ...noticeContent, links: null }, 'body.links']]);
  });
});
