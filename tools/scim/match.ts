/** A test of a value that is not known beforehand. */
export interface Check {
  /** Requirement for the value, in words. */
  readonly is: string;
  accepts(value: unknown): boolean;
}

/**
 * Requirement for a value: a check, the value itself, an array with these items, or an object that has these attributes and
 * any others.
 */
export type Expectation =
  | Check
  | string
  | number
  | boolean
  | null
  | readonly Expectation[]
  | { readonly [name: string]: Expectation };

export const isText: Check = { is: 'a text', accepts: (value) => typeof value === 'string' && value !== '' };
export const isInteger: Check = { is: 'a whole number', accepts: Number.isInteger };
export const isAbsent: Check = { is: 'left out', accepts: (value) => value === undefined };

/** An array that has this item among others. */
export function includes(item: string): Check {
  return { is: `an array with ${item}`, accepts: (value) => Array.isArray(value) && value.includes(item) };
}

/** The members of a group: exactly these persons, in any order. */
export function areMembers(ids: readonly string[]): Check {
  const wanted = ids.toSorted().join(', ');
  return {
    is: `the members ${wanted === '' ? '(none)' : wanted}`,
    accepts: (value) =>
      Array.isArray(value) &&
      value
        .map((member) => member?.value)
        .toSorted()
        .join(', ') === wanted,
  };
}

/** Says how a value differs from what it must be; nothing when it does not. */
export function findDifferences(expected: Expectation, value: unknown, where = 'body'): readonly string[] {
  const differs = (is: string) => [`${where} must be ${is}, not ${show(value)}`];
  if (isCheck(expected)) return expected.accepts(value) ? [] : differs(expected.is);
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return differs('an array');
    if (value.length !== expected.length) return differs(`an array of ${expected.length}`);
    return expected.flatMap((item, index) => findDifferences(item, value[index], `${where}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return differs('an object');
    const attributes = value as Readonly<Record<string, unknown>>;
    return Object.entries(expected).flatMap(([name, item]) =>
      findDifferences(item, attributes[name], `${where}.${name}`),
    );
  }
  return Object.is(expected, value) ? [] : differs(show(expected));
}

function isCheck(expected: Expectation): expected is Check {
  return typeof expected === 'object' && expected !== null && typeof (expected as Check).accepts === 'function';
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'left out';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
