import { attempt } from '../../stub/attempt.ts';
import { holdBelow, isRoot, listBelow, spendBelow } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { holdCopies } from './hold-copies.ts';
import { holdWrite } from './hold-write.ts';
import { namesHeldHost } from './name-hosts.ts';
import { type Method, replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/** Where `insertAdjacentHTML` puts its nodes, and by which method they go there. */
const PLACES = new Map([
  ['beforebegin', 'before'],
  ['afterbegin', 'prepend'],
  ['beforeend', 'append'],
  ['afterend', 'after'],
] as const);

/**
 * Holds tags in markup that a script puts in. Markup that names such a host is parsed where nothing loads, and its nodes go in
 * the place of the text: what Trusted Types have let pass needs no policy of ours.
 */
export function holdMarkup(gate: RequestGate, form: HeldForm): readonly Undo[] {
  const template = Document.prototype.createElement.call(document, 'template') as HTMLTemplateElement;
  const inert = template.content.ownerDocument;
  const setInner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')?.set as Method;

  const parseIn = (context: unknown, markup: unknown, set = setInner): Element => {
    const holder = context instanceof Element ? inert.importNode(context, false) : inert.createElement('body');
    set.call(holder, markup);
    return holder;
  };

  /** The nodes of markup in the place of an element's children; undefined where it may go in as it is. */
  const parse = (context: unknown, markup: unknown, set?: Method): DocumentFragment | undefined =>
    namesHeldHost(gate, markup) && (context as Element | null)?.localName !== 'noscript'
      ? attempt(() => {
          const holder = parseIn(context, markup, set);
          // Text where scripts run, as in the page; elements where none does, as here.
          for (const fallback of listBelow(holder, 'noscript')) fallback.textContent = fallback.innerHTML;
          spendBelow(form, holder);
          return holdBelow(form, holder).length > 0 ? takeNodes(holder) : undefined;
        })
      : undefined;

  /** Puts markup in as the page would, and notes the scripts that have come with it. */
  const put = (root: unknown, markup: unknown, run: () => unknown): unknown => {
    const isWithScripts = !gate.isOpen && /<script/i.test(attempt(() => String(markup)) ?? '');
    const list = (): readonly Element[] => (isWithScripts && isRoot(root) ? listBelow(root, 'script') : []);
    const before = new Set(list());
    const answer = run();
    for (const script of list()) if (!before.has(script)) form.spend(script);
    return answer;
  };

  return [
    ...[Element, ShadowRoot].flatMap(({ prototype }) => [
      replaceAccessors(prototype, 'innerHTML', (_, set) => ({
        set(this: Element | ShadowRoot, markup: unknown) {
          const root = this instanceof ShadowRoot ? this.host : this;
          const isTemplate = root instanceof HTMLTemplateElement;
          const nodes = isTemplate ? undefined : parse(root, markup);
          const { replaceChildren } = prototype;
          if (nodes) replaceChildren.call(this, nodes);
          else put(isTemplate ? root.content : this, markup, () => set.call(this, markup));
        },
      })),
      replaceMethod(
        prototype,
        'setHTMLUnsafe',
        (native) =>
          ({
            setHTMLUnsafe(this: Element | ShadowRoot, ...args: unknown[]) {
              const root = this instanceof ShadowRoot ? this.host : this;
              const isTemplate = root instanceof HTMLTemplateElement;
              const nodes = isTemplate || args.length !== 1 ? undefined : parse(root, args[0], native);
              const { replaceChildren } = prototype;
              if (nodes) replaceChildren.call(this, nodes);
              else put(isTemplate ? root.content : this, args[0], () => native.apply(this, args));
            },
          }).setHTMLUnsafe,
      ),
    ]),
    replaceAccessors(Element.prototype, 'outerHTML', (get, set) => ({
      // Routers that load a page into this one compare the scripts by it.
      get(this: Element) {
        return get.call(form.findWritten(this));
      },
      set(this: Element, markup: unknown) {
        const parent = attempt(() => this.parentNode);
        const nodes = isRoot(parent) ? parse(parent, markup) : undefined;
        if (nodes) Element.prototype.replaceWith.call(this, nodes);
        else put(parent, markup, () => set.call(this, markup));
      },
    })),
    replaceMethod(
      Element.prototype,
      'insertAdjacentHTML',
      (native) =>
        ({
          insertAdjacentHTML(this: Element, ...args: unknown[]) {
            const [where, markup] = args;
            const place = PLACES.get(String(where).toLowerCase() as 'beforebegin');
            const root = /^(app|pre)end$/.test(place ?? '') ? this : attempt(() => this.parentElement);
            const context = root?.localName === 'html' ? null : root; // Only in this method, the root's parser is the body's.
            const nodes = place && root && args.length > 1 ? parse(context, markup) : undefined;
            if (nodes) Element.prototype[place as 'before'].call(this, nodes);
            else put(root, markup, () => native.apply(this, args));
          },
        }).insertAdjacentHTML,
    ),
    // Of what these let pass, scripts and frames wait until they are put in, and the rest for a microtask.
    ...[Range, Element, ShadowRoot].flatMap(({ prototype }) =>
      ['createContextualFragment', 'setHTML'].map((name) =>
        replaceMethod(
          prototype,
          name,
          (native) =>
            ({
              make(this: Element | Range, ...args: unknown[]) {
                const fragment: DocumentFragment | undefined = native.apply(this, args);
                if (!gate.isOpen) holdBelow(form, fragment ?? (this as Element));
                return fragment;
              },
            }).make,
        ),
      ),
    ),
    ...holdWrite(gate, form, (markup) => parseIn(undefined, markup)),
    ...holdCopies(gate, form),
  ];
}

/** By a range: the controls of a form would take the place of its methods. */
function takeNodes(holder: Element): DocumentFragment {
  const range = new Range();
  range.selectNodeContents(holder);
  return range.extractContents();
}
