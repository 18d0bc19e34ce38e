import { attempt } from './attempt.ts';

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

export function removeItem(key: string): void {
  memory.delete(key);
  attempt(() => localStorage.removeItem(key));
}
