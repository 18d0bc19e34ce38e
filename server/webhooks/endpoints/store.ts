import type { Selectable } from 'kysely';
import { viewRow } from '../../http/schemas.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { prepareQuery, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import { EndpointView, secretPurpose, signingKeyPurpose } from './endpoint.ts';

export type EndpointRow = Selectable<Tables['webhook_endpoints']>;
export type EndpointKey = Pick<EndpointRow, 'tenant_id' | 'id'>;

/** How an endpoint fares. After an edit that resets it, only `failing_since` and `notified_at` may be set. */
export type Health = Omit<Selectable<Tables['webhook_health']>, 'tenant_id' | 'endpoint_id'>;

export const wellHealth: Health = {
  failing_since: null,
  failed_at: null,
  last_error: null,
  failures: null,
  notified_at: null,
  paused_until: null,
};

export const healthColumns = Object.keys(wellHealth) as readonly (keyof Health)[];

/** An endpoint as it is stored, and how it fares. */
export type Endpoint = EndpointRow & Health;

/** How an endpoint fares, by itself. */
export function healthOf(endpoint: Endpoint): Health {
  return Object.fromEntries(healthColumns.map((name) => [name, endpoint[name]])) as unknown as Health;
}

/** The endpoints of a tenant that were not deleted. */
export function selectEndpoints(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('webhook_endpoints')
    .leftJoin('webhook_health', (join) =>
      join
        .onRef('webhook_health.tenant_id', '=', 'webhook_endpoints.tenant_id')
        .onRef('webhook_health.endpoint_id', '=', 'webhook_endpoints.id'),
    )
    .selectAll('webhook_endpoints')
    .select(healthColumns)
    .where('webhook_endpoints.tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null);
}

/** Finds an endpoint of a tenant that was not deleted. */
export async function findEndpoint(queries: Queries, tenantId: string, id: string): Promise<Endpoint | undefined> {
  const [endpoint] = await selectEndpoint(queries, { tenantId, id });
  return endpoint;
}

const selectEndpoint = prepareQuery<{ tenantId: string; id: string }, Endpoint>((queries, parameter) =>
  selectEndpoints(queries, parameter('tenantId')).where('id', '=', parameter('id')),
);

/** Changes columns of an endpoint. @returns the row as it is now, for the event of the change. */
export function updateEndpoint(
  { queries, now }: Transaction,
  { tenant_id, id }: Pick<Endpoint, 'tenant_id' | 'id'>,
  columns: Partial<Omit<EndpointRow, 'id' | 'tenant_id' | 'created_at' | 'updated_at'>>,
): Promise<EndpointRow> {
  return updateRow(queries, 'webhook_endpoints', { tenant_id, id }, { ...columns, updated_at: now });
}

/** A secret as it is stored: it opens with `secretPurpose` of its endpoint. */
export interface SealedSecret {
  readonly sealed: string;
  /** From then on it signs nothing; null for one that does not end. */
  readonly expiresAt: string | null;
}

/** The sealed secrets of an endpoint, the newer first. */
export function listSecrets({
  secret,
  previous_secrets,
}: Pick<Endpoint, 'secret' | 'previous_secrets'>): readonly [SealedSecret, ...SealedSecret[]] {
  return [{ sealed: secret, expiresAt: null }, ...JSON.parse(previous_secrets)];
}

/**
 * The columns of an endpoint with encrypted texts, each text replaced. A deleted endpoint has none.
 * @param replace gets a text and its purpose.
 */
export function mapSecrets(
  endpoint: Pick<Endpoint, 'id' | 'secret' | 'previous_secrets' | 'signing_key' | 'deleted_at'>,
  replace: (sealed: string, purpose: string) => string,
): Partial<Pick<Endpoint, 'secret' | 'previous_secrets' | 'signing_key'>> {
  if (endpoint.deleted_at !== null) return {};
  const { id, signing_key: key } = endpoint;
  const [{ sealed: secret }, ...previous] = listSecrets(endpoint).map((one) => ({
    ...one,
    sealed: replace(one.sealed, secretPurpose(id)),
  })) as [SealedSecret, ...SealedSecret[]];
  return {
    secret,
    previous_secrets: JSON.stringify(previous),
    signing_key: key === null ? null : replace(key, signingKeyPurpose(id)),
  };
}

/** An endpoint at a time: a previous secret that has expired is none, nor is a pause that is over. */
export function viewEndpoint(row: Endpoint, now: string): EndpointView {
  const { failing_since, last_error, paused_until } = row;
  const ends = listSecrets(row)
    .map(({ expiresAt }) => expiresAt ?? '')
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
      filter: row.filter && JSON.parse(row.filter),
      retrySchedule: row.retry_schedule && JSON.parse(row.retry_schedule),
      asymmetric: row.public_key !== null,
      previousSecrets: ends.length,
      previousSecretExpiresAt: ends.at(-1) ?? null,
    },
  );
}
