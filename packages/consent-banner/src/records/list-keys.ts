import { attempt } from '../state/attempt.ts';
import { memory } from '../state/safe-storage.ts';

/** The stored keys that begin with a prefix, in order. */
export function listKeys(prefix: string): readonly string[] {
  const stored = attempt(() => Object.keys(localStorage)) ?? [];
  return [...stored, ...memory.keys()].filter((key) => key.startsWith(prefix)).sort();
}
