import { type RowChange, recordChange } from '../../audit/row-state.ts';
import { type AuditSource, systemSource } from '../../audit/source.ts';
import { recordEvent } from '../../audit/store.ts';
import { invalidValues, notFound, Problem } from '../../http/problem.ts';
import type { SecretBox } from '../../installation/secrets.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import { announceDeliveries, emitEvents, insertEvents, newDelivery } from '../deliveries/outbox.ts';
import { makeAllDue } from '../deliveries/store.ts';
import type { ReceiverPolicy } from '../transport/address-guard.ts';
import { findReceiverFault } from '../transport/receiver-url.ts';
import {
  applyChange,
  type DisabledReason,
  type Endpoint,
  type EndpointChange,
  type EndpointInput,
  nameEndpoint,
  secretPurpose,
  signingKeyPurpose,
  viewEndpoint,
} from './endpoint.ts';
import { forgetHealth, restartHealth } from './health-store.ts';
import { generateSigningKey, generateWebhookSecret } from './signing.ts';
import {
  type EndpointKeys,
  type EndpointRow,
  endpointRows,
  findEndpoint,
  insertEndpoint,
  listAddresses,
  readEndpoint,
  readSecrets,
  type SendingEndpoint,
  updateEndpoint,
  writeEdit,
} from './store.ts';

/** Each event is written once for each endpoint that wants it, in the transaction of the change. */
export const mostEndpoints = 50;
/** Of one endpoint; each is one more signature on every delivery. */
const mostPreviousSecrets = 10;

/** An endpoint with its secret, which is only shown now. */
export interface ShownEndpoint {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/** What seals the secrets of endpoints, and where they may be. */
export interface EndpointRules {
  readonly box: SecretBox;
  readonly policy: ReceiverPolicy;
}

/** Creates an endpoint. @throws {Problem} `validation_failed`, `conflict`. */
export async function createEndpoint(
  work: UnitOfWork,
  source: AuditSource,
  { box, policy }: EndpointRules,
  input: EndpointInput,
): Promise<ShownEndpoint> {
  await work.lockTenant(source.tenantId);
  const present = await listAddresses(work.transaction, source.tenantId);
  requireAddress(input.url, policy, present);
  if (present.length >= mostEndpoints)
    throw new Problem('conflict', `A tenant may have at most ${mostEndpoints} webhooks.`);
  const secret = generateWebhookSecret();
  const row = await insertEndpoint(work, source.tenantId, input, (id) => ({
    secret: box.seal(secret, secretPurpose(id)),
    ...makeSigningKey(box, id, input.asymmetric),
  }));
  const endpoint = readEndpoint({ ...row, failing_since: null, last_error: null, paused_until: null });
  await record(work, source, row, 'created', describeForAudit(endpoint));
  return { endpoint, secret };
}

/**
 * Edits an endpoint; an edit that changes nothing leaves no trace.
 * @throws {Problem} `not_found`, `validation_failed`, `conflict`.
 */
export async function editEndpoint(
  work: UnitOfWork,
  source: AuditSource,
  { box, policy }: EndpointRules,
  id: string,
  change: EndpointChange,
): Promise<Endpoint> {
  const before = await lockEndpoint(work, source, id);
  const { endpoint, changed, restarts, isResumed } = applyChange(before, change);
  if (changed.length === 0) return before;
  if (changed.includes('url')) {
    const present = await listAddresses(work.transaction, source.tenantId);
    requireAddress(endpoint.url, policy, present);
  }
  const keys = changed.includes('asymmetric') ? makeSigningKey(box, id, endpoint.asymmetric) : {};
  const row = await updateEndpoint(work, source.tenantId, id, { ...writeEdit(endpoint), ...keys });
  if (restarts) await restartHealth(work.transaction, id);
  if (isResumed) await makeAllDue(work.transaction, work.now, id);
  const names: readonly string[] = changed.map((name) => (name === 'url' ? 'host' : name));
  const pick = (one: Endpoint) =>
    Object.fromEntries(Object.entries(describeForAudit(one)).filter(([name]) => names.includes(name)));
  await record(work, source, row, 'edited', { changed, before: pick(before), after: pick(endpoint) });
  if (isResumed) announceDeliveries(work, [id]);
  return { ...endpoint, publicKey: row.public_key, updatedAt: row.updated_at };
}

/**
 * Gives an endpoint a new secret. The old one signs along for the overlap, and those of earlier rotations to their own end;
 * without an overlap all of them end at once. Of more than ten the oldest ends.
 * @throws {Problem} `not_found`.
 */
export async function rotateSecret(
  work: UnitOfWork,
  source: AuditSource,
  { box }: Pick<EndpointRules, 'box'>,
  id: string,
  overlapHours: number,
): Promise<ShownEndpoint> {
  const before = await lockEndpoint(work, source, id);
  const [current, ...earlier] = await readSecrets(work.transaction, source.tenantId, id);
  const secret = generateWebhookSecret();
  const end = new Date(Date.parse(work.now) + overlapHours * 3_600_000).toISOString();
  const lasting = earlier.filter(({ expiresAt }) => expiresAt !== null && expiresAt > work.now);
  const previous = overlapHours === 0 ? [] : [{ ...current, expiresAt: end }, ...lasting].slice(0, mostPreviousSecrets);
  const row = await updateEndpoint(work, source.tenantId, id, {
    secret: box.seal(secret, secretPurpose(id)),
    previous_secrets: JSON.stringify(previous),
  });
  const previousSecretEnds = previous.flatMap(({ expiresAt }) => expiresAt ?? []);
  const endpoint = { ...before, previousSecretEnds, updatedAt: row.updated_at };
  const { previousSecrets, previousSecretExpiresAt } = viewEndpoint(endpoint, work.now);
  await record(work, source, row, 'secret_rotated', { previousSecrets, previousSecretExpiresAt });
  return { endpoint, secret };
}

/**
 * Deletes an endpoint. Its row stays, because the audit log and deliveries name it; its address, which is often
 * a secret itself, and its secrets go, because nothing is sent and signed with them any more, and so does its filter, whose
 * values may name persons.
 * @throws {Problem} `not_found`.
 */
export async function deleteEndpoint(work: UnitOfWork, source: AuditSource, id: string): Promise<void> {
  const before = await lockEndpoint(work, source, id);
  const row = await updateEndpoint(work, source.tenantId, id, {
    deleted_at: work.now,
    url: '',
    filter: null,
    secret: '',
    previous_secrets: '[]',
    signing_key: null,
    public_key: null,
  });
  await forgetHealth(work.transaction, id);
  const change = { verb: 'deleted', targetRef: nameEndpoint(before), diff: { deletedAt: work.now } };
  await recordChange(work, source, endpointRows, row, change);
}

/**
 * Disables an endpoint on behalf of the server, and notifies the other endpoints of the tenant.
 * @param sent the endpoint as it was sent to: one that was moved, paused or deleted meanwhile, or took a delivery, is left
 * as it is.
 * @returns whether it is now disabled.
 */
export async function disableEndpoint(
  work: UnitOfWork,
  sent: Pick<SendingEndpoint, 'id' | 'tenantId' | 'url'>,
  reason: DisabledReason,
): Promise<boolean> {
  const { id, tenantId, url } = sent;
  await work.lockTenant(tenantId);
  const before = await findEndpoint(work.transaction, tenantId, id);
  if (before === undefined || before.status !== 'enabled' || before.url !== url) return false;
  const { failingSince, lastError } = before;
  if (reason === 'failing' && failingSince === null) return false;
  const disabled = { status: 'disabled', disabled_reason: reason, disabled_at: work.now };
  const row = await updateEndpoint(work, tenantId, id, disabled);
  await record(work, systemSource(tenantId), row, 'disabled', { reason, failingSince });
  // Only the host: the path of an address is often a secret, and other receivers get this.
  const data = { webhookId: id, host: nameEndpoint(before), reason, failingSince, lastError };
  await emitEvents(work, [{ tenantId, type: 'webhook.endpoint_disabled', data }], id);
  return true;
}

/** Finds an endpoint and locks it until the unit of work ends. @throws {Problem} `not_found`. */
export async function lockEndpoint(work: UnitOfWork, { tenantId }: AuditSource, id: string): Promise<Endpoint> {
  await work.lockTenant(tenantId);
  const endpoint = await findEndpoint(work.transaction, tenantId, id);
  if (endpoint === undefined) throw notFound('webhook');
  return endpoint;
}

/**
 * What the audit log holds of an endpoint: a description and the values of a filter may name persons, and are left out.
 */
function describeForAudit(endpoint: Endpoint) {
  const { eventTypes, filter, rateLimit, retrySchedule, asymmetric, status } = endpoint;
  const sending = { rateLimit, retrySchedule, asymmetric };
  return { host: nameEndpoint(endpoint), eventTypes, filter: filter && Object.keys(filter), ...sending, status };
}

/** A private key, sealed, and its public one; none of both where an endpoint has none. */
function makeSigningKey(box: SecretBox, id: string, isWanted: boolean): Omit<EndpointKeys, 'secret'> {
  if (!isWanted) return { signing_key: null, public_key: null };
  const { privateKey, publicKey } = generateSigningKey();
  return { signing_key: box.seal(privateKey, signingKeyPurpose(id)), public_key: publicKey };
}

async function record(
  work: UnitOfWork,
  source: AuditSource,
  row: EndpointRow,
  verb: string,
  diff: NonNullable<RowChange['diff']>,
): Promise<void> {
  await recordChange(work, source, endpointRows, row, { verb, targetRef: nameEndpoint(row), diff });
}

/** One address twice would get every event twice. @throws {Problem} `validation_failed`, `conflict`. */
function requireAddress(url: string, policy: ReceiverPolicy, present: readonly Pick<Endpoint, 'id' | 'url'>[]): void {
  const issue = findReceiverFault(url, policy);
  if (issue !== null) throw invalidValues([{ path: 'body.url', issue }]);
  const other = present.find((endpoint) => endpoint.url === url);
  if (other !== undefined) throw new Problem('conflict', `There is a webhook with this address already: ${other.id}.`);
}

/**
 * Sends a `webhook.test` event to one endpoint, whatever types of events it gets otherwise.
 * @returns the delivery as it is stored.
 * @throws {Problem} `not_found`; `webhook_not_enabled` with `requiredStatus` and `actualStatus`.
 */
export async function sendTest(work: UnitOfWork, source: AuditSource, id: string) {
  const endpoint = await lockEndpoint(work, source, id);
  if (endpoint.status !== 'enabled')
    throw new Problem('webhook_not_enabled', `The webhook is ${endpoint.status}; enable it to send it a test.`, {
      fields: { requiredStatus: 'enabled', actualStatus: endpoint.status },
    });
  const { tenantId } = source;
  const test = { tenantId, type: 'webhook.test', data: { webhookId: id } } as const;
  const [delivery] = (await insertEvents(work.transaction, work.now, [test])).map((event) =>
    newDelivery(event, id, work.now),
  );
  if (delivery === undefined) throw new Error('an event was not stored');
  await insertRows(work.transaction, 'webhook_deliveries', [delivery]);
  await recordEvent(work, source, {
    module: 'webhooks',
    action: 'webhook.tested',
    targetId: id,
    targetRef: nameEndpoint(endpoint),
    diff: { deliveryId: delivery.id },
  });
  announceDeliveries(work, [id]);
  return delivery;
}
