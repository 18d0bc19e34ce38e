import { reportProblem } from '../../report-problem.ts';
import type { HeldForm } from './held-form.ts';
import { holdBelow, holdTag } from './hold-markup.ts';
import type { Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/**
 * Holds the tags that come into the page with their address: those of its HTML behind our own tag. A parser lets observers run
 * before it runs a script (https://html.spec.whatwg.org/multipage/parsing.html#scriptEndTag); what the browser has asked for
 * ahead of that is told.
 */
export function holdPage(gate: RequestGate, form: HeldForm): Undo {
  const look = (records: readonly MutationRecord[]): void => {
    if (gate.isOpen) return;
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue;
      if (holdTag(form, node)) settle(node);
      holdBelow(form, node).forEach(settle);
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true });
  return () => observer.disconnect();
}

function settle(tag: Element): void {
  const address = ['src', 'data-src', 'data-href', 'data-srcset', 'data-poster'].map((name) => tag.getAttribute(name));
  reportProblem(
    `data-requests: <${tag.localName}> of ${address.find((one) => one)} is held, but the browser may have asked for it before. ` +
      `Write data-svc-purpose="${tag.getAttribute('data-svc-purpose')}" on it, and its address as data-src or data-href.`,
  );
  // A frame goes on with what it began unless it is put in anew.
  if (tag.localName === 'iframe') tag.parentNode?.insertBefore(tag, tag.nextSibling);
}
