import { readMapping } from '../../page/attributes.ts';
import { followConsent, reportInvalidMapping, reportUnknownPurposes } from '../follow-consent.ts';
import { blockCalls } from './block-calls.ts';
import { blockTags } from './block-tags.ts';
import { RequestGate } from './request-gate.ts';

export interface RequestOptions {
  /** Purposes to hosts, as in `data-requests`: `statistics: plausible.io @statistics; marketing: @marketing`. */
  readonly requests: string | null | undefined;
  /** The address of the banner's scripts, whose host is blocked only by its own name. */
  readonly source?: string | undefined;
  /** Address of the API that the banner uses, likewise. For your own interface, whose address is in no tag of the page. */
  readonly apiBase?: string | undefined;
}

/**
 * Blocks `fetch`, `XMLHttpRequest`, `sendBeacon` and inserted scripts, frames and images of the listed hosts until the visitor
 * has granted every purpose that a host is listed under. Without a banner they stay blocked. An aid beside a
 * Content-Security-Policy: a script can get around it. On a server it does nothing. Invalid settings are logged.
 * @returns undoes it. A tag that waits continues to wait for the visitor.
 */
export function holdRequests({ requests, source = '', apiBase = '' }: RequestOptions): () => void {
  if (!globalThis.document) return () => {};
  reportInvalidMapping('data-requests', requests, 'statistics: plausible.io');
  const mapping = readMapping(requests);
  const gate = new RequestGate(mapping, [source, apiBase]);
  const undo = [
    followConsent(({ state, allowed }) => state && reportUnknownPurposes('data-requests', mapping, allowed)),
    ...blockCalls(gate),
    ...blockTags(gate),
  ];
  return () => {
    gate.isOff = true; // For a member that another script has replaced after us.
    for (const one of undo) one();
  };
}
