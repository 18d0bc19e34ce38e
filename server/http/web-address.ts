/**
 * Reads the address of a web page into the form that the browser would open: http or https, the host in ASCII, so that
 * no letter of it looks like another.
 * @returns null for anything else: another scheme (`javascript:`, `data:`), a user name in it, white space.
 */
export function normalizeWebAddress(text: string): string | null {
  // Characters that the parser would silently drop or convert.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return url.href;
}
