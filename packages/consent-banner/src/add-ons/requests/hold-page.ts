import { reportProblem } from '../../report-problem.ts';
import { holdBelow, listFrom } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/** The attributes by which the banner knows what waits, but for the type of a script. */
const FORM = ['src', 'href', 'srcset', 'poster', 'svc-purpose'].map((name) => `data-${name}`);

/**
 * Holds the tags that come into the page with their address: those of its HTML behind our own tag, and in shadow trees. A parser
 * lets observers run before it runs a script (https://html.spec.whatwg.org/multipage/parsing.html#scriptEndTag); what the browser
 * has requested ahead of that is logged.
 */
export function holdPage(gate: RequestGate, form: HeldForm): Undo {
  const findRoot = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get;
  const seen = new WeakSet<ShadowRoot>();

  const look = (records: readonly MutationRecord[]): void => {
    // The last one first, for that is how it was.
    for (const { target, attributeName, oldValue } of [...records].reverse())
      if (attributeName) form.keep(target as Element, attributeName, oldValue);
    if (gate.isOpen) return;
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof Element) lookInto(node);
  };
  const observer = new MutationObserver(look);
  const kinds = { childList: true, subtree: true, attributeFilter: FORM, attributeOldValue: true };
  observer.observe(document, kinds);

  const lookInto = (root: Element | ShadowRoot): void => {
    holdBelow(form, root).forEach(settle);
    for (const one of listFrom(root, '*')) {
      watch(findRoot?.call(one));
      // A style sheet that never loads must not delay anything.
      if (one.localName === 'link' && !one.getAttribute('href') && form.has(one))
        setTimeout(() => one.dispatchEvent(new Event('error')));
    }
  };

  /** A tree that markup has declared is there with its tags. */
  const watch = (root: ShadowRoot | null): void => {
    if (!root || seen.has(root)) return;
    seen.add(root);
    observer.observe(root, kinds);
    lookInto(root);
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
  const [address] = ['src', 'href', ...FORM].flatMap((name) => tag.getAttribute(name) || []);
  reportProblem(
    `data-requests: <${tag.localName}> of ${address} is held, but the browser may have asked for it before. ` +
      `Write data-svc-purpose="${tag.getAttribute('data-svc-purpose')}" and data-src or data-href on it.`,
  );
  // A frame continues what it began unless it is inserted again.
  if (tag.localName === 'iframe') tag.parentNode?.insertBefore(tag, tag.nextSibling);
}
