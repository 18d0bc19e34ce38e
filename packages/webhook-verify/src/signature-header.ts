import { fail } from './error.ts';

/** Eleven signatures, of ten successive rotations, are 761 characters; the rest is reserved for future schemes. */
const maxLength = 1024;
const grammar = /^t=(0|[1-9]\d{0,11})((,(v1=[0-9a-f]{64}|(?!t=|v1=)[\w-]+=[^,]*))+)$/;

/** The parsed header. */
export interface SignatureHeader {
  /** The digits of the time as they were signed. */
  readonly time: string;
  /** The `v1` signatures, each with 64 hex digits first; other schemes may follow them. */
  readonly signatures: readonly string[];
}

/**
 * Reads `t=<unix seconds>,v1=<64 lower-case hex digits>[,v1=…]`: the time first and once, digits as a number is written,
 * no white space. Other schemes (`v2=…`) are skipped whatever their values, so that a new scheme breaks no installed
 * verifier. The work is bounded for any input.
 */
export function readSignatureHeader(header: unknown): SignatureHeader {
  if ((header ?? '') === '') fail('signature_missing', 'No Svc-Signature header: not from Svc, or removed by a proxy.');
  // A repeated header comes as an array, or joined by ", ".
  const [, time, items = ''] = (typeof header === 'string' && header.length <= maxLength && grammar.exec(header)) || [];
  const [, ...signatures] = items.split(',v1=');
  if (signatures.length === 0)
    fail('signature_malformed', 'Svc-Signature must be one header: t=<unix seconds>,v1=<64 hex digits>.');
  return { time: time as string, signatures };
}
