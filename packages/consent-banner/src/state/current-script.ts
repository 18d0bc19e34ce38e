/**
 * The running script tag; call it while the file first runs. Through the prototype's getter, because an image named
 * `currentScript` would shadow it on `document`.
 */
export function currentScript(): HTMLScriptElement | null {
  return Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
}
