import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../database.ts';
import { textType } from './columns.ts';

/** The public trust page of a tenant. */
export function trust(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('trust_centers')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().unique().references('tenants.id'))
        .addColumn('content', text, (column) => column.notNull())
        .addColumn('published_at', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .execute();
    },
  };
}
