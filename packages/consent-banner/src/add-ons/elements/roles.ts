/** What an element of the page is for, as its attribute `data-svc` says. */
export type Role =
  | 'banner'
  | 'preferences'
  | 'purpose'
  | 'purpose-name'
  | 'purpose-description'
  | 'purpose-switch'
  | ButtonRole;

/** What a press of a button does. */
export type ButtonRole = (typeof buttonRoles)[number];

export const buttonRoles = ['accept', 'reject', 'save', 'open', 'close', 'withdraw', 'receipt'] as const;

/** The buttons that do something. */
export const buttonSelector = buttonRoles.map((role) => `button[data-svc="${role}"]`).join();

const roles: readonly string[] = [
  'banner',
  'preferences',
  'purpose',
  'purpose-name',
  'purpose-description',
  'purpose-switch',
  ...buttonRoles,
] satisfies Role[];

/** The key of the purpose that a drawn part is about. */
export const KEY = 'data-svc-key';

/**
 * The elements below a node that a selector fits, and the node itself where it does. The controls of a form take the place
 * of its methods, so a form has no role, and no form is asked by its own methods.
 */
export function findAll<T extends HTMLElement = HTMLElement>(node: Element, selector: string): readonly T[] {
  const found = [...Element.prototype.querySelectorAll.call(node, `${selector}:not(form)`)] as T[];
  return Element.prototype.matches.call(node, `${selector}:not(form)`) ? [node as T, ...found] : found;
}

/** The elements below a node with a role. */
export function findRole<T extends HTMLElement = HTMLElement>(node: Element, role: Role): readonly T[] {
  return findAll<T>(node, `[data-svc="${role}"]`);
}

/** The nearest element around a node, or the node itself, that a selector fits. */
export function findAround(node: Element, selector: string): HTMLElement | null {
  return Element.prototype.closest.call(node, selector) as HTMLElement | null;
}

/** The layer that an element is in: the banner or the preferences. */
export function findLayer(element: Element): HTMLElement | null {
  return findAround(element, '[data-svc="banner"],[data-svc="preferences"]');
}

/** What an element around ours has: of a form by the prototype, for its controls take the place of its properties. */
export function readProperty<Name extends keyof HTMLElement>(element: HTMLElement, name: Name): HTMLElement[Name] {
  const owner = element instanceof HTMLFormElement ? HTMLElement.prototype : element;
  return Reflect.get(owner, name, element) as HTMLElement[Name];
}

/** The values of `data-svc` that mean nothing, and forms that have one. */
export function listUnknownRoles(view: Element): readonly string[] {
  const marked = [...Element.prototype.querySelectorAll.call(view, '[data-svc]')];
  return marked.flatMap((element) => {
    const role = Element.prototype.getAttribute.call(element, 'data-svc') ?? '';
    if (!roles.includes(role)) return `data-svc="${role}" is not understood. It must be one of ${roles.join(', ')}.`;
    return element instanceof HTMLFormElement
      ? `data-svc="${role}" is on a <form>. Write it on an element around it or in it.`
      : [];
  });
}
