import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import { assertInvalid } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { putTrust, trustCenter } from './helpers.ts';

const framework = { code: 'GDPR', achievedAt: '2026-03-01T00:00:00Z' };
const link = { label: 'Privacy policy', url: 'https://example.com/' };
const subprocessor = { name: 'Example Ltd', purpose: 'Mail', country: 'Ireland' };

/** Invalid web addresses. */
const badAddresses = [
  'javascript:alert(1)',
  'JavaScript://example.com/%0aalert(1)',
  ' \u0001javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://example.com/',
  'mailto:a@example.com',
  '//example.com/',
  '/privacy',
  'example.com',
  'https:example.com',
  'https:///example.com',
  'https://',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://bank.example@evil.test/',
  'https:\\\\example.com\\',
  'https://example.com/a b',
  'https://example.com/\u202Egpj.exe',
  'https://exa\u200Bmple.com/',
  'https://[::1',
  'https://example.com:99999/',
  `https://example.com/${'a'.repeat(2048)}`,
  '',
];

/** Texts that are none to read, or that read otherwise than they are written. */
const badTexts = ['', '   ', '\u200B', 'a\u0007', 'a\u0000b', 'a\u001B[31m', '\u202Etxt.exe', 'a\u2066b', 'a\u202Ab'];

describeServer('PUT /v1/trust', (server) => {
  async function assertRefused(body: object, ...paths: readonly string[]): Promise<void> {
    const before = await readAllRows(server.installation.database);
    assertInvalid(await putTrust(server, server.tenant, body), ...paths);
    assert.equal(await readAllRows(server.installation.database), before);
  }
  const refuse = (change: object, ...paths: readonly string[]) =>
    assertRefused({ ...trustCenter, ...change }, ...paths);
  const accept = async (change: object) => {
    const response = await putTrust(server, server.tenant, { ...trustCenter, ...change });
    assert.equal(response.status, 200, response.text);
    return response.body.data;
  };

  test('refuses unknown fields, at every depth', async () => {
    await refuse({ headlines: 'x' }, 'body.headlines');
    await refuse({ frameworks: [{ ...framework, name: 'GDPR' }] }, 'body.frameworks.0.name');
    await refuse({ links: [{ ...link, title: 'x' }] }, 'body.links.0.title');
    await refuse({ subprocessors: [{ ...subprocessor, url: 'x' }] }, 'body.subprocessors.0.url');
  });

  test('requires published', async () => {
    await assertRefused({ headline: 'x' }, 'body.published');
    for (const published of [null, 'true', 1]) await assertRefused({ published }, 'body.published');
  });

  test('refuses frameworks that the catalogue does not have', async () => {
    for (const code of ['gdpr', 'ISO9001', '', '__proto__', 'constructor', 'x'.repeat(65)])
      await refuse({ frameworks: [framework, { ...framework, code }] }, 'body.frameworks.1.code');
  });

  test('rejects a duplicate framework', async () => {
    const other = { ...framework, achievedAt: '2026-04-01T00:00:00Z' };
    await refuse({ frameworks: [framework, { ...framework, code: 'SOC2' }, other] }, 'body.frameworks.2.code');
  });

  test('refuses a framework that is to be achieved later, to the millisecond', async () => {
    const now = server.clock.now();
    const later = new Date(server.clock.milliseconds() + 1).toISOString();
    await refuse({ frameworks: [{ ...framework, achievedAt: later }] }, 'body.frameworks.0.achievedAt');
    await accept({ frameworks: [{ ...framework, achievedAt: now }] });
  });

  test('refuses an end that is not after the beginning; one that has passed is none of that', async () => {
    const end = (expiresAt: string) => ({ frameworks: [{ ...framework, expiresAt }] });
    await refuse(end('2026-03-01T00:00:00Z'), 'body.frameworks.0.expiresAt');
    await refuse(end('2026-03-01T01:00:00+02:00'), 'body.frameworks.0.expiresAt');
    await refuse(end('2025-03-01T00:00:00Z'), 'body.frameworks.0.expiresAt');
    await refuse(end('tomorrow'), 'body.frameworks.0.expiresAt');
    await accept(end('2026-03-01T00:00:00.001Z'));
  });

  test('refuses whatever is no web address, wherever one may stand', async () => {
    for (const url of badAddresses) {
      await refuse({ links: [{ label: 'x', url }] }, 'body.links.0.url');
    }
    for (const url of badAddresses.slice(0, 6)) {
      await refuse({ securityContact: url }, 'body.securityContact');
      await refuse({ frameworks: [{ ...framework, reportUrl: url }] }, 'body.frameworks.0.reportUrl');
    }
  });

  test('writes addresses as the browser opens them: no letter of a host looks like another', async () => {
    const addresses = [
      ['https://EXAMPLE.com', 'https://example.com/'],
      [' https://example.com/a?b=c#d ', 'https://example.com/a?b=c#d'],
      ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
      ['https://b\u00FCcher.example/\u00FC"<>', 'https://xn--bcher-kva.example/%C3%BC%22%3C%3E'],
      ['https://\u0440aypal.com/', 'https://xn--aypal-uye.com/'],
      ['http://example.com:80/', 'http://example.com/'],
    ];
    const links = addresses.map(([url], index) => ({ label: `Link ${index}`, url }));
    const { links: stored } = await accept({ links });
    assert.deepEqual(
      stored.map(({ url }: { url: string }) => url),
      addresses.map(([, url]) => url),
    );
  });

  test('refuses texts without anything to see, and texts that deceive', async () => {
    for (const text of badTexts) {
      await refuse({ headline: text }, 'body.headline');
      await refuse({ description: text }, 'body.description');
      await refuse({ links: [{ ...link, label: text }] }, 'body.links.0.label');
    }
    for (const field of ['name', 'purpose', 'country'])
      await refuse({ subprocessors: [{ ...subprocessor, [field]: 'a\u202E' }] }, `body.subprocessors.0.${field}`);
    for (const headline of ['two\nlines', 'two\u2028lines', 'a\tb']) await refuse({ headline }, 'body.headline');
  });

  test('takes markup, other scripts and the marks that they need as text', async () => {
    const headline = '<script>alert("1")</script> & שלום\u200F! مرحبا \u{1F512}';
    const description = 'One\r\ntwo\r\n\r\n\tthree';
    const data = await accept({ headline, description });
    assert.deepEqual([data.headline, data.description], [headline, 'One\ntwo\n\n\tthree']);
  });

  test('refuses texts and lists that are too long, and takes the longest', async () => {
    const repeat = <Item>(length: number, item: (index: number) => Item) => Array.from({ length }, (_, n) => item(n));
    const links = (length: number) => repeat(length, (index) => ({ ...link, label: `Link ${index}` }));
    const subprocessors = (length: number) =>
      repeat(length, (index) => ({ ...subprocessor, name: `Company ${index}` }));
    await refuse({ headline: 'a'.repeat(161) }, 'body.headline');
    await refuse({ description: 'a'.repeat(4001) }, 'body.description');
    await refuse({ links: [{ ...link, label: 'a'.repeat(101) }] }, 'body.links.0.label');
    await refuse({ links: links(21) }, 'body.links');
    await refuse({ subprocessors: subprocessors(101) }, 'body.subprocessors');
    const longest = { name: 'a'.repeat(120), purpose: 'a'.repeat(240), country: 'a'.repeat(80) };
    for (const field of ['name', 'purpose', 'country'] as const)
      await refuse({ subprocessors: [{ ...longest, [field]: `${longest[field]}a` }] }, `body.subprocessors.0.${field}`);
    await accept({ headline: 'a'.repeat(160), description: 'a'.repeat(4000), links: links(20) });
    await accept({ subprocessors: [longest, ...subprocessors(99)] });
  });

  test('rejects two links with one label, and a duplicate subprocessor', async () => {
    const again = { label: 'PRIVACY policy', url: 'https://example.com/other' };
    await refuse({ links: [link, again] }, 'body.links.1.label');
    await refuse({ subprocessors: [subprocessor, subprocessor] }, 'body.subprocessors.1');
    await refuse({ subprocessors: [subprocessor, { ...subprocessor, purpose: 'Backups' }] }, 'body.subprocessors.1');
    await accept({ subprocessors: [subprocessor, { ...subprocessor, since: '2026-01-01T00:00:00Z' }] });
  });

  test('refuses a contact that is no e-mail address', async () => {
    for (const contactEmail of ['', 'unknown', 'a@b', 'javascript:alert(1)', 'a@example.com\nBcc: b@example.com'])
      await refuse({ contactEmail }, 'body.contactEmail');
  });
});
