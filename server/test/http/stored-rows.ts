import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

/**
 * Every row of every table as text: two equal texts mean that nothing was written in between. Left out are the counts
 * of requests, which servers on PostgreSQL share by the clock of the machine, when credentials were used, which is
 * written every few seconds, and the checkpoints with their trees, which are brought up to the ledgers every minute.
 */
export async function readAllRows({ kysely }: Database): Promise<string> {
  const tables = await kysely.introspection.getTables();
  const rows = await Promise.all(
    tables
      .filter(({ name }) => !ownWork.includes(name))
      .map(async ({ name }) => {
        const result = await sql`select * from ${sql.table(name)}`.execute(kysely);
        return `${name}\n${result.rows
          .map((row) => JSON.stringify(row, (name, value) => (uses.includes(name) ? null : value)))
          .sort()
          .join('\n')}`;
      }),
  );
  return rows.sort().join('\n\n');
}

const ownWork: readonly string[] = ['rate_limits', 'checkpoints', 'merkle_trees', 'merkle_tiles'];
const uses: readonly string[] = ['last_used_at', 'last_seen_at'];
