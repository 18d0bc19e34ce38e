/** Values that people and programs write into addresses with an unencoded plus, as they are after decoding. */
const withPlus = [
  // An e-mail address: its local part may have a plus, but no space.
  /^[^\s@+][^\s@]*@[^\s@+]+$/,
  // A time with an offset to the east of Greenwich.
  /^\d{4}-\d\d-\d\d[Tt][\d:.]+\+\d\d:?\d\d$/,
  // A telephone number.
  /^\+\d[\d().-]*$/,
];

/**
 * Encodes the pluses of a query string that stand for themselves. By the rules of forms a plus is a space, by those of
 * addresses (RFC 3986) it is a plus. A value that has `%20` follows the second; of others, the parts that cannot have a
 * space do: an e-mail address, a time or a telephone number, by itself or in the quotes of a SCIM filter.
 */
export function encodePluses(query: string): string {
  if (!query.includes('+')) return query;
  const pairs = query.split('&').map((pair) => {
    const start = pair.indexOf('=') + 1;
    const value = pair.slice(start);
    const isEncoded = value.includes('%20');
    const parts = value.split(/("|%22)/);
    const encoded = parts.map((part, index) => {
      // In a filter, what is in quotes is the third of each four parts: text, quote, text, quote.
      const isText = parts.length === 1 || index % 4 === 2;
      return (isEncoded && isText) || hasPlus(part) ? part.replaceAll('+', '%2B') : part;
    });
    return pair.slice(0, start) + encoded.join('');
  });
  return pairs.join('&');
}

function hasPlus(part: string): boolean {
  try {
    const text = decodeURIComponent(part);
    return withPlus.some((pattern) => pattern.test(text));
  } catch {
    return false;
  }
}
