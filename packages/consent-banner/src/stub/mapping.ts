/** A purpose key, and a name that stands for it. */
export type Mapped = readonly [key: string, name: string];

/** Reads an attribute in the grammar `key: name name; key: name`. What does not fit maps nothing. */
export function readMapping(text: string | null | undefined): readonly Mapped[] {
  return (text ?? '').split(';').flatMap((pair) => {
    const [key, names] = pair.split(':');
    return (names?.match(/\S+/g) ?? []).map((name) => [(key as string).trim(), name] as const);
  });
}
