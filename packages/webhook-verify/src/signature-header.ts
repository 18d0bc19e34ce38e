import { fail } from './error.ts';

/** A whole header is some 150 characters, during a rotation; the rest is room for schemes to come. */
const maxLength = 1024;
const maxSignatures = 8;

/** What the header says. */
export interface SignatureHeader {
  /** The digits of the time as they were signed. */
  readonly time: string;
  /** The `v1` signatures: 64 hex digits each. */
  readonly signatures: readonly string[];
}

/**
 * Reads `t=<unix seconds>,v1=<64 lower-case hex digits>[,v1=…]`: the time first and once, digits as a number is written,
 * no white space. Other schemes (`v2=…`) are passed over. The work is bounded, whatever is sent.
 */
export function readSignatureHeader(header: unknown): SignatureHeader {
  if (header === undefined || header === null || header === '')
    fail('signature_missing', 'No Svc-Signature header: not from Svc, or removed by a proxy.');
  // A repeated header comes as an array, or joined by ", ".
  const items = typeof header === 'string' && header.length <= maxLength ? header.split(',') : [];
  const time = /^t=(0|[1-9]\d{0,11})$/.exec(items[0] ?? '')?.[1];
  const signatures: string[] = [];
  let isWellFormed = time !== undefined;
  for (let place = 1; place < items.length; place += 1) {
    const item = items[place] as string;
    if (/^v1=[0-9a-f]{64}$/.test(item)) signatures.push(item.slice(3));
    else isWellFormed &&= /^v(?!1=)\d\d?=[\w+/=.~-]+$/.test(item);
  }
  if (!isWellFormed || signatures.length === 0 || signatures.length > maxSignatures)
    fail('signature_malformed', 'Svc-Signature must be one header: t=<unix seconds>,v1=<64 hex digits>.');
  return { time: time as string, signatures };
}
