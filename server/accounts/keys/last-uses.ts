import type { Selectable } from 'kysely';
import type { Credential } from '../../http/principal.ts';
import { type Database, inTransaction } from '../../storage/database.ts';
import { locksRows, type Queries } from '../../storage/queries.ts';
import { inBatches } from '../../storage/rows.ts';
import { holds, sealGrant } from '../../storage/secrets.ts';
import type { Tables } from '../../storage/tables.ts';

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
