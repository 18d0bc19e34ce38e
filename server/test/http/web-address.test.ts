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
