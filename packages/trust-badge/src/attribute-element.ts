/** A base class without a DOM, so that the class can be defined on a server. */
const BaseElement: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * An element whose properties reflect its attributes, as in HTML. It renders once per task after any of them changes.
 */
export abstract class AttributeElement extends BaseElement {
  #isUpdating = false;

  /** Properties that were set before the element was defined would hide the accessors. */
  connectedCallback(): void {
    for (const [name, value] of Object.entries(this)) {
      delete this[name as never];
      this[name as never] = value as never;
    }
    this.requestUpdate();
  }

  attributeChangedCallback(): void {
    this.requestUpdate();
  }

  requestUpdate(): void {
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    queueMicrotask(() => {
      this.#isUpdating = false;
      if (this.isConnected) this.update();
    });
  }

  protected abstract update(): void;
}

/** The property name of an attribute: `api-base` is `apiBase`. */
export function nameProperty(attribute: string): string {
  return attribute.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Adds an accessor for each attribute to a class. Null and undefined remove the attribute. */
export function defineProperties(element: typeof AttributeElement, attributes: readonly string[]): void {
  for (const attribute of attributes) {
    Object.defineProperty(element.prototype, nameProperty(attribute), {
      get(this: HTMLElement) {
        return this.getAttribute(attribute);
      },
      set(this: HTMLElement, value: unknown) {
        if (value == null) this.removeAttribute(attribute);
        else this.setAttribute(attribute, `${value}`);
      },
    });
  }
}
