/**
 * What goes with every page of the documentation. What pages may load stands in themselves, so that it holds on any host;
 * only a header can say in which frames they may stand.
 */
export const documentationHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};
