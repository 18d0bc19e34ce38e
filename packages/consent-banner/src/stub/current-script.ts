/**
 * The script tag that runs now; to be asked while a file first runs. By the getter itself, for an image of the name
 * `currentScript` would take its place on `document`.
 */
export function currentScript(): HTMLScriptElement | null {
  return Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;
}
