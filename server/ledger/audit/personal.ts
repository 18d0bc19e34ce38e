import type { Json } from '../canonical.ts';

/** A text in an audit event that identifies a person: the entry has a commitment to it, and an erasure clears it. */
export class Personal {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** A part of an event that may contain personal texts. */
export type MaybePersonal = Json | Personal | readonly MaybePersonal[] | { readonly [key: string]: MaybePersonal };

/** Marks a text that identifies a person, wherever it is in an event; null stays null. */
export function personal<Text extends string | null>(text: Text): Text extends string ? Personal : null;
export function personal(text: string | null): Personal | null {
  return text === null ? null : new Personal(text);
}

/** A personal text of an event, and where it was. */
export interface FoundText {
  /** The names of the fields that lead to it, with dots between: `diff.after.userName`. */
  readonly path: string;
  readonly value: string;
}

/** Replaces the personal texts of an event by null. What contains none is not copied: most events name no person. */
export function takePersonal(event: Readonly<Record<string, MaybePersonal>>) {
  const found: FoundText[] = [];
  const take = (value: unknown, path: string): unknown => {
    if (value instanceof Personal) {
      found.push({ path, value: value.value });
      return null;
    }
    if (typeof value !== 'object' || value === null) return value;
    let taken: Record<string, unknown> | null = null;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'object' || field === null) continue;
      const rest = take(field, path === '' ? name : `${path}.${name}`);
      if (rest === field) continue;
      taken ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      taken[name] = rest;
    }
    return taken ?? value;
  };
  return { rest: take(event, '') as Readonly<Record<string, Json>>, found };
}

/** Puts texts back to where they were. Those that are not given stay null. */
export function putPersonal(event: object, texts: readonly FoundText[]): void {
  for (const { path, value } of texts) {
    const names = path.split('.');
    const last = names.pop() as string;
    const holder = names.reduce((one, name) => one?.[name] as AnyObject | undefined, event as AnyObject | undefined);
    if (holder !== undefined && holder !== null && Object.hasOwn(holder, last)) holder[last] = value;
  }
}

interface AnyObject {
  [name: string]: unknown;
}
