import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../database.ts';
import { textType } from './columns.ts';

/** Data-subject requests, and breaches of personal data. */
export function privacy(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('tenants').addColumn('dsr_days', 'integer').execute();

      await db.schema
        .createTable('dsr_requests')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('subject_id', text, (column) => column.notNull())
        .addColumn('type', text, (column) => column.notNull())
        .addColumn('channel', text)
        .addColumn('notes', text)
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('outcome', text)
        .addColumn('reason', text)
        .addColumn('received_at', text, (column) => column.notNull())
        .addColumn('due_at', text, (column) => column.notNull())
        .addColumn('extended_at', text)
        .addColumn('extension_reason', text)
        .addColumn('completed_at', text)
        .addColumn('salt', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('dsr_requests_tenant').on('dsr_requests').columns(['tenant_id', 'id']).execute();
      await db.schema
        .createIndex('dsr_requests_status')
        .on('dsr_requests')
        .columns(['tenant_id', 'status', 'id'])
        .execute();
      await db.schema
        .createIndex('dsr_requests_type')
        .on('dsr_requests')
        .columns(['tenant_id', 'type', 'id'])
        .execute();
      await db.schema
        .createIndex('dsr_requests_subject')
        .on('dsr_requests')
        .columns(['tenant_id', 'subject_id', 'id'])
        .execute();

      await db.schema
        .createTable('breach_incidents')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('title', text, (column) => column.notNull())
        .addColumn('description', text, (column) => column.notNull())
        .addColumn('severity', text, (column) => column.notNull())
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('affected_subjects', 'bigint')
        .addColumn('data_categories', text, (column) => column.notNull())
        .addColumn('discovered_at', text, (column) => column.notNull())
        .addColumn('authority_notified_at', text)
        .addColumn('subjects_notified_at', text)
        .addColumn('notification_reason', text)
        .addColumn('closed_at', text)
        .addColumn('salt', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('breach_incidents_tenant')
        .on('breach_incidents')
        .columns(['tenant_id', 'id'])
        .execute();
    },
  };
}
