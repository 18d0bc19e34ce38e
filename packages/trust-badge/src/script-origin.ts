// Read while the file first runs: later, `currentScript` is another script or none at all. Modules have no
// `currentScript`, and the built script has no `import.meta` (its build says undefined).
const script = globalThis.document?.currentScript as HTMLScriptElement | null | undefined;
const address = script?.src || import.meta.url;

/** Where this code came from: the API's origin unless `api-base` says otherwise. */
export function scriptOrigin(): string {
  return /^https?:/.test(address ?? '') ? new URL(address).origin : location.origin;
}
