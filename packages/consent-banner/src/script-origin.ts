// Read while the file first runs: later, `currentScript` is another script or none at all. By the getter itself, for an
// image of that name would take its place on `document`. Modules have no `currentScript`, and the built script has no
// `import.meta` (its build says undefined).
const script = globalThis.document && Reflect.get(Document.prototype, 'currentScript', document);
const address = (script as HTMLScriptElement | null)?.src || import.meta.url;

/** Where this code came from: the API's origin unless `api-base` says otherwise. */
export function scriptOrigin(): string {
  return /^http/.test(address ?? '') ? new URL(address).origin : location.origin;
}
