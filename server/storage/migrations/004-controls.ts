import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../database.ts';
import { textType } from './columns.ts';

/** The control framework of a tenant: adopted frameworks, controls, evidence, tests and results. */
export function controls(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('control_programs')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().unique().references('tenants.id'))
        .addColumn('frameworks', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('tenant_controls')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('control_id', text, (column) => column.notNull())
        .addColumn('definition', text)
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('cadence', text, (column) => column.notNull())
        .addColumn('owner_user_id', text)
        .addColumn('reason', text)
        .addColumn('exception_ends_at', text)
        .addColumn('evidence_due_at', text)
        .addColumn('reviewed_at', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .addColumn('retired_at', text)
        .addUniqueConstraint('tenant_controls_control', ['tenant_id', 'control_id'])
        .execute();

      await db.schema
        .createTable('control_evidence')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('tenant_control_id', text, (column) => column.notNull().references('tenant_controls.id'))
        .addColumn('title', text, (column) => column.notNull())
        .addColumn('kind', text, (column) => column.notNull())
        .addColumn('description', text)
        .addColumn('url', text)
        .addColumn('sha256', text)
        .addColumn('collected_at', text, (column) => column.notNull())
        .addColumn('expires_at', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('withdrawn_at', text)
        .addColumn('withdrawal_reason', text)
        .execute();
      await db.schema
        .createIndex('control_evidence_control')
        .on('control_evidence')
        .columns(['tenant_id', 'tenant_control_id', 'id'])
        .execute();
      // The freshness of all controls of a tenant is read only from this index, except for `withdrawn_at` on SQLite.
      await db.schema
        .createIndex('control_evidence_freshness')
        .on('control_evidence')
        .columns(['tenant_id', 'tenant_control_id', 'collected_at', 'expires_at', 'withdrawn_at'])
        .where(sql<boolean>`withdrawn_at is null`)
        .execute();

      await db.schema
        .createTable('control_tests')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('tenant_control_id', text, (column) => column.notNull().references('tenant_controls.id'))
        .addColumn('title', text, (column) => column.notNull())
        .addColumn('procedure', text)
        .addColumn('cadence', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('retired_at', text)
        .execute();
      await db.schema
        .createIndex('control_tests_control')
        .on('control_tests')
        .columns(['tenant_id', 'tenant_control_id', 'id'])
        .execute();

      await db.schema
        .createTable('control_test_results')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('test_id', text, (column) => column.notNull().references('control_tests.id'))
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('notes', text)
        .addColumn('url', text)
        .addColumn('tested_at', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .execute();
      await db.schema
        .createIndex('control_test_results_latest')
        .on('control_test_results')
        .columns(['tenant_id', 'test_id', 'tested_at', 'id', 'status'])
        .execute();
    },
  };
}
