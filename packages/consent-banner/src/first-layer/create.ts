/** Creates an element. Attributes without a value are left out. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an icon. @param paths the attributes of each. */
export function createIcon(viewBox: string, ...paths: readonly Readonly<Record<string, string>>[]): Element {
  const shape = (name: string): Element => document.createElementNS('http://www.w3.org/2000/svg', name);
  const lines = paths.map((path) => fill(shape('path'), path));
  return fill(shape('svg'), { viewBox, 'aria-hidden': 'true' }, lines);
}

function fill<T extends Element>(
  element: T,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Node | string)[] = [],
): T {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
