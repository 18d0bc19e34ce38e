import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { WebAddress } from '../../http/schemas.ts';
import { normalizeWebAddress } from '../../http/web-address.ts';

/** Texts that resemble addresses. */
const address = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: 'binary' }),
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'javascript:', 'data:', '//'),
      fc.string({ unit: 'binary' }),
    )
    .map(([scheme, rest]) => scheme + rest),
  fc
    .array(fc.constantFrom('https:', 'http:', 'javascript:', '/', '\\', '@', ':', 'a', '.', '\t', '\n', ' ', '?', '#'))
    .map((parts) => parts.join('')),
);

describe('a web address', () => {
  test('is http or https with a host and without a user, in the normalized form of browsers', () => {
    fc.assert(
      fc.property(address, (text) => {
        const found = normalizeWebAddress(text);
        if (found === null) return;
        const url = new URL(found);
        assert.ok(['http:', 'https:'].includes(url.protocol));
        assert.deepEqual([url.username, url.password], ['', '']);
        assert.notEqual(url.host, '');
        assert.match(found, /^[\x21-\x7e]+$/);
        assert.equal(normalizeWebAddress(found), found);
      }),
      { numRuns: 2000 },
    );
  });

  test('is none with another scheme, without one, with a user, or with characters that a browser would change', () => {
    for (const text of [
      ...[
        'javascript:alert(1)',
        'JavaScript://example.com/%0aalert(1)',
        ' \u0001javascript:alert(1)',
        'java\tscript:alert(1)',
      ],
      ...['data:text/html,<script>alert(1)</script>', 'vbscript:x', 'file:///etc/passwd', 'ftp://example.com/'],
      ...[
        'mailto:a@example.com',
        '//example.com/',
        '/privacy',
        'example.com',
        'https:example.com',
        'https:///example.com',
      ],
      ...[
        'https://',
        'https://user@example.com/',
        'https://user:password@example.com/',
        'https://bank.example@evil.test/',
      ],
      ...[
        'https:\\\\example.com\\',
        'https://example.com/a b',
        'https://example.com/\u202Egpj.exe',
        'https://exa\u200Bmple.com/',
      ],
      ...['https://[::1', 'https://example.com:99999/', ''],
    ])
      assert.equal(WebAddress.safeParse(text).success, false, text);
  });

  test('is written as the browser opens it: no letter of a host looks like another', () => {
    for (const [text, written] of [
      ['https://EXAMPLE.com', 'https://example.com/'],
      [' https://example.com/a?b=c#d ', 'https://example.com/a?b=c#d'],
      ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
      ['https://b\u00FCcher.example/\u00FC"<>', 'https://xn--bcher-kva.example/%C3%BC%22%3C%3E'],
      ['https://\u0440aypal.com/', 'https://xn--aypal-uye.com/'],
      ['http://example.com:80/', 'http://example.com/'],
    ])
      assert.equal(WebAddress.parse(text), written);
  });

  test('resolves to the same target as the text', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
        assert.equal(normalizeWebAddress(text), new URL(text).href);
      }),
    );
  });

  test('is at most 2,048 characters long, also in normalized form', () => {
    assert.equal(WebAddress.safeParse(`https://example.com/${'a'.repeat(2028)}`).success, true);
    assert.equal(WebAddress.safeParse(`https://example.com/${'a'.repeat(2029)}`).success, false);
    assert.equal(WebAddress.safeParse(`https://example.com/${'ü'.repeat(700)}`).success, false);
  });
});
