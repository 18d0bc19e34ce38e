import { attempt } from '../../stub/attempt.ts';
import { createElement } from '../create-element.ts';
import { addressNames, type HeldForm, readAttribute } from './held-form.ts';
import { readHost } from './read-host.ts';
import { type Method, replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/** Every tag that may wait. */
const TAGS: string = Object.entries(addressNames)
  .flatMap(([tag, names]) => names.map((name) => `${tag}[${name}]`))
  .join();
const START_TAG = new RegExp(`<(?:${Object.keys(addressNames).join('|')})\\b(?:[^>"']|"[^"]*"|'[^']*')*>`, 'gi');

/** Holds a tag that has an address which waits. @returns whether it had one. */
export function holdTag(form: HeldForm, tag: Element): boolean {
  let isHeld = false;
  for (const name of addressNames[tag.localName] ?? []) {
    const value = readAttribute(tag, name);
    const needs = value && !form.isWaitingScript(tag) ? form.findHold(tag, name, value) : '';
    if (value && needs) form.hold(tag, name, value, needs);
    isHeld ||= needs !== '';
  }
  return isHeld;
}

/** Holds the tags below a root likewise. @returns those. The controls of a form would take the place of its methods. */
export function holdBelow(form: HeldForm, root: Element | DocumentFragment): readonly Element[] {
  const { querySelectorAll } = root instanceof Element ? Element.prototype : DocumentFragment.prototype;
  return [...(querySelectorAll.call(root, TAGS) as NodeListOf<Element>)].filter((tag) => holdTag(form, tag));
}

/**
 * Holds tags in markup that a script puts in. Markup that names such a host is parsed where nothing loads, and its nodes go in
 * the place of the text: what Trusted Types have let pass needs no policy of ours.
 */
export function holdMarkup(gate: RequestGate, form: HeldForm): readonly Undo[] {
  const inert = createElement('template').content.ownerDocument;
  const setInner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')?.set as Method;

  const isNamed = (markup: unknown): boolean => {
    const text = gate.isOpen ? '' : (attempt(() => String(markup)) ?? '');
    if (!/[/\\]{2}/.test(text)) return false;
    return [...text.matchAll(/[/\\]{2}([^/\\?#\x22\x27\s<>&,]+)/g)].some(([, host]) =>
      gate.findHoldOfHost(readHost(`//${host}`)),
    );
  };

  /** The nodes of markup in the place of an element's children; undefined where it may go in as it is. */
  const parse = (context: unknown, markup: unknown): readonly Node[] | undefined =>
    isNamed(markup)
      ? attempt(() => {
          const holder = inert.importNode(context as Element, false);
          setInner.call(holder, markup);
          return holdBelow(form, holder).length > 0 ? [...holder.childNodes] : undefined;
        })
      : undefined;

  /** Start tags alone: what is written may begin and end anywhere. */
  const rewrite = (text: unknown): unknown =>
    typeof text === 'string' && isNamed(text)
      ? text.replace(START_TAG, (tag) => {
          const holder = inert.createElement('div');
          attempt(() => setInner.call(holder, tag));
          return holdBelow(form, holder).length > 0 ? holder.innerHTML.replace(/<\/\w+>$/, '') : tag;
        })
      : text;

  const holdWrite = (name: 'write' | 'writeln'): Undo =>
    replaceMethod(
      Document.prototype,
      name,
      (native) =>
        ({
          write(this: Document, ...texts: unknown[]) {
            return native.apply(this, texts.map(rewrite));
          },
        }).write,
    );

  return [
    ...[Element, ShadowRoot].map(({ prototype }) => {
      const { replaceChildren } = prototype;
      return replaceAccessors(prototype, 'innerHTML', (_, set) => ({
        set(this: Element | ShadowRoot, markup: unknown) {
          const context = this instanceof ShadowRoot ? this.host : this;
          const nodes = context instanceof HTMLTemplateElement ? undefined : parse(context, markup);
          if (nodes) replaceChildren.apply(this, [...nodes]);
          else set.call(this, markup);
        },
      }));
    }),
    replaceAccessors(Element.prototype, 'outerHTML', (_, set) => ({
      set(this: Element, markup: unknown) {
        const nodes = this.parentElement ? parse(this.parentElement, markup) : undefined;
        if (nodes) Element.prototype.replaceWith.apply(this, [...nodes] as Element[]);
        else set.call(this, markup);
      },
    })),
    replaceMethod(
      Element.prototype,
      'insertAdjacentHTML',
      (native) =>
        ({
          insertAdjacentHTML(this: Element, ...args: unknown[]) {
            const where = /^(beforebegin|afterbegin|beforeend|afterend)$/.exec(String(args[0]).toLowerCase())?.[0];
            const isInside = where === 'afterbegin' || where === 'beforeend';
            const nodes = where && args.length > 1 ? parse(isInside ? this : this.parentElement, args[1]) : undefined;
            if (!nodes) return native.apply(this, args);
            const methods = {
              beforebegin: 'before',
              afterbegin: 'prepend',
              beforeend: 'append',
              afterend: 'after',
            } as const;
            Element.prototype[methods[where as keyof typeof methods]].apply(this, [...nodes] as Element[]);
          },
        }).insertAdjacentHTML,
    ),
    replaceMethod(
      Range.prototype,
      'createContextualFragment',
      (native) =>
        ({
          createContextualFragment(this: Range, ...args: unknown[]) {
            const fragment: DocumentFragment = native.apply(this, args);
            if (!gate.isOpen) holdBelow(form, fragment); // Scripts and frames wait until it is put in, images for a microtask.
            return fragment;
          },
        }).createContextualFragment,
    ),
    holdWrite('write'),
    holdWrite('writeln'),
  ];
}
