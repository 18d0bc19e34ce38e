import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem, type ProblemDetail, requireFound } from '../http/problem.ts';
import { defineRoute, listRoute, type PageStart, type Route } from '../http/route.ts';
import {
  cursorPageOf,
  findPastFault,
  Id,
  list,
  namedObject,
  refuseRepeated,
  requirePast,
  Time,
  toColumns,
  UtcTime,
  viewRow,
  visibleText,
} from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { breachRows } from '../ledger/audit/rows.ts';
import { diffFields, recordChange } from '../ledger/audit/store.ts';
import type { Json } from '../ledger/canonical.ts';
import { newSalt } from '../ledger/entry.ts';
import { addTime, dayMilliseconds, type Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { findRow, insertRow, mapPage, newId, takeNewest, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';

export type BreachRow = Selectable<Tables['breach_incidents']>;

export const BreachSeverity = z.enum(['low', 'medium', 'high', 'critical']).meta({ id: 'BreachSeverity' });
export const BreachStatus = z.enum(['open', 'contained', 'closed']).meta({ id: 'BreachStatus' });

const fields = {
  title: visibleText(200),
  description: visibleText(10_000).meta({ description: 'What happened, its likely consequences, the measures taken.' }),
  severity: BreachSeverity,
};
const affectedSubjects = z.int().min(0).meta({ description: 'How many people are affected, as far as known.' });
const dataCategories = list(visibleText(100), 50)
  .superRefine(refuseRepeated('is a duplicate'))
  .meta({ description: 'Kinds of data affected.' });

/** The details that GDPR Article 33(3) and (5) ask for. */
const BreachInput = namedObject('BreachInput', {
  ...fields,
  discoveredAt: Time.meta({
    description: 'When the tenant became aware of it; not in the future, and not before 2000.',
  }),
  affectedSubjects: affectedSubjects.optional(),
  dataCategories: dataCategories.optional(),
});
type BreachInput = z.output<typeof BreachInput>;

const notifiedAt = { description: 'Not before the discovery, and not in the future; null clears it.' };

/** An edit of a breach. `discoveredAt` cannot change: the deadline starts there. */
const BreachChange = z
  .strictObject({
    ...fields,
    affectedSubjects: affectedSubjects.nullable(),
    dataCategories,
    status: BreachStatus,
    authorityNotifiedAt: Time.nullable().meta(notifiedAt),
    subjectsNotifiedAt: Time.nullable().meta(notifiedAt),
    notificationReason: visibleText(2000)
      .nullable()
      .meta({ description: 'Why the authority need not be notified, or why it was notified late.' }),
  })
  .partial()
  .meta({ id: 'BreachChange' });
type BreachChange = z.output<typeof BreachChange>;

/** A breach as the API returns it. */
const BreachView = namedObject('Breach', {
  id: Id,
  title: z.string().nullable().meta({ description: 'Null once it is erased.' }),
  description: z.string().nullable(),
  severity: BreachSeverity,
  status: BreachStatus,
  affectedSubjects: z.int().min(0).nullable(),
  dataCategories: z.array(z.string()),
  discoveredAt: UtcTime,
  notificationDueAt: UtcTime.meta({ description: 'When the authority must be notified: 72 hours after discovery.' }),
  isNotificationOverdue: z.boolean().meta({
    description: 'Whether that time has passed without a notification and without a `notificationReason`.',
  }),
  authorityNotifiedAt: UtcTime.nullable(),
  subjectsNotifiedAt: UtcTime.nullable(),
  notificationReason: z.string().nullable(),
  closedAt: UtcTime.nullable(),
  erasedAt: UtcTime.nullable().meta({
    description:
      'When its texts were erased: the title, the description, the categories of data and the reason are empty since.',
  }),
  createdAt: UtcTime,
  updatedAt: UtcTime,
});
export type BreachView = z.output<typeof BreachView>;

const breachFilters = { status: BreachStatus.optional(), severity: BreachSeverity.optional() };
type BreachFilter = z.output<z.ZodObject<typeof breachFilters>>;

const BreachEventData = namedObject('BreachEventData', {
  breachId: Id,
  severity: BreachSeverity,
  status: BreachStatus,
  notificationDueAt: UtcTime,
});

/** The data of the webhook events about breaches. */
export const breachEvents = { 'breach.reported': BreachEventData, 'breach.updated': BreachEventData };

/** A breach as the API returns it. @param now the time that `isNotificationOverdue` is computed for. */
export function viewBreach(row: BreachRow, now: string): BreachView {
  const notificationDueAt = notificationDue(row.discovered_at);
  // An erased breach was closed, which takes a notification or a reason.
  const isUnexplained =
    row.authority_notified_at === null && row.notification_reason === null && row.erased_at === null;
  return viewRow(BreachView, row, {
    dataCategories: row.data_categories === null ? [] : JSON.parse(row.data_categories),
    notificationDueAt,
    isNotificationOverdue: isUnexplained && now > notificationDueAt,
  });
}

/** The authority must be notified so soon after the discovery: 72 hours. */
export const notificationPeriod = 3 * dayMilliseconds;

/** When the authority must be notified: GDPR Article 33(1); Nigeria Data Protection Act 2023 section 40. */
export function notificationDue(discoveredAt: string): string {
  return addTime(discoveredAt, notificationPeriod);
}

/** The status that a breach may move to from each status; a closed one can be reopened. */
const breachMoves: Readonly<Record<BreachView['status'], readonly BreachView['status'][]>> = {
  open: ['contained', 'closed'],
  contained: ['closed'],
  closed: ['open'],
};

/**
 * Applies an edit to a breach, without writing it. The fields that are computed from others stay as they are.
 * @throws {Problem} `breach_transition_not_allowed`; `validation_failed` if the edited breach is invalid.
 */
export function applyChange(before: BreachView, change: BreachChange, now: string): BreachView {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: BreachView = { ...before, ...given };
  const [from, to] = [before.status, wanted.status];
  const allowed = breachMoves[from];
  if (from !== to && !allowed.includes(to))
    throw new Problem(
      'breach_transition_not_allowed',
      `A breach that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
      { fields: { from, to, allowed } },
    );
  const details = [...checkTimes(before, change, now), ...checkReason(wanted)];
  if (details.length > 0) throw invalidValues(details);
  return { ...wanted, closedAt: to === 'closed' ? (before.closedAt ?? now) : null };
}

/** Notifications happen after the discovery and in the past. */
function checkTimes({ discoveredAt }: BreachView, change: BreachChange, now: string): readonly ProblemDetail[] {
  return (['authorityNotifiedAt', 'subjectsNotifiedAt'] as const).flatMap((name) => {
    const time = change[name] ?? null;
    if (time === null) return [];
    const issue = findPastFault(time, now) ?? (time < discoveredAt ? 'must not be before discoveredAt' : null);
    return issue === null ? [] : [{ path: `body.${name}`, issue }];
  });
}

/** The two cases in which the tenant must document its reasons (GDPR Article 33(1) and (5)). */
function checkReason(wanted: BreachView): readonly ProblemDetail[] {
  const { status, authorityNotifiedAt, notificationDueAt, notificationReason } = wanted;
  const issue =
    (authorityNotifiedAt !== null &&
      authorityNotifiedAt > notificationDueAt &&
      'is required if the authority was notified later than 72 hours after the discovery') ||
    (status === 'closed' &&
      authorityNotifiedAt === null &&
      'is required to close a breach that the authority was not notified of');
  return notificationReason === null && issue ? [{ path: 'body.notificationReason', issue }] : [];
}

/** Reads a breach of a tenant. @throws {Problem} `not_found`. */
export async function requireBreach(queries: Queries, tenantId: string, id: string): Promise<BreachRow> {
  return requireFound(await findRow(queries, 'breach_incidents', { tenant_id: tenantId, id }), 'breach');
}

/** A page of the breaches of a tenant, newest first. */
export function listBreaches(queries: Queries, tenantId: string, filter: BreachFilter, start: PageStart<string>) {
  const { status, severity } = filter;
  let query = queries.selectFrom('breach_incidents').selectAll().where('tenant_id', '=', tenantId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (severity !== undefined) query = query.where('severity', '=', severity);
  return takeNewest(query, start.after, start.limit);
}

/**
 * Stores, audits and emits a new breach.
 * @throws {Problem} `validation_failed` if `discoveredAt` is in the future or before 2000.
 */
export async function reportBreach(tx: Transaction, source: AuditSource, input: BreachInput): Promise<BreachRow> {
  const { dataCategories = [], affectedSubjects = null, ...given } = input;
  const { discoveredAt, severity } = given;
  requirePast('body.discoveredAt', discoveredAt, tx.now);
  const row = await insertRow(tx.queries, 'breach_incidents', {
    ...toColumns({ ...given, affectedSubjects }),
    data_categories: JSON.stringify(dataCategories),
    id: newId(),
    tenant_id: source.tenantId,
    status: 'open',
    salt: newSalt(),
    created_at: tx.now,
    updated_at: tx.now,
  });
  const diff = { severity, discoveredAt, notificationDueAt: notificationDue(discoveredAt) };
  await recordChange(tx, source, breachRows, row, { verb: 'reported', targetRef: null, diff });
  await emitBreach(tx, 'breach.reported', row);
  return row;
}

/** Fields whose values are audited: titles, descriptions and reasons may name people. */
const auditedFields = ['severity', 'status', 'authorityNotifiedAt', 'subjectsNotifiedAt', 'closedAt'] as const;

/**
 * Edits a breach. An edit that changes nothing is neither audited nor emitted.
 * @throws {Problem} `not_found`, `breach_erased`, `breach_transition_not_allowed`, `validation_failed`.
 */
export async function editBreach(tx: Transaction, source: AuditSource, id: string, change: BreachChange) {
  const { tenantId } = source;
  // Serializes concurrent edits: the second reads what the first wrote.
  await tx.lockTenant(tenantId);
  const stored = await requireBreach(tx.queries, tenantId, id);
  if (stored.erased_at !== null)
    throw new Problem('breach_erased', 'The texts of the breach were erased; report a new breach instead.');
  const view = viewBreach(stored, tx.now);
  const { before, after } = diffFields({ ...view }, { ...applyChange(view, change, tx.now) });
  const changed = Object.keys(after);
  if (changed.length === 0) return stored;
  const { dataCategories, ...plain } = after;
  const categories = dataCategories !== undefined && { data_categories: JSON.stringify(dataCategories) };
  const columns = { ...toColumns(plain), ...categories, updated_at: tx.now };
  const row = await updateRow(tx.queries, 'breach_incidents', { tenant_id: tenantId, id }, columns);
  const audited = auditedFields.filter((name) => Object.hasOwn(after, name));
  const pick = (fields: typeof after) => Object.fromEntries(audited.map((name) => [name, fields[name] as Json]));
  const diff = { changed, before: pick(before), after: pick(after) };
  await recordChange(tx, source, breachRows, row, { verb: 'updated', targetRef: null, diff });
  await emitBreach(tx, 'breach.updated', row);
  return row;
}

/** The event has no texts: the receiver fetches the breach if it may. */
async function emitBreach(tx: Transaction, type: keyof typeof breachEvents, breach: BreachRow): Promise<void> {
  const { id, severity, status, discovered_at } = breach;
  const data = { breachId: id, severity, status, notificationDueAt: notificationDue(discovered_at) };
  await emitEvents(tx, [{ tenantId: breach.tenant_id, type, data }]);
}

const readingBreach = { tag: 'Breaches', scope: 'breach:read' } as const;
const writingBreach = { tag: 'Breaches', scope: 'breach:write', result: BreachView } as const;
const params = z.strictObject({ id: Id });

/** The operations on breaches of personal data. */
export function breachRoutes({ database }: Installation): readonly Route[] {
  return [
    defineRoute('POST /v1/breach', {
      operationId: 'reportBreach',
      sdkMethod: 'breaches.report',
      ...writingBreach,
      summary: 'Report a breach of personal data',
      description:
        'The authority must be notified within 72 hours of the discovery (GDPR Article 33(1)). Emits `breach.reported`.',
      body: BreachInput,
      status: 201,
      write: async (call, tx) => viewBreach(await reportBreach(tx, call.source(), call.body), tx.now),
    }),
    listRoute('/v1/breach', {
      operationId: 'listBreaches',
      reads: 'replica',
      sdkMethod: 'breaches.list',
      ...readingBreach,
      limit: { most: 100, usual: 25 },
      place: 'string',
      summary: 'List breaches, newest first',
      filters: breachFilters,
      result: cursorPageOf(BreachView),
      find: async ({ query, queries, principal: { tenantId }, now }, start) =>
        mapPage(await listBreaches(queries, tenantId, query, start), (row) => viewBreach(row, now)),
    }),
    defineRoute('GET /v1/breach/{id}', {
      operationId: 'getBreach',
      sdkMethod: 'breaches.retrieve',
      ...readingBreach,
      summary: 'Get a breach',
      params,
      result: BreachView,
      handle: async ({ params, principal, now }) =>
        viewBreach(await requireBreach(database.kysely, principal.tenantId, params.id), now),
    }),
    defineRoute('PATCH /v1/breach/{id}', {
      operationId: 'editBreach',
      sdkMethod: 'breaches.update',
      ...writingBreach,
      summary: 'Edit a breach: its status, its notifications, its details',
      description: `Omitted fields keep their values. An open breach can become contained or closed, a contained one closed, and a closed one can be reopened.

\`notificationReason\` is required to close a breach that the authority was not notified of, and if it was notified after the 72 hours. Emits \`breach.updated\`; an edit that changes nothing emits nothing.`,
      params,
      body: BreachChange,
      errors: ['breach_erased', 'breach_transition_not_allowed'],
      write: async (call, tx) => viewBreach(await editBreach(tx, call.source(), call.params.id, call.body), tx.now),
    }),
  ];
}
