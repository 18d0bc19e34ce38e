import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeAppendOnly } from '../append-only.ts';
import type { Dialect } from '../database.ts';
import { createClusteredTable, describeIndexes, textType } from './columns.ts';

/** Tenants, keys, stored responses and rate limits, and the audit log. */
export function spine(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('installation')
        .addColumn('id', 'integer', (column) => column.notNull().primaryKey())
        .addColumn('secret_hash', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('tenants')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('slug', text, (column) => column.notNull().unique())
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('api_version', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('api_keys')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('name', text, (column) => column.notNull())
        .addColumn('hash', text, (column) => column.notNull().unique())
        .addColumn('display_prefix', text, (column) => column.notNull())
        .addColumn('scopes', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('expires_at', text)
        .addColumn('revoked_at', text)
        .execute();

      await createClusteredTable(db, dialect, 'idempotency_keys')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('key', text, (column) => column.notNull())
        .addColumn('fingerprint', text, (column) => column.notNull())
        .addColumn('status', 'integer', (column) => column.notNull())
        .addColumn('body', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_keys_pkey', ['tenant_id', 'key'])
        .execute();
      await db.schema.createIndex('idempotency_keys_created_at').on('idempotency_keys').column('created_at').execute();

      await createClusteredTable(db, dialect, 'rate_limits')
        .addColumn('bucket', text, (column) => column.notNull())
        .addColumn('minute', 'bigint', (column) => column.notNull())
        .addColumn('requests', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('rate_limits_pkey', ['minute', 'bucket'])
        .execute();

      await createClusteredTable(db, dialect, 'chain_heads')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('ledger', text, (column) => column.notNull())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('hash', text)
        .addColumn('at', text, (column) => column.notNull())
        .addColumn('key_id', text, (column) => column.notNull())
        .addColumn('mac', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('chain_heads_pkey', ['tenant_id', 'ledger'])
        .execute();

      await db.schema
        .createTable('audit_events')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('id', text, (column) => column.notNull())
        .addColumn('at', text, (column) => column.notNull())
        .addColumn('module', text, (column) => column.notNull())
        .addColumn('actor_type', text, (column) => column.notNull())
        .addColumn('entry', text, (column) => column.notNull())
        .addColumn('prev_hash', text)
        .addColumn('hash', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('audit_events_pkey', ['tenant_id', 'sequence'])
        .execute();
      for (const columns of [['id'], ['at'], ['module'], ['actor_type'], ['module', 'actor_type']]) {
        await db.schema
          .createIndex(`audit_events_${columns.join('_')}`)
          .on('audit_events')
          .columns(['tenant_id', ...columns, 'sequence'])
          .execute();
      }
      await describeIndexes(db, dialect, 'audit_events', {
        sqlite_autoindex_audit_events_1: [100_000, 1],
        audit_events_id: [100_000, 1, 1],
        audit_events_at: [100_000, 2, 1],
        audit_events_module: [100_000, 20_000, 1],
        audit_events_actor_type: [100_000, 30_000, 1],
        audit_events_module_actor_type: [100_000, 20_000, 5000, 1],
      });
      await makeAppendOnly(db, dialect, 'audit_events');
    },
  };
}
