import { reportProblem } from '../../report-problem.ts';
import { holdBelow, listBelow } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/**
 * Holds the tags that come into the page with their address: those of its HTML behind our own tag, and in shadow trees. A parser
 * lets observers run before it runs a script (https://html.spec.whatwg.org/multipage/parsing.html#scriptEndTag); what the browser
 * has asked for ahead of that is told.
 */
export function holdPage(gate: RequestGate, form: HeldForm): Undo {
  const findRoot = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get;
  const seen = new WeakSet<ShadowRoot>();

  const look = (records: readonly MutationRecord[]): void => {
    if (gate.isOpen) return;
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue;
      if (form.holdTag(node)) settle(node);
      holdBelow(form, node).forEach(settle);
      for (const host of [node, ...listBelow(node, '*')]) watch(findRoot?.call(host));
    }
  };
  const observer = new MutationObserver(look);
  const kinds = { childList: true, subtree: true };
  observer.observe(document, kinds);

  /** A tree that markup has declared is there with its tags. */
  const watch = (root: ShadowRoot | null): void => {
    if (!root || seen.has(root)) return;
    seen.add(root);
    observer.observe(root, kinds);
    holdBelow(form, root).forEach(settle);
    for (const host of listBelow(root, '*')) watch(findRoot?.call(host));
  };

  const restore = replaceMethod(
    Element.prototype,
    'attachShadow',
    (native) =>
      ({
        attachShadow(this: Element, ...args: unknown[]) {
          const root: ShadowRoot = native.apply(this, args);
          watch(root);
          return root;
        },
      }).attachShadow,
  );
  return () => {
    restore();
    observer.disconnect();
  };
}

function settle(tag: Element): void {
  const address = ['src', 'href', 'data-src', 'data-href', 'data-srcset', 'data-poster'].map((name) =>
    tag.getAttribute(name),
  );
  reportProblem(
    `data-requests: <${tag.localName}> of ${address.find((one) => one)} is held, but the browser may have asked for it before. ` +
      `Write data-svc-purpose="${tag.getAttribute('data-svc-purpose')}" on it, and its address as data-src or data-href.`,
  );
  // A frame goes on with what it began unless it is put in anew.
  if (tag.localName === 'iframe') tag.parentNode?.insertBefore(tag, tag.nextSibling);
}
