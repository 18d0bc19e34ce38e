/**
 * Takes the credential of a request out of what came back: proxies and error pages echo requests.
 * @param authorization the header as it was sent; empty for none.
 */
export function redactCredential(text: string, authorization: string): string {
  const [scheme, credential = ''] = authorization.split(' ');
  if (credential === '') return text;
  const kept = text.replaceAll(credential, '[redacted]');
  if (scheme !== 'Basic') return kept;
  const pair = Buffer.from(credential, 'base64').toString();
  return kept.replaceAll(pair.slice(pair.indexOf(':') + 1), '[redacted]');
}
