type Child = Node | string;

/** Makes an element by properties and children alone: a name that a page chose is text, whatever it holds. */
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

/** @param name what it says to a screen reader, when its text alone would not do. */
export function createButton(text: string, onClick: () => void, name?: string): HTMLButtonElement {
  return createNode('button', { type: 'button', onclick: onClick, ...(name && { ariaLabel: name }) }, text);
}
