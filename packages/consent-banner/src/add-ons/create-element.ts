type Attributes = Readonly<Record<string, string | undefined>>;

/**
 * Makes an element with attributes and children; an attribute without a value is left out. By the document's own method,
 * for an image of the name `createElement` would take its place on `document`.
 */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Document.prototype.createElement.call(document, name) as HTMLElementTagNameMap[Name];
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** The root of the page, likewise. Its children beside the body outlive a client router that replaces the body. */
export function findRoot(): HTMLElement {
  return Reflect.get(Document.prototype, 'documentElement', document) as HTMLElement;
}
