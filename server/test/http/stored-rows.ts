import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

/** Every row of every table as text: two equal texts mean that nothing was written in between. */
export async function readAllRows({ kysely }: Database): Promise<string> {
  const tables = await kysely.introspection.getTables();
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const result = await sql`select * from ${sql.table(name)}`.execute(kysely);
      return `${name}\n${result.rows
        .map((row) => JSON.stringify(row))
        .sort()
        .join('\n')}`;
    }),
  );
  return rows.sort().join('\n\n');
}
