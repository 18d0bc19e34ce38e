// Read while the file first runs: later, `currentScript` is another script or null. Through the prototype's getter,
// because an image with that name would shadow it on `document`. Modules have no `currentScript`, and the built script has
// no `import.meta` (its build replaces it with undefined).
const script = globalThis.document && Reflect.get(Document.prototype, 'currentScript', document);
const address = (script as HTMLScriptElement | null)?.src || import.meta.url;

/** The origin of this script: that of the API unless `api-base` is set. */
export function scriptOrigin(): string {
  return /^http/.test(address ?? '') ? new URL(address).origin : location.origin;
}
