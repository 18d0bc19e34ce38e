/**
 * The running script tag; call it while the file first runs. Through the prototype's getter, because an image named
 * `currentScript` would shadow it on `document`.
 */
export function currentScript(): HTMLScriptElement | null {
  return Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
}

/** The tag of a further file. */
export interface LoadedScript extends HTMLScriptElement {
  /** Passes the export of the file. */
  readonly done: (handedOver: unknown) => void;
}

/** Passes the export of a further file to the script that loaded it. In a tag that the page wrote, the file does nothing. */
export function handOver(part: unknown): void {
  (currentScript() as Partial<LoadedScript> | null)?.done?.(part);
}
