import { type Database, inTransaction, locksRows, type Queries } from '../storage/database.ts';

/** What is remembered to have been used, by the table and column that keep it. */
const columns = { api_keys: 'last_used_at', scim_tokens: 'last_used_at', sessions: 'last_seen_at' } as const;
type UsedTable = keyof typeof columns;

/**
 * When keys, tokens and sessions were last used. Requests only note it here; it is written every few seconds, off their
 * way. What a process that is killed had noted is lost, which ends a session a few seconds early at the most.
 */
export class LastUses {
  readonly #noted = new Map<UsedTable, Map<string, string>>();

  note(table: UsedTable, id: string, now: string): void {
    let noted = this.#noted.get(table);
    if (noted === undefined) {
      noted = new Map();
      this.#noted.set(table, noted);
    }
    noted.set(id, now);
  }

  /** The later of what is stored and what was noted here. */
  latest(table: UsedTable, id: string, stored: string): string {
    const noted = this.#noted.get(table)?.get(id);
    return noted === undefined || noted < stored ? stored : noted;
  }

  /** Writes what was noted; a time never goes back, whatever another server wrote. */
  async write(database: Database): Promise<void> {
    const { kysely } = database;
    for (const [table, noted] of this.#noted) {
      const uses = [...noted];
      if (uses.length === 0) continue;
      // SQLite syncs the disk once for all of them. On PostgreSQL each is by itself: rows that are locked one after the
      // other could wait in a circle with a change.
      if (locksRows(kysely)) await writeUses(kysely, table, uses);
      else await inTransaction(database, (transaction) => writeUses(transaction, table, uses));
      // Kept until they are stored: a session must not look older in between, nor a failure lose them.
      for (const [id, time] of uses) if (noted.get(id) === time) noted.delete(id);
    }
  }
}

async function writeUses(
  queries: Queries,
  table: UsedTable,
  uses: readonly (readonly [id: string, time: string])[],
): Promise<void> {
  const column = columns[table] as 'last_used_at';
  for (const [id, time] of uses) {
    await queries
      .updateTable(table as 'api_keys')
      .set({ [column]: time })
      .where('id', '=', id)
      .where((row) => row.or([row(column, 'is', null), row(column, '<', time)]))
      .execute();
  }
}
