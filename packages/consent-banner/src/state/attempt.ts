/** The result of a read, or undefined if the browser forbids it or it throws. */
export function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}

/** The first element of the page that matches, also if an image named `querySelector` hides the method of the document. */
export function query<T extends Element = HTMLElement>(selector: string): T | null {
  return Document.prototype.querySelector.call(document, selector) as T | null;
}
