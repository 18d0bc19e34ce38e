/**
 * What pages may load: only what stands beside them. The directives of a page itself; who serves it adds those that only a
 * header can carry. The last line names the policies of the widgets that are live on the site.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-consent svc-consent-panel svc-trust-badge',
].join('; ');
