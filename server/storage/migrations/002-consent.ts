import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeAppendOnly } from '../append-only.ts';
import type { Dialect } from '../database.ts';
import { createClusteredTable, describeIndexes, textType } from './columns.ts';

/** Notices, their published versions, and the ledger of records. */
export function consent(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('consent_notices')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('content', text, (column) => column.notNull())
        .addColumn('domain', text, (column) => column.notNull())
        .addColumn('search_text', text, (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('record_count', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .addColumn('published_at', text)
        .addColumn('archived_at', text)
        .execute();
      await db.schema
        .createIndex('consent_notices_tenant')
        .on('consent_notices')
        .columns(['tenant_id', 'id'])
        .execute();

      await createClusteredTable(db, dialect, 'consent_notice_versions')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('notice_id', text, (column) => column.notNull().references('consent_notices.id'))
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('content', text, (column) => column.notNull())
        .addColumn('content_hash', text, (column) => column.notNull())
        .addColumn('published_at', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('consent_notice_versions_pkey', ['notice_id', 'version'])
        .execute();
      await makeAppendOnly(db, dialect, 'consent_notice_versions');

      await db.schema
        .createTable('consent_records')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('id', text, (column) => column.notNull())
        .addColumn('notice_id', text, (column) => column.notNull().references('consent_notices.id'))
        .addColumn('subject_id', text, (column) => column.notNull())
        .addColumn('space', text, (column) => column.notNull())
        .addColumn('entry', text, (column) => column.notNull())
        .addColumn('prev_hash', text)
        .addColumn('hash', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('consent_records_pkey', ['tenant_id', 'sequence'])
        .execute();
      // Three indexes cover all queries: a notice's records by id and newest first, and a subject's.
      await db.schema
        .createIndex('consent_records_notice')
        .unique()
        .on('consent_records')
        .columns(['notice_id', 'id'])
        .execute();
      await db.schema
        .createIndex('consent_records_newest')
        .on('consent_records')
        .columns(['notice_id', 'sequence'])
        .execute();
      await db.schema
        .createIndex('consent_records_subject')
        .on('consent_records')
        .columns(['tenant_id', 'subject_id', 'notice_id', 'space', 'sequence'])
        .execute();
      await describeIndexes(db, dialect, 'consent_records', {
        sqlite_autoindex_consent_records_1: [100_000, 1],
        consent_records_notice: [20_000, 1],
        consent_records_newest: [20_000, 1],
        consent_records_subject: [100_000, 3, 2, 2, 1],
      });
      await makeAppendOnly(db, dialect, 'consent_records');
    },
  };
}
