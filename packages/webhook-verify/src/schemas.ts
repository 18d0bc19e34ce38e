import { fail, requireObject } from './error.ts';
import { eventShapes } from './event-shapes.ts';
import type { WebhookEvent } from './options.ts';

/** Expected kind of a value, as an issue names it. */
export type Kind = keyof typeof kinds;

/** The kind of each field. */
export interface Shape {
  readonly [field: string]: Kind | Shape;
}

/** A mismatch between the data of an event and its type, described without any of the data. */
export interface EventDataIssue {
  /** `data.after.role`. */
  readonly path: string;
  readonly issue: string;
}

/**
 * Lists the mismatches between the data of an event and its type. Fields and types that are newer than this version
 * pass.
 */
export function findEventDataIssues(event: WebhookEvent): readonly EventDataIssue[] {
  const { type, data } = requireObject(event);
  return Object.hasOwn(eventShapes, type) ? findIssues(eventShapes[type] as Shape, data, 'data') : [];
}

/**
 * Refuses an event of a known type with other data than its type says: the `validate` of verifiers and adapters.
 * @throws {WebhookVerificationError} `event_data_invalid`.
 */
export function checkEventData(event: WebhookEvent): undefined {
  const issues = findEventDataIssues(event).map(({ path, issue }) => `${path} ${issue}`);
  if (issues.length > 0)
    fail(
      'event_data_invalid',
      `Signed, but not as this version knows its type: ${issues.join('; ')}. Update the package.`,
    );
}

function findIssues(shape: Shape, value: unknown, path: string): readonly EventDataIssue[] {
  if (!isPlain(value)) return [{ path, issue: 'must be an object' }];
  return Object.entries(shape).flatMap(([name, kind]) => {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const place = `${path}.${name}`;
    if (typeof kind === 'object') return findIssues(kind, field, place);
    return kinds[kind](field) ? [] : [{ path: place, issue: `must be ${kind}` }];
  });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isString = (value: unknown) => typeof value === 'string';

/** How a value of each kind is known. */
const kinds = {
  'a string': isString,
  'a string or null': (value: unknown) => value === null || isString(value),
  'an integer': Number.isSafeInteger,
  'an integer or null': (value: unknown) => value === null || Number.isSafeInteger(value),
  'a boolean': isBoolean,
  'a boolean, or absent': (value: unknown) => value === undefined || isBoolean(value),
  'an object of booleans': (value: unknown) => isPlain(value) && Object.values(value).every(isBoolean),
  'an object of strings or null': (value: unknown) =>
    value === null || (isPlain(value) && Object.values(value).every(isString)),
} as const;
