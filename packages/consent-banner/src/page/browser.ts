// A page may have changed the language before our code runs. The rules that follow for all code of the widgets:
//
// - Methods on `Object.prototype`, enumerable ones as well (Prototype.js, MooTools, hand-written `extend`): no `for…in`, no `in`.
//   Ask with `Object.entries`, `Object.keys` or `Object.hasOwn` what an object has; a grant is `=== true`. A descriptor has no
//   prototype, because an inherited `get` makes it invalid.
// - `toJSON` on `Date`, `Array` or `Object`: JSON is written with `toJson`.
// - `toISOString` in another format: times are compared by their value, not by their text.
// - Elements whose names hide members of `document`: methods are called on it through the prototype or the window.
// - `document.currentScript` is null for a module, and inline code has no address: `load-script.ts` has its replacements.
// - The data layer may have another name, or be no array: `consent-mode.ts` finds it.

// `localStorage` is a getter that may throw (cookies blocked, sandboxed frame), and so may each call on it (full).
// Values that could not be stored are kept in memory until the page is left.
export const memory = new Map<string, string>();

export function readItem(key: string): string | null {
  return memory.get(key) ?? attempt(() => localStorage.getItem(key)) ?? null;
}

/** Stores permanently if possible, else for this page. If a new value does not fit, the old one is removed. */
export function writeItem(key: string, value: string): void {
  memory.delete(key);
  const isStored = attempt(() => {
    localStorage.setItem(key, value);
    return true;
  });
  if (isStored) return;
  removeItem(key);
  memory.set(key, value);
}

/** JSON without the `toJSON` of the page: the holder still has the value. */
export function toJson(value: unknown, space?: number): string {
  return JSON.stringify(
    value,
    function (this: Readonly<Record<string, unknown>>, key) {
      return this[key];
    },
    space,
  );
}

export function removeItem(key: string): void {
  memory.delete(key);
  attempt(() => localStorage.removeItem(key));
}

/** The first element of the page that matches, also if an image named `querySelector` hides the method of the document. */
export function query<T extends Element = HTMLElement>(selector: string): T | null {
  return Document.prototype.querySelector.call(document, selector) as T | null;
}

const reported = new Set<string>();

/** Logs an integration problem and its solution in the console, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-consent>: ${problem}`);
}

/** The result of a read, or undefined if the browser forbids it or it throws. */
export function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
