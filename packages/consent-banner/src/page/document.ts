// An element whose name is that of a member hides it on `document`, such as an image named `currentScript`: the members are
// those of the prototype.

/** The running script tag; call it while the file first runs. */
export function currentScript(): HTMLScriptElement | null {
  return Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
}

/** The elements of the page, or of a shadow tree, that match. */
export function queryAll<T extends Element = HTMLElement>(selector: string, root: ParentNode = document): readonly T[] {
  const { querySelectorAll } = Reflect.getPrototypeOf(root) as ParentNode;
  return [...(querySelectorAll.call(root, selector) as NodeListOf<T>)];
}

/** The tag of a file that a script loads. */
export interface LoadedScript extends HTMLScriptElement {
  /** Passes the export of the file. */
  readonly done: (handedOver: unknown) => void;
}

/** Passes the export of a file to the script that loaded it. In a tag that the page wrote, the file does nothing. */
export function handOver(part: unknown): void {
  (currentScript() as Partial<LoadedScript> | null)?.done?.(part);
}
