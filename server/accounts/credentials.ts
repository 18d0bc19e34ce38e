import type { Selectable } from 'kysely';
import type { Credential, Principal } from '../http/principal.ts';
import { readScopes } from '../http/roles.ts';
import { hashToken, isToken } from '../installation/token.ts';
import { type Database, inTransaction } from '../storage/database.ts';
import { locksRows, type Queries } from '../storage/queries.ts';
import { findHeld, inBatches, prepareLookup, prepareQuery, readColumns, writeColumns } from '../storage/rows.ts';
import { holds, remember, sealedColumns, sealGrant } from '../storage/secrets.ts';
import type { Tables } from '../storage/tables.ts';

export const keyEnvironments = ['live', 'test'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/** True if a text has the form and the checksum of an API key; the key need not exist. */
export function isApiKey(text: string): boolean {
  return keyEnvironments.some((environment) => isToken(`svc_${environment}_`, text));
}

export const accessTokenPrefix = 'svc_at_';
export const scimTokenPrefix = 'scim_';

export function otherTenantsOf({ tenant_ids }: Pick<Selectable<Tables['api_keys']>, 'tenant_ids'>): readonly string[] {
  return tenant_ids?.split(' ') ?? [];
}

/** Finds the principal of a key; undefined when it is unknown, expired or revoked. */
export async function findKeyHolder(queries: Queries, key: string, now: string): Promise<Principal | undefined> {
  return keyHolder(queries, await selectKeyByHash(queries, hashToken(key)), now);
}

/** Finds the principal of a SCIM token; undefined for an unknown or revoked one. */
export async function findScimTokenHolder(queries: Queries, token: string): Promise<Principal | undefined> {
  if (!isToken(scimTokenPrefix, token)) return undefined;
  const row = findHeld(queries, 'scim_tokens', await selectScimToken(queries, hashToken(token)));
  return row && principalOf(queries, 'scim_token', row, { scopes: new Set(), otherTenantIds: [] });
}

/**
 * Finds the principal of an access token: its key, with those scopes of the token that the key still has. Undefined when
 * the token or its key is unknown, expired or revoked.
 */
export async function findAccessTokenHolder(
  queries: Queries,
  token: string,
  now: string,
): Promise<Principal | undefined> {
  if (!isToken(accessTokenPrefix, token)) return undefined;
  const row = findHeld(queries, 'access_tokens', await selectAccessToken(queries, hashToken(token)));
  if (row === undefined || row.expires_at <= now) return undefined;
  const key = keyHolder(queries, await selectKeyById(queries, { tenantId: row.tenant_id, id: row.key_id }), now);
  return key && { ...key, scopes: new Set([...readScopes(row.scopes)].filter((scope) => key.scopes.has(scope))) };
}

function keyHolder(queries: Queries, rows: readonly CredentialRow<'api_keys'>[], now: string): Principal | undefined {
  const row = findHeld(queries, 'api_keys', rows);
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return principalOf(queries, 'api_key', row, { scopes: readScopes(row.scopes), otherTenantIds: otherTenantsOf(row) });
}

/** @returns undefined if the credential was revoked, or the seal of its tenant does not hold. */
function principalOf(
  queries: Queries,
  kind: Credential['kind'],
  { id, tenant_id: tenantId, tenant: text, revoked_at }: CredentialRow<'api_keys' | 'scim_tokens'>,
  rights: Pick<Principal, 'scopes' | 'otherTenantIds'>,
): Principal | undefined {
  const tenant = readHeldTenant(queries, tenantId, text);
  if (tenant === undefined || revoked_at !== null) return undefined;
  const actor = { type: 'api_key', id, email: null } as const;
  return { tenantId, actor, apiVersion: tenant.api_version, credential: { kind, id, tenantId }, ...rights };
}

type CredentialRow<Name extends 'api_keys' | 'scim_tokens'> = Selectable<Tables[Name]> & {
  readonly tenant_id: string;
  /** A text of `writeTenant`. */
  readonly tenant: string;
};

const selectKeyByHash = selectByHash('api_keys');
const selectScimToken = selectByHash('scim_tokens');

const selectKeyById = prepareQuery<{ tenantId: string; id: string }, CredentialRow<'api_keys'>>((queries, parameter) =>
  selectCredentials(queries, 'api_keys')
    .where('tenant_id', '=', parameter('tenantId'))
    .where('id', '=', parameter('id')),
);

/** Prepares the look-up of a key or token by its hash, with its tenant. */
function selectByHash<Name extends 'api_keys' | 'scim_tokens'>(table: Name) {
  return prepareLookup<CredentialRow<Name>>(table, (queries, hash) =>
    selectCredentials(queries, table).where('hash', '=', hash),
  );
}

function selectCredentials<Name extends 'api_keys' | 'scim_tokens'>(queries: Queries, table: Name) {
  return (
    queries
      .selectFrom(table as 'api_keys')
      .selectAll()
      // A subquery, not a join: SQLite plans a join again for each key.
      .select((row) =>
        row.selectFrom('tenants').select(writeTenant(queries)).whereRef('tenants.id', '=', 'tenant_id').as('tenant'),
      )
      .$castTo<CredentialRow<Name>>()
  );
}

const selectAccessToken = prepareLookup<Selectable<Tables['access_tokens']>>('access_tokens', (queries, hash) =>
  queries.selectFrom('access_tokens').selectAll().where('hash', '=', hash),
);

const heldColumns = ['seal', ...sealedColumns.tenants.filter((column) => column !== 'id')];

/** The columns of a tenant as a text, for `readHeldTenant`. */
export function writeTenant(queries: Queries) {
  return writeColumns(queries, heldColumns);
}

type HeldTenant = Pick<Selectable<Tables['tenants']>, 'api_version' | 'require_second_factor'>;

/** By the adapter of a database: tenants whose seals held, with their texts. Comparing one costs less than reading it. */
const heldTenants = new WeakMap<object, Map<string, { readonly text: string; readonly tenant: HeldTenant }>>();

/** Reads the tenant of a credential; undefined if its seal does not hold. @param text of `writeTenant`. */
export function readHeldTenant(queries: Queries, id: string, text: string): HeldTenant | undefined {
  const { adapter } = queries.getExecutor();
  const held = heldTenants.get(adapter) ?? new Map();
  heldTenants.set(adapter, held);
  const known = held.get(id);
  if (known?.text === text) return known.tenant;
  const row = { id, ...readColumns(heldColumns, text) };
  if (!holds(queries, 'tenants', row)) return undefined;
  const tenant = row as unknown as HeldTenant;
  remember(held, id, { text, tenant });
  return tenant;
}

/** The column of each table that stores the last use. */
const columns = { api_keys: 'last_used_at', scim_tokens: 'last_used_at', sessions: 'last_seen_at' } as const;
type UsedTable = keyof typeof columns;

/**
 * When keys, tokens and sessions were last used. Requests note it in memory, and it is written every few seconds. A killed
 * process loses what it had noted, so that a session can end a few seconds early.
 */
export class LastUses {
  readonly #noted: Readonly<Record<UsedTable, Map<string, Use>>> = {
    api_keys: new Map(),
    scim_tokens: new Map(),
    sessions: new Map(),
  };

  note(table: UsedTable, { id, tenantId }: Pick<Credential, 'id' | 'tenantId'>, now: string): void {
    this.#noted[table].set(id, { id, tenantId, time: now });
  }

  /** The later of the stored and the noted time. */
  latest(table: UsedTable, id: string, stored: string): string {
    const noted = this.#noted[table].get(id)?.time;
    return noted === undefined || noted < stored ? stored : noted;
  }

  /** Writes the noted times, never over a later time of another server. */
  async write(database: Database): Promise<void> {
    for (const table of Object.keys(columns) as UsedTable[]) {
      const noted = this.#noted[table];
      const uses = [...noted.values()];
      if (uses.length === 0) continue;
      // One transaction on SQLite, for one disk sync. On PostgreSQL one statement each: locking several rows could
      // deadlock with a change.
      if (locksRows(database.kysely)) await writeUses(database.kysely, table, uses);
      else await inTransaction(database, (transaction) => writeUses(transaction, table, uses));
      // Deleted only after the write: a session must not look older in between, and a failure must not lose them.
      for (const use of uses) if (noted.get(use.id) === use) noted.delete(use.id);
    }
  }
}

interface Use extends Pick<Credential, 'id' | 'tenantId'> {
  readonly time: string;
}

async function writeUses(queries: Queries, table: UsedTable, uses: readonly Use[]): Promise<void> {
  if (table === 'sessions') return writeSessions(queries, uses);
  const column = columns[table];
  for (const { tenantId, id, time } of uses)
    await queries
      .updateTable(table as 'api_keys')
      .set({ [column]: time })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .where((row) => row.or([row(column, 'is', null), row(column, '<', time)]))
      .execute();
}

/** The last use of a session decides when it ends, so that it is sealed. */
async function writeSessions(queries: Queries, uses: readonly Use[]): Promise<void> {
  const times = new Map(uses.map((use) => [`${use.tenantId} ${use.id}`, use.time]));
  const rows: Selectable<Tables['sessions']>[] = [];
  for (const [tenantId, ofTenant] of Map.groupBy(uses, (use) => use.tenantId)) {
    const ofTable = queries.selectFrom('sessions').selectAll().where('tenant_id', '=', tenantId);
    const ids = ofTenant.map(({ id }) => id);
    rows.push(...(await inBatches(ids, (some) => ofTable.where('id', 'in', some).execute())));
  }
  for (const row of rows) {
    const { tenant_id, id } = row;
    const last_seen_at = times.get(`${tenant_id} ${id}`) as string;
    if (row.last_seen_at >= last_seen_at || !holds(queries, 'sessions', row)) continue;
    await queries
      .updateTable('sessions')
      .set({ last_seen_at, seal: sealGrant(queries, 'sessions', { ...row, last_seen_at }) })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      // Another server may have written it, or moved the session to another tenant, since it was read.
      .where('seal', '=', row.seal)
      .execute();
  }
}
