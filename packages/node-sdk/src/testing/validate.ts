import { conditions, readers, type Told } from './conditions.ts';
import { requestRules } from './request-rules.ts';
import type { Check, Rule } from './rules.ts';

/** One value that breaks its rule, as the API names it: `body.purposes.analytics`. */
export interface Detail {
  readonly path: string;
  readonly issue: string;
}

type Key = string | number;

/** Something wrong; `goesOn` tells whether later checks of the same value still look at it. */
interface Issue {
  readonly path: readonly Key[];
  readonly issue: string;
  readonly goesOn?: boolean;
}

/** A value as far as it was read. */
interface Reading {
  readonly value: unknown;
  readonly issues: readonly Issue[];
  /** Whether what stands after it in a row of rules was not reached. */
  readonly isEnded?: boolean;
}

/**
 * Reads a part of a request as the server does.
 * @param where what the paths of issues begin with.
 * @returns the value as the server understands it, and what is wrong with it.
 */
export function validatePart(rule: number, value: unknown, where: string) {
  const reading = read(rule, value);
  const details = reading.issues.map(({ path, issue }): Detail => ({ path: [where, ...path].join('.'), issue }));
  return { value: reading.value, details };
}

function read(place: number, value: unknown): Reading {
  const rule = requestRules.rules[place] as Rule;
  switch (rule[0]) {
    case 'string':
    case 'number':
    case 'boolean': {
      const [type, ...checks] = rule;
      return check(typeof value === type ? good(value) : wrongType(type, value), checks);
    }
    case 'any':
      return good(value);
    case 'union': {
      const readings = rule[1].map((option) => read(option, value));
      return readings.find(({ issues }) => issues.length === 0) ?? findMeant(readings) ?? bad(value, rule[2]);
    }
    case 'enum': {
      const options = rule[1].map((option) => JSON.stringify(option));
      if (rule[1].includes(value as string)) return good(value);
      return bad(
        value,
        `Invalid ${options.length > 1 ? 'option: expected one of ' : 'input: expected '}${options.join('|')}`,
      );
    }
    case 'array': {
      const [, items, ...checks] = rule;
      return check(
        Array.isArray(value) ? readMembers(value.entries(), () => items, []) : wrongType('array', value),
        checks,
      );
    }
    case 'record': {
      const [, keys, values, ...checks] = rule;
      const ruleOf = (key: Key) => {
        const wrong = read(keys, key).issues;
        return wrong.length > 0 ? wrong.map(({ issue }) => issue) : values;
      };
      return check(
        isObject(value) ? readMembers(Object.entries(value), ruleOf, {}) : wrongType('record', value),
        checks,
      );
    }
    case 'object': {
      const [, shape, ...checks] = rule;
      return check(isObject(value) ? readFields(shape, value) : wrongType('object', value), checks);
    }
    case 'optional':
      return value === undefined ? good(value) : read(rule[1], value);
    case 'nullable':
      return value === null ? good(value) : read(rule[1], value);
    case 'default':
      return value === undefined ? good(rule[2]) : read(rule[1], value);
    case 'prefault':
      return read(rule[1], value === undefined ? rule[2] : value);
    case 'pipe': {
      const [, first, second, ...checks] = rule;
      const left = read(first, value);
      return check(left.issues.length > 0 ? { ...left, isEnded: true } : read(second, left.value), checks);
    }
    case 'read': {
      const told = readers[rule[1]]?.(value as string) ?? { issue: 'Invalid input' };
      return 'issue' in told ? bad(value, told.issue) : good(told.value);
    }
  }
}

/** The one option whose type a value has: what is wrong with the value by that option is clearer than that none fits. */
function findMeant(readings: readonly Reading[]): Reading | undefined {
  const [meant, ...others] = readings.filter(({ issues }) => issues.every(({ goesOn }) => goesOn === true));
  return others.length === 0 ? meant : undefined;
}

/** Every field that there may be, then those that there may not. */
function readFields(shape: Readonly<Record<string, number>>, value: Readonly<Record<string, unknown>>): Reading {
  const fields = Object.keys(shape).map((name): [string, unknown] => [
    name,
    Object.hasOwn(value, name) ? value[name] : undefined,
  ]);
  const known = readMembers(fields, (name) => shape[name] as number, {});
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(shape, name));
  return {
    ...known,
    issues: [
      ...known.issues,
      ...unknown.map((name) => ({ path: [name], issue: 'is not a known field', goesOn: true })),
    ],
  };
}

function readMembers(
  members: Iterable<readonly [Key, unknown]>,
  ruleOf: (key: Key) => number | readonly string[],
  empty: object,
): Reading {
  const issues: Issue[] = [];
  const value = empty as Record<Key, unknown>;
  for (const [key, member] of members) {
    const rule = ruleOf(key);
    const reading =
      typeof rule === 'number'
        ? read(rule, member)
        : { value: undefined, issues: rule.map((issue) => ({ path: [], issue })) };
    if (reading.value !== undefined) value[key] = reading.value;
    issues.push(...reading.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })));
  }
  return { value, issues };
}

/** Runs checks in their order. What breaks the type ends them, but for lengths, which anything with a length has. */
function check(reading: Reading, checks: readonly Check[]): Reading {
  let { value } = reading;
  const issues = [...reading.issues];
  for (const one of checks) {
    const isStopped = reading.isEnded === true || issues.some(({ goesOn }) => goesOn === false);
    const isAborted = isStopped || issues.some(({ goesOn }) => goesOn !== true);
    if (one[0] === 'min' || one[0] === 'max' ? isStopped || !hasLength(value) : isAborted) continue;
    const told = runCheck(one, value);
    if (!Array.isArray(told)) ({ value } = told as { value: unknown });
    else issues.push(...told);
  }
  return { ...reading, value, issues };
}

type Lengthy = string | readonly unknown[];

function runCheck(one: Check, value: unknown): readonly Issue[] | { readonly value: unknown } {
  switch (one[0]) {
    case 'min':
    case 'max': {
      const [name, bound, stop] = one;
      const length = Array.from(value as Lengthy).length;
      if (name === 'min' ? length >= bound : length <= bound) return [];
      const [kind, unit] = typeof value === 'string' ? ['string', 'characters'] : ['array', 'items'];
      const issue = `Too ${name === 'min' ? 'small' : 'big'}: expected ${kind} to have ${name === 'min' ? '>=' : '<='}${bound} ${unit}`;
      return [{ path: [], issue, goesOn: stop === undefined }];
    }
    case 'atLeast':
    case 'atMost':
      return boundIssue('number', one[0] === 'atLeast', one[1], value as number);
    case 'int':
      if (!Number.isInteger(value))
        return [{ path: [], issue: 'Invalid input: expected int, received number', goesOn: false }];
      return [
        ...boundIssue('int', false, Number.MAX_SAFE_INTEGER, value as number),
        ...boundIssue('int', true, Number.MIN_SAFE_INTEGER, value as number),
      ];
    case 'trim':
      return { value: (value as string).trim() };
    case 'lower':
      return { value: (value as string).toLowerCase() };
    case 'upper':
      return { value: (value as string).toUpperCase() };
    case 'lines':
      return { value: (value as string).replace(/\r\n?/g, '\n') };
    case 'pattern':
      return new RegExp(one[1], one[2]).test(value as string) ? [] : [{ path: [], issue: one[3], goesOn: true }];
    case 'rule': {
      const [, name, issue, ...path] = one;
      const places: readonly Told[] = conditions[name]?.(value as never, path) ?? [];
      return places.map((told) => ({ path: told.path, issue: told.issue ?? issue, goesOn: name !== 'atMostKeys' }));
    }
  }
}

function boundIssue(kind: string, isLow: boolean, bound: number, value: number): readonly Issue[] {
  if (isLow ? value >= bound : value <= bound) return [];
  const issue = `Too ${isLow ? 'small' : 'big'}: expected ${kind} to be ${isLow ? '>=' : '<='}${bound}`;
  return [{ path: [], issue, goesOn: true }];
}

const good = (value: unknown): Reading => ({ value, issues: [] });
const bad = (value: unknown, issue: string): Reading => ({ value, issues: [{ path: [], issue }] });

function wrongType(expected: string, value: unknown): Reading {
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return bad(value, `Invalid input: expected ${expected}, received ${received}`);
}

function hasLength(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
