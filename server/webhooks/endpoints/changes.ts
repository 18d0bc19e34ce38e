import type { AuditSource } from '../../http/principal.ts';
import { invalidValues, Problem, requireFound } from '../../http/problem.ts';
import { toColumns } from '../../http/schemas.ts';
import { endpointRows } from '../../ledger/audit/rows.ts';
import { type RowChange, recordChange, recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { addTime, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { insertRow, newId } from '../../storage/rows.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import type { DeliveryRow } from '../deliveries/delivery.ts';
import { announceDeliveries, emitEvents, queueEvents } from '../deliveries/outbox.ts';
import { makeAllDue } from '../deliveries/store.ts';
import {
  type DisabledReason,
  EndpointChange,
  type EndpointInput,
  type EndpointView,
  type EndpointWithSecret,
  nameEndpoint,
  secretPurpose,
  signingKeyPurpose,
} from './endpoint.ts';
import { findReceiverFault, type ReceiverPolicy } from './receiver-address.ts';
import { generateSigningKey, generateWebhookSecret } from './signing.ts';
import {
  type Endpoint,
  type EndpointKey,
  type EndpointRow,
  findEndpoint,
  listSecrets,
  updateEndpoint,
  viewEndpoint,
  wellHealth,
} from './store.ts';

/** Each event is written once for each endpoint that wants it, in the transaction of the change. */
export const mostEndpoints = 50;
/** Of one endpoint; each is one more signature on every delivery. */
const mostPreviousSecrets = 10;

/** The encryption of endpoint secrets, and the policy for endpoint addresses. */
export interface EndpointRules {
  readonly box: SecretBox;
  readonly policy: ReceiverPolicy;
}

/** Creates an endpoint. @throws {Problem} `validation_failed`, `conflict`. */
export async function createEndpoint(
  tx: Transaction,
  source: AuditSource,
  { box, policy }: EndpointRules,
  input: EndpointInput,
): Promise<EndpointWithSecret> {
  await tx.lockTenant(source.tenantId);
  const present = await requireAddress(tx.queries, source.tenantId, input.url, policy);
  if (present >= mostEndpoints) throw new Problem('conflict', `A tenant may have at most ${mostEndpoints} webhooks.`);
  const id = newId();
  const secret = generateWebhookSecret();
  const row = await insertRow(tx.queries, 'webhook_endpoints', {
    id,
    tenant_id: source.tenantId,
    ...writeSettings(input),
    disabled_reason: null,
    disabled_at: null,
    secret: box.seal(secret, secretPurpose(id)),
    previous_secrets: '[]',
    ...makeSigningKey(box, id, input.asymmetric),
    created_at: tx.now,
    updated_at: tx.now,
    deleted_at: null,
  });
  await record(tx, source, row, 'created', describeForAudit(input));
  return { ...viewEndpoint({ ...row, ...wellHealth }, tx.now), secret };
}

/**
 * Edits an endpoint; an edit that changes nothing leaves no trace. A status that the caller sets ends what the server itself
 * decided.
 * @throws {Problem} `not_found`, `validation_failed`, `conflict`.
 */
export async function editEndpoint(
  tx: Transaction,
  source: AuditSource,
  { box, policy }: EndpointRules,
  id: string,
  change: EndpointChange,
): Promise<EndpointView> {
  const stored = await lockEndpoint(tx, source, id);
  const before = viewEndpoint(stored, tx.now);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: EndpointView = { ...before, ...given };
  const changed = EndpointChange.keyof().options.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return before;
  const isMoved = changed.includes('url');
  if (isMoved) await requireAddress(tx.queries, source.tenantId, after.url, policy);
  const isEnabled = after.status !== 'disabled';
  const isResumed = after.status === 'enabled' && before.status !== 'enabled';
  const restarts = isMoved || isResumed || (before.status === 'disabled' && isEnabled);
  const row = await updateEndpoint(tx, stored, {
    ...writeSettings(after),
    ...(isEnabled && { disabled_reason: null, disabled_at: null }),
    ...(changed.includes('asymmetric') && makeSigningKey(box, id, after.asymmetric)),
  });
  if (restarts) await restartHealth(tx.queries, row);
  if (isResumed) await makeAllDue(tx.queries, tx.now, row);
  const names: readonly string[] = changed.map((name) => (name === 'url' ? 'host' : name));
  const pick = (one: EndpointView) =>
    Object.fromEntries(Object.entries(describeForAudit(one)).filter(([name]) => names.includes(name)));
  await record(tx, source, row, 'edited', { changed, before: pick(before), after: pick(after) });
  if (isResumed) announceDeliveries(tx, [row], [{ tenant_id: row.tenant_id, endpoint_id: id }]);
  return viewEndpoint({ ...stored, ...row, ...(restarts && wellHealth) }, tx.now);
}

/**
 * Resets failures and pauses of an endpoint. If the others were notified that it is failing, that and since when is kept, so that
 * they are notified when a delivery arrives.
 */
async function restartHealth(queries: Queries, { tenant_id, id }: EndpointKey): Promise<void> {
  await queries
    .deleteFrom('webhook_health')
    .where((row) => row.and({ tenant_id, endpoint_id: id }))
    .where('notified_at', 'is', null)
    .execute();
  await queries
    .updateTable('webhook_health')
    .set({ failed_at: null, last_error: null, failures: null, paused_until: null })
    .where((row) => row.and({ tenant_id, endpoint_id: id }))
    .execute();
}

/**
 * Gives an endpoint a new secret. The old one signs along for the overlap, and those of earlier rotations to their own end;
 * without an overlap all of them end at once. Of more than ten the oldest ends.
 * @throws {Problem} `not_found`.
 */
export async function rotateSecret(
  tx: Transaction,
  source: AuditSource,
  { box }: Pick<EndpointRules, 'box'>,
  id: string,
  overlapHours: number,
): Promise<EndpointWithSecret> {
  const before = await lockEndpoint(tx, source, id);
  const [current, ...earlier] = listSecrets(before);
  const secret = generateWebhookSecret();
  const end = addTime(tx.now, overlapHours * 3_600_000);
  const lasting = earlier.filter(({ expiresAt }) => expiresAt !== null && expiresAt > tx.now);
  const previous = overlapHours === 0 ? [] : [{ ...current, expiresAt: end }, ...lasting].slice(0, mostPreviousSecrets);
  const row = await updateEndpoint(tx, before, {
    secret: box.seal(secret, secretPurpose(id)),
    previous_secrets: JSON.stringify(previous),
  });
  const view = viewEndpoint({ ...before, ...row }, tx.now);
  const { previousSecrets, previousSecretExpiresAt } = view;
  await record(tx, source, row, 'secret_rotated', { previousSecrets, previousSecretExpiresAt });
  return { ...view, secret };
}

/**
 * Deletes an endpoint. Its row stays, because the audit log and deliveries name it; its address, which is often
 * a secret itself, and its secrets go, because nothing is sent and signed with them any more, and so does its filter, whose
 * values may name persons.
 * @throws {Problem} `not_found`.
 */
export async function deleteEndpoint(tx: Transaction, source: AuditSource, id: string): Promise<void> {
  const before = await lockEndpoint(tx, source, id);
  const row = await updateEndpoint(tx, before, {
    deleted_at: tx.now,
    url: '',
    filter: null,
    secret: '',
    previous_secrets: '[]',
    signing_key: null,
    public_key: null,
  });
  for (const table of ['webhook_health', 'webhook_rates'] as const) {
    const state = tx.queries.deleteFrom(table).where('tenant_id', '=', before.tenant_id);
    await state.where('endpoint_id', '=', id).execute();
  }
  const change = { verb: 'deleted', targetRef: nameEndpoint(before), diff: { deletedAt: tx.now } };
  await recordChange(tx, source, endpointRows, row, change);
}

/**
 * Disables an endpoint on behalf of the server, and notifies the other endpoints of the tenant.
 * @param sent the endpoint at the time of sending: if it was moved, paused or deleted since, or accepted a delivery, it
 *   is not changed.
 * @returns true if it is now disabled.
 */
export async function disableEndpoint(
  tx: Transaction,
  sent: Pick<Endpoint, 'id' | 'tenant_id' | 'url'>,
  reason: DisabledReason,
): Promise<boolean> {
  const { id, tenant_id: tenantId, url } = sent;
  await tx.lockTenant(tenantId);
  const before = await findEndpoint(tx.queries, tenantId, id);
  if (before === undefined || before.status !== 'enabled' || before.url !== url) return false;
  const { failingSince, lastError } = viewEndpoint(before, tx.now);
  if (reason === 'failing' && failingSince === null) return false;
  const disabled = { status: 'disabled', disabled_reason: reason, disabled_at: tx.now };
  const row = await updateEndpoint(tx, before, disabled);
  await record(tx, systemSource(tenantId), row, 'disabled', { reason, failingSince });
  // Only the host: the path of an address is often a secret, and other receivers get this.
  const data = { webhookId: id, host: nameEndpoint(before), reason, failingSince, lastError };
  await emitEvents(tx, [{ tenantId, type: 'webhook.endpoint_disabled', data }], id);
  return true;
}

/** Finds an endpoint and locks it until the transaction ends. @throws {Problem} `not_found`. */
async function lockEndpoint(tx: Transaction, { tenantId }: AuditSource, id: string): Promise<Endpoint> {
  await tx.lockTenant(tenantId);
  return requireFound(await findEndpoint(tx.queries, tenantId, id), 'webhook');
}

/** The settings of an endpoint that a caller sets. */
type Settings = Pick<EndpointView, keyof EndpointInput>;

/**
 * The values of an endpoint for the audit log: a description and the values of a filter may name persons, and are left
 * out.
 */
function describeForAudit({ eventTypes, filter, rateLimit, retrySchedule, asymmetric, status, url }: Settings) {
  const sending = { rateLimit, retrySchedule, asymmetric };
  return { host: nameEndpoint({ url }), eventTypes, filter: filter && Object.keys(filter), ...sending, status };
}

/** The columns of the settings that a caller sets, without the keys. */
function writeSettings({ url, description, eventTypes, filter, rateLimit, retrySchedule, status }: Settings) {
  return {
    ...toColumns({ url, description, rateLimit, status }),
    event_types: eventTypes?.join(' ') ?? null,
    filter: filter && JSON.stringify(filter),
    retry_schedule: retrySchedule && JSON.stringify(retrySchedule),
  };
}

/** A private key, sealed, and its public one; none of both where an endpoint has none. */
function makeSigningKey(box: SecretBox, id: string, isWanted: boolean): Pick<Endpoint, 'signing_key' | 'public_key'> {
  if (!isWanted) return { signing_key: null, public_key: null };
  const { privateKey, publicKey } = generateSigningKey();
  return { signing_key: box.seal(privateKey, signingKeyPurpose(id)), public_key: publicKey };
}

async function record(
  tx: Transaction,
  source: AuditSource,
  row: EndpointRow,
  verb: string,
  diff: NonNullable<RowChange['diff']>,
): Promise<void> {
  await recordChange(tx, source, endpointRows, row, { verb, targetRef: nameEndpoint(row), diff });
}

/**
 * One address twice would get every event twice.
 * @returns how many endpoints the tenant has.
 * @throws {Problem} `validation_failed`, `conflict`.
 */
async function requireAddress(
  queries: Queries,
  tenantId: string,
  url: string,
  policy: ReceiverPolicy,
): Promise<number> {
  const issue = findReceiverFault(url, policy);
  if (issue !== null) throw invalidValues([{ path: 'body.url', issue }]);
  const present = await queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'url'])
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .execute();
  const other = present.find((endpoint) => endpoint.url === url);
  if (other !== undefined) throw new Problem('conflict', `There is a webhook with this address already: ${other.id}.`);
  return present.length;
}

/**
 * Sends a `webhook.test` event to one endpoint, whatever types of events it gets otherwise.
 * @returns the delivery as it is stored.
 * @throws {Problem} `not_found`; `webhook_not_enabled` with `requiredStatus` and `actualStatus`.
 */
export async function sendTest(tx: Transaction, source: AuditSource, id: string) {
  const endpoint = await lockEndpoint(tx, source, id);
  if (endpoint.status !== 'enabled')
    throw new Problem('webhook_not_enabled', `The webhook is ${endpoint.status}; enable it to send it a test.`, {
      fields: { requiredStatus: 'enabled', actualStatus: endpoint.status },
    });
  const { tenantId } = source;
  const test = { tenantId, type: 'webhook.test', data: { webhookId: id } } as const;
  const [delivery] = (await queueEvents(tx, [test], [{ ...endpoint, event_types: null }])) as [DeliveryRow];
  await recordEvent(tx, source, {
    module: 'webhooks',
    action: 'webhook.tested',
    targetId: id,
    targetRef: nameEndpoint(endpoint),
    diff: { deliveryId: delivery.id },
  });
  return delivery;
}
