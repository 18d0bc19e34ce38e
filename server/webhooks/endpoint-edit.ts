import type { Endpoint, EndpointChange } from './endpoint.ts';

const editableFields = [
  'url',
  'description',
  'eventTypes',
  'filter',
  'ordering',
  'rateLimit',
  'retrySchedule',
  'asymmetric',
  'status',
] as const satisfies readonly (keyof EndpointChange)[];

/** What an edit makes of an endpoint. */
export interface EndpointEdit {
  readonly endpoint: Endpoint;
  /** The names of the fields that are now different, of those that a caller may set. */
  readonly changed: readonly (keyof EndpointChange)[];
  /** Whether its failures so far count no more: another address, or one that is taken into use again. */
  readonly startsAnew: boolean;
  /** Whether it is sent to from now on. */
  readonly isResumed: boolean;
}

/** Works out an edit of an endpoint. A status that the caller sets ends what the server itself decided. */
export function applyChange(before: Endpoint, change: EndpointChange): EndpointEdit {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: Endpoint = { ...before, ...given };
  const isDisabled = wanted.status === 'disabled';
  const changed = editableFields.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(wanted[name]));
  const isResumed = wanted.status === 'enabled' && before.status !== 'enabled';
  const startsAnew = changed.includes('url') || isResumed || (before.status === 'disabled' && !isDisabled);
  return {
    endpoint: {
      ...wanted,
      ...(!isDisabled && { disabledReason: null, disabledAt: null }),
      ...(startsAnew && { failingSince: null, lastError: null, pausedUntil: null }),
    },
    changed,
    startsAnew,
    isResumed,
  };
}
