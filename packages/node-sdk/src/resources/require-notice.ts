import { NotFoundError } from '../api-error.ts';
import type { ResponseDetails } from '../transport.ts';

/**
 * Reads the answer of `GET /v1/consent/{id}` where it is a notice. For an id that is no notice it is the records of the
 * subject with that id, which come as a list.
 * @throws {NotFoundError} for those.
 */
export function requireNotice(answer: unknown, response: ResponseDetails): unknown {
  if (!('items' in Object(answer))) return answer;
  const { requestId, headers, idempotencyKey, attempts } = response;
  const message = 'There is no such consent notice.';
  const words = { code: 'not_found', message, details: [], fields: {}, excerpt: null };
  const content = { ...words, status: 404, requestId, headers, retryAfterMs: null };
  throw new NotFoundError(content, { operation: 'getConsent', idempotencyKey, attempts });
}
