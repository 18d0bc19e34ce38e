import type { HeldForm } from './held-form.ts';
import { addressNames } from './tag-addresses.ts';

/** Every tag that may wait. */
const TAGS: string = [...addressNames]
  .flatMap(([tag, names]) => names.map((name) => `${tag}[${name}]`))
  .concat('script[*|href]')
  .join();

type Root = Element | DocumentFragment;

export function isRoot(node: unknown): node is Root {
  return node instanceof Element || node instanceof DocumentFragment;
}

/** By the root's own method: the controls of a form would take its place. */
export function listBelow(root: Root, selector: string): readonly Element[] {
  const { querySelectorAll } = root instanceof Element ? Element.prototype : DocumentFragment.prototype;
  return [...(querySelectorAll.call(root, selector) as NodeListOf<Element>)];
}

/** The root itself, where it is an element, and those below it that the selector names. */
export function listFrom(root: Root, selector: string): readonly Element[] {
  return [...(root instanceof Element ? [root] : []), ...listBelow(root, selector)];
}

/** Holds the root and the tags below it. @returns those. */
export function holdBelow(form: HeldForm, root: Root): readonly Element[] {
  return listFrom(root, TAGS).filter((tag) => form.holdTag(tag));
}

/** Notes the scripts that a parser created for another script: they never run, so nothing waits for them. */
export function spendBelow(form: HeldForm, root: Root): void {
  for (const script of listBelow(root, 'script')) form.spend(script);
}
