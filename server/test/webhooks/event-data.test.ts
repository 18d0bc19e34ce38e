import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventData, WebhookEvent } from '@svc/webhook-verify';
import { findEventDataIssues } from '@svc/webhook-verify/schemas';
import { eventData } from '../../documentation/webhook-events.ts';
import { type EventType, eventTypes } from '../../webhooks/deliveries/event.ts';
import { createFreshTenant, describeServer } from '../consent/helpers.ts';
import { readWebhooks } from '../identity/membership-helpers.ts';
import { makeAllHappen } from './all-events.ts';
import { allowPrivate } from './sending.ts';

/** The kind of a value, so far as it shows when the program runs; `?` where it may be absent. */
type KindOf<Value> = undefined extends Value
  ? `${PlainKindOf<Exclude<Value, undefined>> & string}?`
  : PlainKindOf<Value>;

type PlainKindOf<Value> = [Value] extends [string]
  ? 'string'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [string | null]
      ? 'string or null'
      : [Value] extends [number | null]
        ? 'number or null'
        : [Value] extends [boolean]
          ? 'boolean'
          : string extends keyof Value
            ? 'booleans by name'
            : KindsOf<Value>;

type KindsOf<Data> = { readonly [Name in keyof Required<Data>]: KindOf<Data[Name & keyof Data]> };

interface Kinds {
  readonly [name: string]: string | Kinds;
}

const record = {
  recordId: 'string',
  noticeId: 'string',
  noticeVersion: 'number',
  subjectId: 'string',
  purposes: 'booleans by name',
  kind: 'string',
  withdrawsRecordId: 'string or null',
  method: 'string or null',
  source: 'string',
  space: 'string',
  capturedAt: 'string',
  recordedAt: 'string',
  sequence: 'number',
  ledgerHash: 'string',
} as const;
const notice = { noticeId: 'string', name: 'string', domain: 'string', version: 'number', status: 'string' } as const;
const breach = { breachId: 'string', severity: 'string', status: 'string', notificationDueAt: 'string' } as const;
const control = { controlId: 'string', code: 'string' } as const;
const person = { userId: 'string', email: 'string' } as const;
const member = { ...person, role: 'string', status: 'string' } as const;
const otherEndpoint = { webhookId: 'string', host: 'string' } as const;
const statusChange = { ...member, before: { status: 'string' }, after: { status: 'string' } } as const;

/**
 * What the package for receivers says of the data. The compiler holds the table to its types, and to the types of events
 * that the server has: no type, field or kind can be missing here or be another.
 */
const table = {
  'consent.recorded': record,
  'consent.withdrawn': record,
  'consent_notice.published': notice,
  'consent_notice.archived': { ...notice, version: 'number or null' },
  'dsr.created': { dsrId: 'string', subjectId: 'string', type: 'string', dueAt: 'string' },
  'dsr.completed': { dsrId: 'string', subjectId: 'string', type: 'string', outcome: 'string' },
  'breach.reported': breach,
  'breach.updated': breach,
  'control.status_changed': { ...control, from: 'string', to: 'string' },
  'control.test_failed': { ...control, testId: 'string', resultId: 'string' },
  'user.provisioned': { ...member, after: { role: 'string', status: 'string' }, restored: 'boolean?' },
  'user.suspended': statusChange,
  'user.reactivated': statusChange,
  'user.deprovisioned': statusChange,
  'user.role_changed': { ...member, before: { role: 'string' }, after: { role: 'string' } },
  'mfa.enabled': person,
  'mfa.disabled': person,
  'webhook.test': { webhookId: 'string' },
  'webhook.endpoint_failing': { ...otherEndpoint, failingSince: 'string', lastError: 'string or null' },
  'webhook.endpoint_recovered': { ...otherEndpoint, failingSince: 'string', recoveredAt: 'string' },
  'webhook.delivery_exhausted': {
    ...otherEndpoint,
    deliveryId: 'string',
    eventId: 'string',
    eventType: 'string',
    attempts: 'number',
    reason: 'string',
  },
  'webhook.endpoint_disabled': {
    ...otherEndpoint,
    reason: 'string',
    failingSince: 'string or null',
    lastError: 'string or null',
  },
} as const satisfies KindsOf<EventData> & Readonly<Record<EventType, Kinds>>;

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;
const isSame: Same<keyof EventData, EventType> & Same<keyof typeof table, EventType> = true;

/** Whether data is as the table says, with a word for what is not. */
function findDifferences(kinds: Kinds, data: Readonly<Record<string, unknown>>): readonly string[] {
  const unknown = Object.keys(data).filter((name) => !Object.hasOwn(kinds, name));
  const wrong = Object.entries(kinds).flatMap(([name, kind]) => {
    const value = data[name];
    if (typeof kind === 'object')
      return value instanceof Object ? findDifferences(kind, value as Readonly<Record<string, unknown>>) : [name];
    return isOfKind(value, kind) ? [] : [`${name} is no ${kind}`];
  });
  return [...unknown.map((name) => `${name} is unknown`), ...wrong];
}

function isOfKind(value: unknown, kind: string): boolean {
  if (kind === 'booleans by name')
    return value instanceof Object && Object.values(value).every((one) => typeof one === 'boolean');
  if (value === undefined) return kind.endsWith('?');
  if (value === null) return kind.endsWith(' or null');
  return typeof value === kind.replace(/\?$| or null$/, '');
}

describeServer(
  'the data of events',
  (server) => {
    test('fits, for every type, the schema of the server and of the package for receivers', async () => {
      assert.ok(isSame);
      const tenant = await createFreshTenant(server);
      await makeAllHappen(server, tenant);
      const events = await readWebhooks(server, tenant.id);
      for (const { type, data } of events) {
        assert.deepEqual(findDifferences(table[type as EventType], data), [], `${type} ${JSON.stringify(data)}`);
        const parsed = eventData[type as EventType].safeParse(data);
        assert.deepEqual(parsed.error?.issues, undefined, `${type} ${JSON.stringify(data)}`);
        // What receivers may check when they run.
        assert.deepEqual(findEventDataIssues({ type, data } as unknown as WebhookEvent), [], type);
      }
      assert.deepEqual([...new Set(events.map(({ type }) => type))].sort(), [...eventTypes].sort());
      const [published, unpublished] = events.filter(({ type }) => type === 'consent_notice.archived');
      assert.deepEqual([published.data.version, unpublished.data.version], [1, null]);
      const provisioned = events.filter(({ type }) => type === 'user.provisioned');
      assert.deepEqual(
        provisioned.map(({ data }) => data.restored),
        [undefined, true],
      );
    });

    test('differs where a field is missing, new or of another kind', () => {
      const kinds = { a: 'string', b: 'number or null', c: 'boolean?', d: { e: 'string' }, f: 'booleans by name' };
      assert.deepEqual(findDifferences(kinds, { a: 'x', b: null, d: { e: 'x' }, f: { x: true } }), []);
      for (const [wrong, count] of [
        [{}, 4],
        [{ a: 1, b: 1, c: true, d: { e: 'x' }, f: {} }, 1],
        [{ a: null, b: 1, d: { e: 'x' }, f: {} }, 1],
        [{ a: 'x', b: 1, c: 1, d: { e: 'x' }, f: {} }, 1],
        [{ a: 'x', b: 1, d: { e: 'x', g: 1 }, f: {}, h: 1 }, 2],
        [{ a: 'x', b: 1, d: {}, f: { x: 1 } }, 2],
      ] as const)
        assert.equal(findDifferences(kinds, wrong).length, count, JSON.stringify(wrong));
    });
  },
  allowPrivate,
);
