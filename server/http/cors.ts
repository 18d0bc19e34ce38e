/** Headers of every answer of a public operation: any site may read it, none with credentials (Fetch, CORS protocol). */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Svc-Request-Id, Svc-Version, Retry-After, RateLimit, RateLimit-Policy',
} as const;

/** The answer to a preflight of a public path. Browsers keep it for as long as they keep any. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': 'Content-Type, Svc-Version',
    'Access-Control-Max-Age': '86400',
  };
}
