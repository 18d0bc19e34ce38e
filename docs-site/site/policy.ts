/**
 * The Content-Security-Policy of the pages: they load only files of their own site. The server adds the directives that only a
 * header can set. The last line names the Trusted Types policies of the live widgets.
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
