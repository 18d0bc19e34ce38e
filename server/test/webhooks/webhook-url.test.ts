import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findReceiverFault, WebhookUrl } from '../../webhooks/endpoints/receiver-address.ts';
import { publicHosts, publicNames, refusedHosts, refusedNames } from './refused-hosts.ts';

const strict = { allowPrivate: false };
const local = { allowPrivate: true };

/** The error of a given URL; null if it may be stored. */
function judge(text: string, policy = strict): string | null {
  const parsed = WebhookUrl.safeParse(text);
  return parsed.success ? findReceiverFault(parsed.data, policy) : (parsed.error.issues[0]?.message ?? '');
}

describe('the address of an endpoint', () => {
  test('is stored in normalized form, whose host is the one that the connection uses', () => {
    for (const [text, url] of [
      ['https://Hooks.Example.COM', 'https://hooks.example.com/'],
      [' https://example.com/a?b=c ', 'https://example.com/a?b=c'],
      ['https://example.com:443/', 'https://example.com/'],
      ['HTTPS://example.com:0443/', 'https://example.com/'],
      ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
      ['https://0x7f.1/', 'https://127.0.0.1/'],
      ['https://[2606:4700:0:0:0:0:0:1]/', 'https://[2606:4700::1]/'],
      ['https://example.com/a/../b/./c', 'https://example.com/b/c'],
      ['https://Example.com./x.', 'https://example.com/x.'],
      ['https://example.com.:8443?a=b.', 'https://example.com:8443/?a=b.'],
      ['https://example。com。/', 'https://example.com/'],
      ['https://127.0.0.1./', 'https://127.0.0.1/'],
    ] as const) {
      assert.equal(WebhookUrl.parse(text), url);
      assert.equal(WebhookUrl.parse(url), url);
    }
  });

  test('is rejected with credentials, a fragment, another scheme, more than 2,048 characters, or ambiguous syntax', () => {
    const long = `https://example.com/${'a'.repeat(2048)}`;
    for (const text of [
      ...['', 'example.com', '//example.com/', 'https:///', 'https://', 'https:example.com', 'https:/example.com/'],
      ...['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'data:,x', 'javascript:alert(1)'],
      ...[
        'wss://example.com/',
        'https://user@example.com/',
        'https://user:pass@example.com/',
        'https://:p@example.com/',
      ],
      ...[
        'https://example.com@evil.example/',
        'https://example.com/#',
        'https://example.com/#a',
        'https://example.com#',
      ],
      ...['https://exa mple.com/', 'https://example.com/a b', 'https://example.com\\@evil/', 'https://example.com/\n'],
      ...['https://exa\tmple.com/', 'https://example.com:65536/', 'https://example.com:port/', 'https://[::1', long],
      ...['https://./', 'https://../', 'https://example.com../', 'https://a..example.com/', 'https://.example.com/'],
      ...['https://[fe80::1%25eth0]/', 'https://[fe80::1%eth0]/', 'https://1.2.3.256/', 'https://256.1.1.1/'],
      ...[
        'https://0x100000000/',
        'https://1.2.3.4.5/',
        'https://exam%00ple.com/',
        `https://example.com/${'ä'.repeat(500)}`,
      ],
    ]) {
      const isTrimmed = text === 'https://example.com/\n';
      assert.equal(WebhookUrl.safeParse(text).success, isTrimmed, text);
    }
    assert.equal(WebhookUrl.safeParse(`https://example.com/${'a'.repeat(2028)}`).success, true);
  });

  test('is rejected for every host outside the public internet, with the reason', () => {
    for (const host of [...refusedHosts, ...refusedNames]) {
      assert.match(
        judge(`https://${host}/hook`) ?? 'passed',
        /^must (?:be reachable from the public|have a full host name)/,
        host,
      );
    }
  });

  test('is accepted for hosts of the public internet and for names that only a look-up can judge', () => {
    for (const host of [...publicHosts, ...publicNames]) assert.equal(judge(`https://${host}/hook`), null, host);
  });

  test('must be https', () => {
    assert.match(judge('http://example.com/') ?? '', /^must use https/);
    assert.equal(judge('http://example.com/', local), null);
  });

  test('must have the port of a web server', () => {
    for (const port of [443, 1024, 3000, 4443, 8000, 8080, 8443, 9443, 65_535]) {
      assert.equal(judge(`https://example.com:${port}/`), null, `${port}`);
    }
    for (const port of [0, 1, 21, 22, 23, 25, 53, 80, 110, 143, 389, 465, 587, 636, 993, 1023]) {
      assert.match(judge(`https://example.com:${port}/`) ?? 'passed', /^must have the port 443/, `${port}`);
    }
    for (const port of [2375, 3306, 3389, 5432, 5672, 6000, 6379, 6667, 9200, 11211, 27017]) {
      assert.match(judge(`https://example.com:${port}/`) ?? 'passed', /^must have the port 443/, `${port}`);
    }
  });

  test('may be private, with http and any port, if the settings allow it, but never a cloud metadata service', () => {
    for (const text of [
      ...[
        'http://localhost:3000/',
        'https://localhost/',
        'http://127.0.0.1/',
        'http://[::1]:80/',
        'https://10.0.0.1:22/',
      ],
      ...['http://receiver:8080/', 'https://hooks.internal/', 'http://192.168.1.1/', 'https://example.com:25/'],
    ]) {
      assert.equal(judge(text, local), null, text);
    }
    for (const host of ['169.254.169.254', '0xa9fea9fe', '[fd00:ec2::254]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']) {
      assert.match(judge(`http://${host}/`, local) ?? 'passed', /no receiver can have this address$/, host);
    }
  });

  test('never has a refused host, however the URL around it is written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...refusedHosts, ...refusedNames),
        fc.constantFrom('https://', 'HTTPS://', ' https://'),
        fc.constantFrom('', ':443', ':8443', ':65535'),
        fc.webPath(),
        (host, scheme, port, path) => assert.notEqual(judge(`${scheme}${host}${port}${path}`), null),
      ),
      { numRuns: 500 },
    );
  });
});
