type Child = Node | string;

/** Creates an element from properties and children only: a name that a page chose is inserted as text, whatever it contains. */
export function createNode<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  Object.assign(node, properties);
  node.append(...children);
  return node;
}

/** @param name accessible name, if its text is not enough. */
export function createButton(text: string, onClick: () => void, name?: string): HTMLButtonElement {
  return createNode('button', { type: 'button', onclick: onClick, ...(name && { ariaLabel: name }) }, text);
}
