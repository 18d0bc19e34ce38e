import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizeDomain } from '../../consent/notice.ts';
import { originMatches } from '../../consent/recorder.ts';

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.webUrl(), fc.domain());

test('a normalised domain is lower-case ASCII and stays as it is', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const domain = normalizeDomain(text);
      if (domain === null) return;
      assert.match(domain, /^[a-z0-9.-]{1,253}$/);
      assert.equal(normalizeDomain(domain), domain);
      assert.equal(normalizeDomain(` ${domain.toUpperCase()}. `), domain);
    }),
  );
});

test('a domain is normalised to what a browser makes of it', () => {
  const labels = fc.array(fc.constantFrom('shop', 'SHOP', 'bücher', 'faß', '例え', 'a-b', '1', 'xn--bcher-kva'), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(labels, (parts) => {
      const text = [...parts, 'example'].join('.');
      assert.equal(normalizeDomain(text), new URL(`https://${text}`).hostname);
    }),
  );
});

test('what stands before or after a host name is not dropped', () => {
  const extras = fc.constantFrom('/', '/x', '?', '?x=1', '#', '#x', ':443', '\\', '\tx', '@x', '%41', '*', ' x');
  fc.assert(
    fc.property(fc.domain(), extras, (domain, extra) => {
      assert.equal(normalizeDomain(domain + extra), null);
      assert.equal(normalizeDomain(`https://${domain}`), null);
      assert.equal(normalizeDomain(`user@${domain}`), null);
    }),
  );
});

/** Hosts around `example.com`: it, what lies below it, and what only looks like it. */
const hosts = fc
  .tuple(
    fc.constantFrom('', 'www.', 'a.b.', 'my_shop.', 'not', '-', 'xn--bcher-kva.', 'www-'),
    fc.constantFrom('example.com', 'example.org', 'com', 'sub.example.com'),
    fc.constantFrom('', '', '.evil.test', '.test', 'x', '-evil.test'),
  )
  .map((parts) => parts.join(''));
const ports = fc.constantFrom('', ':8443', ':80', ':1');

test('an origin matches when its host is the domain or ends in a dot and the domain', () => {
  fc.assert(
    fc.property(fc.constantFrom('http', 'https'), hosts, ports, (scheme, host, port) => {
      const { origin, hostname } = new URL(`${scheme}://${host}${port}`);
      assert.equal(
        originMatches(origin, 'example.com'),
        hostname === 'example.com' || hostname.endsWith('.example.com'),
      );
    }),
    { numRuns: 500 },
  );
});

test('only the origin of a web page matches at all', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('file', 'ftp', 'ws', 'chrome-extension', 'moz-extension', 'HTTPS', ''),
      hosts,
      (scheme, host) => {
        assert.equal(originMatches(`${scheme}://${host}`, 'example.com'), false);
      },
    ),
  );
  const disguised = [
    '/',
    '/path',
    '?',
    '#',
    ':',
    ':port',
    '\n',
    ' ',
    '\0',
    '@evil.test',
    '\\',
    ', https://example.com',
  ];
  for (const extra of disguised)
    assert.equal(originMatches(`https://example.com${extra}`, 'example.com'), false, extra);
  const malformed = [
    '',
    'null',
    'example.com',
    '//example.com',
    'https://',
    'https:example.com',
    'https://user@example.com',
  ];
  for (const origin of malformed) assert.equal(originMatches(origin, 'example.com'), false, origin);
  assert.equal(originMatches(undefined, 'example.com'), false);
});

test('an address has nothing below it', () => {
  assert.equal(originMatches('http://127.0.0.1:8787', '127.0.0.1'), true);
  assert.equal(originMatches('http://1.127.0.0.1', '127.0.0.1'), false);
  assert.equal(originMatches('http://x.127.0.0.1', '127.0.0.1'), false);
});
