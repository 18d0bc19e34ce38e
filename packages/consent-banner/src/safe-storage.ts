import { attempt } from './stub/attempt.ts';

// `localStorage` is a getter that may throw (cookies blocked, sandboxed frame), and so may each call on it (full).
// What could not be stored lives here until the page goes.
const memory = new Map<string, string>();

export function readItem(key: string): string | null {
  return memory.get(key) ?? attempt(() => localStorage.getItem(key)) ?? null;
}

/** Stores for good if it can, else for this page. An older value never outlives a newer one that did not fit. */
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

export function removeItem(key: string): void {
  memory.delete(key);
  attempt(() => localStorage.removeItem(key));
}

/** The stored keys that begin with a prefix, in order. */
export function listKeys(prefix: string): readonly string[] {
  const stored = attempt(() => Object.keys(localStorage)) ?? [];
  return [...stored, ...memory.keys()].filter((key) => key.startsWith(prefix)).sort();
}
