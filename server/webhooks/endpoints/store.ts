import type { Selectable } from 'kysely';
import { describeRows } from '../../audit/row-state.ts';
import type { Queries } from '../../storage/database.ts';
import { newId } from '../../storage/ids.ts';
import { mapPage, type Page, takeNewest } from '../../storage/page.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import { findRow, insertRow, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import type { UnitOfWork } from '../../storage/unit-of-work.ts';
import type { Endpoint, EndpointInput, EndpointStatus } from './endpoint.ts';

export type EndpointRow = Selectable<Tables['webhook_endpoints']>;

export const endpointRows = describeRows('webhook_endpoints', 'webhooks', 'webhook');

/** How an endpoint fares; null while all is well. */
type Health = Pick<Selectable<Tables['webhook_health']>, 'failing_since' | 'last_error' | 'paused_until'>;
type RowWithHealth = EndpointRow & { readonly [Name in keyof Health]: Health[Name] | null };

/** What an endpoint signs with, sealed, and the public key that is shown. */
export type EndpointKeys = Pick<EndpointRow, 'secret' | 'signing_key' | 'public_key'>;

/** Stores a new endpoint. @param makeKeys makes what belongs to its id. @returns the row, for the event of the change. */
export async function insertEndpoint(
  work: UnitOfWork,
  tenantId: string,
  input: EndpointInput,
  makeKeys: (id: string) => EndpointKeys,
): Promise<EndpointRow> {
  const id = newId();
  const { secret, signing_key, public_key } = makeKeys(id);
  return insertRow(work.transaction, 'webhook_endpoints', {
    id,
    tenant_id: tenantId,
    url: input.url,
    description: input.description,
    ...writeSending(input),
    status: input.status,
    disabled_reason: null,
    disabled_at: null,
    secret,
    previous_secrets: '[]',
    signing_key,
    public_key,
    created_at: work.now,
    updated_at: work.now,
    deleted_at: null,
  });
}

/** Changes columns of an endpoint. @returns the row as it is now, for the event of the change. */
export function updateEndpoint(
  { transaction, now }: UnitOfWork,
  tenantId: string,
  id: string,
  columns: Partial<Omit<EndpointRow, 'id' | 'tenant_id' | 'created_at' | 'updated_at'>>,
): Promise<EndpointRow> {
  return updateRow(transaction, 'webhook_endpoints', { tenant_id: tenantId, id }, { ...columns, updated_at: now });
}

/** The columns of what an edit may change. */
export function writeEdit(endpoint: Endpoint): Partial<EndpointRow> {
  return {
    url: endpoint.url,
    description: endpoint.description,
    ...writeSending(endpoint),
    status: endpoint.status,
    disabled_reason: endpoint.disabledReason,
    disabled_at: endpoint.disabledAt,
  };
}

/** Finds an endpoint of a tenant that was not deleted. */
export async function findEndpoint(queries: Queries, tenantId: string, id: string): Promise<Endpoint | undefined> {
  const row = await selectWithHealth(queries)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && readEndpoint(row);
}

/** Reads the sealed secrets of an endpoint of a tenant, the newer first. */
export async function readSecrets(queries: Queries, tenantId: string, id: string): Promise<readonly SealedSecret[]> {
  const row = await findRow(queries, 'webhook_endpoints', { tenant_id: tenantId, id });
  if (row === undefined) throw new Error(`the webhook ${id} is missing`);
  return listSecrets(row);
}

/** The addresses of all endpoints of a tenant. */
export function listAddresses(queries: Queries, tenantId: string): Promise<readonly Pick<Endpoint, 'id' | 'url'>[]> {
  return queries
    .selectFrom('webhook_endpoints')
    .select(['id', 'url'])
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .execute();
}

/**
 * A page of the endpoints of a tenant, newest first.
 * @param before the id of the last endpoint already seen; null for the first page.
 */
export async function listEndpoints(
  queries: Queries,
  tenantId: string,
  { status }: { readonly status?: EndpointStatus | undefined },
  before: string | null,
  limit: number,
): Promise<Page<Endpoint>> {
  const query = selectWithHealth(queries)
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .$if(status !== undefined, (rest) => rest.where('status', '=', status as EndpointStatus));
  return mapPage(await takeNewest(query, before, limit), readEndpoint);
}

function selectWithHealth(queries: Queries) {
  return queries
    .selectFrom('webhook_endpoints')
    .leftJoin('webhook_health', 'webhook_health.endpoint_id', 'webhook_endpoints.id')
    .selectAll('webhook_endpoints')
    .select(['failing_since', 'last_error', 'paused_until']);
}

/** A secret as it is stored: it opens with `secretPurpose` of its endpoint. */
export interface SealedSecret {
  readonly sealed: string;
  /** From then on it signs nothing; null for one that does not end. */
  readonly expiresAt: string | null;
}

/** A secret that signs along. */
export interface PreviousSecret extends SealedSecret {
  readonly expiresAt: string;
}

/** An endpoint, as far as sending needs it. */
export interface SendingEndpoint {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly status: EndpointStatus;
  /** The newer first. */
  readonly secrets: readonly SealedSecret[];
  /** A sealed private key of Ed25519; null where it only signs by HMAC. */
  readonly signingKey: string | null;
  /** Attempts a second, at most; null for as many as it keeps up with. */
  readonly rateLimit: number | null;
  /** When attempts are due, in milliseconds after the first one; null for the usual ones. */
  readonly retrySchedule: readonly number[] | null;
  /** Nothing is sent before, because the receiver asked for a pause: RFC 3339. */
  readonly pausedUntil: string | null;
}

/** Finds an endpoint to send to, whatever tenant it belongs to; none that was deleted. */
export async function findEndpointForSending(queries: Queries, id: string): Promise<SendingEndpoint | undefined> {
  const [row] = await selectForSending(queries, { id });
  if (row === undefined) return undefined;
  const schedule: readonly number[] | null = row.retry_schedule === null ? null : JSON.parse(row.retry_schedule);
  return {
    id,
    tenantId: row.tenant_id,
    url: row.url,
    status: row.status as EndpointStatus,
    secrets: listSecrets(row),
    signingKey: row.signing_key,
    rateLimit: row.rate_limit,
    retrySchedule: schedule?.map((seconds) => seconds * 1000) ?? null,
    pausedUntil: row.paused_until,
  };
}

function listSecrets(row: Pick<EndpointRow, 'secret' | 'previous_secrets'>): readonly SealedSecret[] {
  return [{ sealed: row.secret, expiresAt: null }, ...readPreviousSecrets(row)];
}

function readPreviousSecrets(row: Pick<EndpointRow, 'previous_secrets'>): readonly PreviousSecret[] {
  return JSON.parse(row.previous_secrets);
}

const selectForSending = prepareQuery<{ id: string }, RowWithHealth>((queries, parameter) =>
  selectWithHealth(queries).where('id', '=', parameter('id')).where('deleted_at', 'is', null),
);

/** An endpoint as it is stored. */
export function readEndpoint(row: RowWithHealth): Endpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: (row.event_types?.split(' ') ?? null) as Endpoint['eventTypes'],
    filter: parseOrNull(row.filter),
    rateLimit: row.rate_limit,
    retrySchedule: parseOrNull(row.retry_schedule),
    asymmetric: row.public_key !== null,
    publicKey: row.public_key,
    status: row.status as EndpointStatus,
    disabledReason: row.disabled_reason as Endpoint['disabledReason'],
    disabledAt: row.disabled_at,
    // Failures before an edit were reset: `failing_since` stays until the others are notified of the recovery.
    failingSince: row.last_error === null ? null : row.failing_since,
    lastError: row.last_error,
    pausedUntil: row.paused_until,
    previousSecretEnds: readPreviousSecrets(row).map(({ expiresAt }) => expiresAt),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The columns that say what is sent to an endpoint, and how. */
function writeSending(endpoint: Pick<Endpoint, 'eventTypes' | 'filter' | 'rateLimit' | 'retrySchedule'>) {
  return {
    event_types: endpoint.eventTypes?.join(' ') ?? null,
    filter: endpoint.filter && JSON.stringify(endpoint.filter),
    rate_limit: endpoint.rateLimit,
    retry_schedule: endpoint.retrySchedule && JSON.stringify(endpoint.retrySchedule),
  };
}

function parseOrNull(text: string | null) {
  return text === null ? null : JSON.parse(text);
}
