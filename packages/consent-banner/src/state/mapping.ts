/** A purpose key, and a name that it maps to. */
export type Mapped = readonly [key: string, name: string];

/** Parses an attribute in the grammar `key: name name; key: name`. Invalid text maps nothing. */
export function readMapping(text: string | null | undefined): readonly Mapped[] {
  return (text ?? '').split(';').flatMap((pair) => {
    const [key, names] = pair.split(':');
    return (names?.match(/\S+/g) ?? []).map((name) => [(key as string).trim(), name] as const);
  });
}
