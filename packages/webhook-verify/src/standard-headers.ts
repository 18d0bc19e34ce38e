import { fail } from './error.ts';
import type { HeaderGetter } from './options.ts';

/** Eleven shared-key signatures beside one of these are 620 characters; the rest is room for schemes to come. */
const maxLength = 1024;
/** 64 bytes in base64: the last digit before the padding has only its upper two bits (RFC 4648, section 3.5). */
const grammar = /^v1a,[A-Za-z0-9+/]{85}[AQgw]==$/;
/** Skipped whatever its value, so that a new scheme breaks no installed verifier; headers joined by ", " end with a comma. */
const otherScheme = /^(?!v1a,)[\w-]+,(.*[^,])?$/;

/** What the three headers of Standard Webhooks 1.0 say. */
export interface StandardHeaders {
  readonly id: string;
  /** The digits of the time as they were signed. */
  readonly time: string;
  /** The `v1a` signatures in base64. */
  readonly signatures: readonly string[];
}

/**
 * Reads `webhook-id`, `webhook-timestamp` and `webhook-signature`: `v1a,<base64>` and other schemes, one space between
 * them. The id has no dot, so that what is signed (`<id>.<t>.<body>`) can be taken apart in one way only. The work is
 * bounded, whatever is sent.
 */
export function readStandardHeaders(header: HeaderGetter): StandardHeaders {
  const [id, time, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value: unknown = header(name);
    if ((value ?? '') === '') fail('signature_missing', `No ${name} header: not from Svc, or removed by a proxy.`);
    // A repeated header comes as an array, or joined by ", ".
    return typeof value === 'string' && value.length <= maxLength ? value : '';
  }) as [string, string, string];
  const items = signature.split(' ');
  const signatures = items.filter((item) => grammar.test(item)).map((item) => item.slice(4));
  if (!/^[!-\-/-~]{1,128}$/.test(id)) fail('signature_malformed', 'webhook-id must be one header: an id without dots.');
  if (!/^(0|[1-9]\d{0,11})$/.test(time))
    fail('signature_malformed', 'webhook-timestamp must be one header: Unix seconds.');
  if (signatures.length === 0 || !items.every((item) => grammar.test(item) || otherScheme.test(item)))
    fail(
      'signature_malformed',
      'webhook-signature must be one header with v1a,<base64 of 64 bytes>: has the endpoint asymmetric: true?',
    );
  return { id, time, signatures };
}
