/** A purpose key, and a name that stands for it. */
export type Mapped = readonly [key: string, name: string];

/** Reads an attribute in the grammar `key: name name; key: name`. What does not fit maps nothing. */
export function readMapping(text: string | null | undefined): readonly Mapped[] {
  const pairs = [...(text ?? '').matchAll(/([^\s:;]+)\s*:([^:;]+)/g)];
  return pairs.flatMap(([, key = '', names = '']) => (names.match(/\S+/g) ?? []).map((name) => [key, name] as const));
}
