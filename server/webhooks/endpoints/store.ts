import type { Selectable } from 'kysely';
import { describeRows } from '../../audit/row-state.ts';
import { viewRow } from '../../http/view-row.ts';
import type { Queries, UnitOfWork } from '../../storage/database.ts';
import { type Page, takeNewest } from '../../storage/page.ts';
import { prepareQuery, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { type EndpointStatus, EndpointView } from './endpoint.ts';

export type EndpointRow = Selectable<Tables['webhook_endpoints']>;

export const endpointRows = describeRows('webhook_endpoints', 'webhooks', 'webhook');

/** How an endpoint fares; null while all is well. */
type Health = Pick<Selectable<Tables['webhook_health']>, 'failing_since' | 'last_error' | 'paused_until'>;
/** An endpoint as it is stored, and how it fares. */
export type RowWithHealth = EndpointRow & { readonly [Name in keyof Health]: Health[Name] | null };

/** Changes columns of an endpoint. @returns the row as it is now, for the event of the change. */
export function updateEndpoint(
  { transaction, now }: UnitOfWork,
  tenantId: string,
  id: string,
  columns: Partial<Omit<EndpointRow, 'id' | 'tenant_id' | 'created_at' | 'updated_at'>>,
): Promise<EndpointRow> {
  return updateRow(transaction, 'webhook_endpoints', { tenant_id: tenantId, id }, { ...columns, updated_at: now });
}

/** Finds an endpoint of a tenant that was not deleted. */
export function findEndpoint(queries: Queries, tenantId: string, id: string): Promise<RowWithHealth | undefined> {
  return selectWithHealth(queries)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/**
 * A page of the endpoints of a tenant, newest first.
 * @param before the id of the last endpoint already seen; null for the first page.
 */
export function listEndpoints(
  queries: Queries,
  tenantId: string,
  { status }: { readonly status?: EndpointStatus | undefined },
  before: string | null,
  limit: number,
): Promise<Page<RowWithHealth>> {
  const query = selectWithHealth(queries)
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .$if(status !== undefined, (rest) => rest.where('status', '=', status as EndpointStatus));
  return takeNewest(query, before, limit);
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

/** The sealed secrets of an endpoint, the newer first. */
export function listSecrets(
  row: Pick<EndpointRow, 'secret' | 'previous_secrets'>,
): readonly [SealedSecret, ...PreviousSecret[]] {
  return [{ sealed: row.secret, expiresAt: null }, ...readPreviousSecrets(row)];
}

function readPreviousSecrets({ previous_secrets }: Pick<EndpointRow, 'previous_secrets'>): readonly PreviousSecret[] {
  return JSON.parse(previous_secrets);
}

type PreviousSecret = SealedSecret & { readonly expiresAt: string };

const selectForSending = prepareQuery<{ id: string }, RowWithHealth>((queries, parameter) =>
  selectWithHealth(queries).where('id', '=', parameter('id')).where('deleted_at', 'is', null),
);

/** An endpoint at a time: a previous secret that has expired is none, nor is a pause that is over. */
export function viewEndpoint(row: RowWithHealth, now: string): EndpointView {
  const { failing_since, last_error, paused_until } = row;
  const ends = readPreviousSecrets(row)
    .map(({ expiresAt }) => expiresAt)
    .filter((end) => end > now)
    .toSorted();
  const health = {
    // Failures before an edit were reset: `failing_since` stays until the others are notified of the recovery.
    failing_since: last_error === null ? null : failing_since,
    paused_until: paused_until !== null && paused_until > now ? paused_until : null,
  };
  return viewRow(
    EndpointView,
    { ...row, ...health },
    {
      eventTypes: (row.event_types?.split(' ') ?? null) as EndpointView['eventTypes'],
      filter: parseOrNull(row.filter),
      retrySchedule: parseOrNull(row.retry_schedule),
      asymmetric: row.public_key !== null,
      previousSecrets: ends.length,
      previousSecretExpiresAt: ends.at(-1) ?? null,
    },
  );
}

function parseOrNull(text: string | null) {
  return text === null ? null : JSON.parse(text);
}
