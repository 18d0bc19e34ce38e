import { reportProblem } from '../../report-problem.ts';
import { readMapping } from '../../stub/mapping.ts';
import { followConsent } from '../follow-consent.ts';
import { reportUnknownPurposes } from '../report-purposes.ts';
import { HeldForm } from './held-form.ts';
import { holdCalls } from './hold-calls.ts';
import { holdConnections } from './hold-connections.ts';
import { holdInsertion } from './hold-insertion.ts';
import { holdMarkup } from './hold-markup.ts';
import { holdPage } from './hold-page.ts';
import { holdTags } from './hold-tags.ts';
import { holdXhr } from './hold-xhr.ts';
import { OpenConnections } from './open-connections.ts';
import { RequestGate } from './request-gate.ts';

export interface RequestOptions {
  /** Purposes to hosts, as `data-requests` has them: `statistics: plausible.io @statistics; marketing: @marketing`. */
  readonly requests: string | null | undefined;
  /** The address of the banner's scripts, whose host is never held unless it is named. */
  readonly source?: string | undefined;
  /** Address of the API that the banner uses, likewise. For your own interface, whose address is in no tag of the page. */
  readonly apiBase?: string | undefined;
}

const GRAMMAR = /^\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*(;\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*)*(;\s*)?$/;

/**
 * Holds what the page's scripts and tags ask of the listed hosts, until the visitor has granted every purpose a host is listed
 * under. Without a banner, and after any error, it is held. On a server it does nothing. Invalid settings are logged.
 * @returns the way to undo it. A tag that waits goes on waiting for the visitor.
 */
export function holdRequests({ requests, source = '', apiBase = '' }: RequestOptions): () => void {
  if (!globalThis.document) return () => {};
  if (!GRAMMAR.test(requests ?? '')) {
    reportProblem(
      `data-requests="${requests ?? ''}" is not understood. It must be pairs such as "statistics: plausible.io".`,
    );
  }
  const mapping = readMapping(requests);
  const gate = new RequestGate(mapping, [source, apiBase]);
  const form = new HeldForm(gate);
  const connections = new OpenConnections(gate);
  const closeHeld = (): void => connections.closeHeld();
  const undo = [
    followConsent(({ purposes }) => {
      closeHeld();
      reportUnknownPurposes('data-requests', mapping, purposes);
    }, closeHeld),
    ...holdCalls(gate),
    ...holdXhr(gate),
    ...holdConnections(gate, connections),
    ...holdTags(form),
    ...holdMarkup(gate, form),
    ...holdInsertion(gate, form),
    holdPage(gate, form),
  ];
  return () => {
    gate.isOff = true; // For a member that another script has replaced after us.
    for (const one of undo) one();
  };
}
