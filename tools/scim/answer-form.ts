import { findDifferences, includes, isAbsent, isText } from './match.ts';
import { errorUrn } from './messages.ts';
import type { Answer } from './target.ts';

/** What every answer must be, whatever was asked (RFC 7644 sections 3.1, 3.3, 3.12). */
export function checkForm({ status, headers, text, body }: Answer): readonly string[] {
  if (status === 204) return text === '' ? [] : ['a 204 must have no body'];
  const type = headers.get('Content-Type') ?? 'none';
  if (!/^application\/scim\+json *(;|$)/i.test(type))
    return [`Content-Type must be application/scim+json, not ${type}`];
  if (body === undefined) return ['the body must be JSON'];
  // A resource never contains a password that was sent before.
  const secrets = findDifferences({ password: isAbsent }, body);
  if (status >= 400) {
    const error = { schemas: includes(errorUrn), status: String(status), detail: isText };
    return [...secrets, ...findDifferences(error, body)];
  }
  if (status !== 201) return secrets;
  const location = headers.get('Location');
  if (location === null || !URL.canParse(location)) return [...secrets, 'a 201 must have an absolute Location'];
  return [...secrets, ...findDifferences({ meta: { location } }, body)];
}
