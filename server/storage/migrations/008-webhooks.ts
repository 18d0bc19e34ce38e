import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../database.ts';
import { createClusteredTable, describeIndexes, textType } from './columns.ts';

/** Webhook endpoints, events, deliveries and their attempts. */
export function webhooks(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('webhook_endpoints')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('url', text, (column) => column.notNull())
        .addColumn('description', text)
        .addColumn('event_types', text)
        .addColumn('filter', text)
        .addColumn('rate_limit', 'integer')
        .addColumn('retry_schedule', text)
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('disabled_reason', text)
        .addColumn('disabled_at', text)
        .addColumn('secret', text, (column) => column.notNull())
        .addColumn('previous_secrets', text, (column) => column.notNull())
        .addColumn('signing_key', text)
        .addColumn('public_key', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .addColumn('deleted_at', text)
        .execute();
      // Deleted endpoints are kept forever and must not slow down deliveries.
      await sql`create index webhook_endpoints_present on webhook_endpoints (tenant_id, id)
        where deleted_at is null`.execute(db);

      await createClusteredTable(db, dialect, 'webhook_health')
        .addColumn('endpoint_id', text, (column) => column.notNull().primaryKey())
        .addColumn('failing_since', text)
        .addColumn('failed_at', text)
        .addColumn('last_error', text)
        .addColumn('failures', 'integer')
        .addColumn('notified_at', text)
        .addColumn('paused_until', text)
        .execute();

      await db.schema
        .createTable('webhook_deliveries')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('endpoint_id', text, (column) => column.notNull())
        .addColumn('event_id', text, (column) => column.notNull())
        .addColumn('event_type', text, (column) => column.notNull())
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('reason', text)
        .addColumn('response_status', 'integer')
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('first_attempt_at', text)
        .addColumn('due_at', text)
        .addColumn('claimed_by', text)
        .addColumn('redelivery_of', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('finished_at', text)
        .execute();
      for (const [name, columns] of Object.entries(deliveryIndexes))
        await db.schema
          .createIndex(`webhook_deliveries_${name}`)
          .on('webhook_deliveries')
          .columns([...columns])
          .execute();
      // Most deliveries succeed: they cost these indexes a single entry, which is removed on success.
      await sql`create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id)
        where due_at is not null`.execute(db);
      for (const owner of ['tenant', 'endpoint'])
        await sql`create index ${sql.id(`webhook_deliveries_dead_${owner}`)}
          on webhook_deliveries (${sql.id(`${owner}_id`)}, created_at, id) where status = 'dead'`.execute(db);
      await describeIndexes(db, dialect, 'webhook_deliveries', {
        webhook_deliveries_tenant: [1000, 2, 1],
        webhook_deliveries_endpoint: [500, 2, 1],
        webhook_deliveries_event: [2],
        webhook_deliveries_due: [500, 2, 1],
        webhook_deliveries_dead_tenant: [200, 2, 1],
        webhook_deliveries_dead_endpoint: [100, 2, 1],
      });

      await createClusteredTable(db, dialect, 'webhook_attempts')
        .addColumn('delivery_id', text, (column) => column.notNull())
        .addColumn('id', text, (column) => column.notNull())
        .addColumn('at', text, (column) => column.notNull())
        .addColumn('outcome', text, (column) => column.notNull())
        .addColumn('response_status', 'integer')
        .addColumn('message', text)
        .addColumn('excerpt', text)
        .addColumn('timing', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('webhook_attempts_pkey', ['delivery_id', 'id'])
        .execute();

      await createClusteredTable(db, dialect, 'webhook_senders')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('beats', 'bigint', (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('webhook_redeliveries')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('filter', text, (column) => column.notNull())
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('total', 'bigint', (column) => column.notNull())
        .addColumn('queued', 'bigint', (column) => column.notNull())
        .addColumn('position', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('finished_at', text)
        .execute();
      await db.schema
        .createIndex('webhook_redeliveries_tenant')
        .on('webhook_redeliveries')
        .columns(['tenant_id', 'id'])
        .execute();
      await sql`create index webhook_redeliveries_running on webhook_redeliveries (id) where status = 'running'`.execute(
        db,
      );
    },
  };
}

/** Lists are ordered by creation, which the ids of several servers follow only approximately. */
const deliveryIndexes: Readonly<Record<string, readonly string[]>> = {
  tenant: ['tenant_id', 'created_at', 'id'],
  endpoint: ['endpoint_id', 'created_at', 'id'],
  event: ['event_id'],
};
