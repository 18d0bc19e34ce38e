import type { Words } from './words.ts';

/** Formats "A, B and C" by the pattern of the language. */
export function listNames(names: readonly string[], { list }: Words): string {
  const [, comma = ', ', and = ', '] = (list ?? '').split(/\{\w+\}/);
  // Isolates the writing direction of each name.
  const isolated = names.map((name) => `\u2068${name}\u2069`);
  const last = isolated.pop() ?? '';
  return isolated.length ? isolated.join(comma) + and + last : last;
}
