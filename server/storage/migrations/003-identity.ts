import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../database.ts';
import { createClusteredTable, describeIndexes, textType } from './columns.ts';

/** People, their memberships and sign-in, and the tokens of programs. */
export function identity(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      for (const column of ['default_role', 'scim_compatibility', 'sso', 'require_second_factor']) {
        await db.schema.alterTable('tenants').addColumn(column, text).execute();
      }
      for (const column of ['tenant_ids', 'last_used_at', 'replaced_by']) {
        await db.schema.alterTable('api_keys').addColumn(column, text).execute();
      }
      await db.schema.createIndex('api_keys_tenant').on('api_keys').columns(['tenant_id', 'id']).execute();
      // Few keys act for several tenants; each tenant scans these for those that include it.
      await db.schema
        .createIndex('api_keys_shared')
        .on('api_keys')
        .column('id')
        .where(sql<boolean>`tenant_ids is not null`)
        .execute();

      await db.schema
        .createTable('users')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('email', text, (column) => column.notNull().unique())
        .addColumn('password_hash', text)
        .addColumn('password_changed_at', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('memberships')
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('user_id', text, (column) => column.notNull().references('users.id'))
        .addColumn('user_name', text, (column) => column.notNull())
        .addColumn('given_name', text)
        .addColumn('family_name', text)
        .addColumn('external_id', text)
        .addColumn('role', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .addColumn('accepted_at', text)
        .addColumn('deactivated_at', text)
        .addColumn('unassigned_at', text)
        .addColumn('deleted_at', text)
        .addColumn('last_signed_in_at', text)
        .addPrimaryKeyConstraint('memberships_pkey', ['tenant_id', 'user_id'])
        .execute();
      const present = sql<boolean>`deleted_at is null`;
      await db.schema
        .createIndex('memberships_present')
        .on('memberships')
        .columns(['tenant_id', 'user_id'])
        .where(present)
        .execute();
      await db.schema
        .createIndex('memberships_role')
        .on('memberships')
        .columns(['tenant_id', 'role', 'user_id'])
        .where(present)
        .execute();
      await db.schema
        .createIndex('memberships_external')
        .on('memberships')
        .columns(['external_id', 'tenant_id', 'user_id'])
        .where(present)
        .execute();
      await db.schema.createIndex('memberships_user').on('memberships').column('user_id').execute();
      await describeIndexes(db, dialect, 'memberships', {
        sqlite_autoindex_memberships_1: [100_000, 1],
        memberships_present: [100_000, 1],
        memberships_role: [100_000, 20_000, 1],
        memberships_external: [2, 2, 1],
        memberships_user: [1],
      });

      await createClusteredTable(db, dialect, 'second_factors')
        .addColumn('user_id', text, (column) => column.notNull().primaryKey().references('users.id'))
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('secret', text)
        .addColumn('codes_salt', text)
        .addColumn('last_step', 'bigint')
        .addColumn('updated_at', text, (column) => column.notNull())
        .execute();
      await createClusteredTable(db, dialect, 'backup_codes')
        .addColumn('user_id', text, (column) => column.notNull().references('users.id'))
        .addColumn('hash', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('backup_codes_pkey', ['user_id', 'hash'])
        .execute();

      await db.schema
        .createTable('sessions')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('token_hash', text, (column) => column.notNull().unique())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('user_id', text, (column) => column.notNull().references('users.id'))
        .addColumn('challenge_id', text)
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('last_seen_at', text, (column) => column.notNull())
        .addColumn('expires_at', text, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('sessions_user').on('sessions').columns(['user_id', 'tenant_id']).execute();
      await db.schema.createIndex('sessions_last_seen').on('sessions').column('last_seen_at').execute();

      await db.schema
        .createTable('sign_in_challenges')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('user_id', text, (column) => column.notNull().references('users.id'))
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('expires_at', text, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('sign_in_challenges_user').on('sign_in_challenges').column('user_id').execute();
      await db.schema.createIndex('sign_in_challenges_expires').on('sign_in_challenges').column('expires_at').execute();

      await createClusteredTable(db, dialect, 'sign_in_failures')
        .addColumn('subject', text, (column) => column.notNull().primaryKey())
        .addColumn('failures', 'integer', (column) => column.notNull())
        .addColumn('last_failed_at', text, (column) => column.notNull())
        .addColumn('blocked_until', text)
        .execute();
      await db.schema.createIndex('sign_in_failures_last').on('sign_in_failures').column('last_failed_at').execute();

      await db.schema
        .createTable('invitations')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('email', text, (column) => column.notNull())
        .addColumn('role', text, (column) => column.notNull())
        .addColumn('token_hash', text, (column) => column.notNull().unique())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('expires_at', text, (column) => column.notNull())
        .addColumn('accepted_at', text)
        .addColumn('revoked_at', text)
        .execute();
      await db.schema.createIndex('invitations_tenant').on('invitations').columns(['tenant_id', 'id']).execute();

      await db.schema
        .createTable('scim_tokens')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull().references('tenants.id'))
        .addColumn('hash', text, (column) => column.notNull().unique())
        .addColumn('display_prefix', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('last_used_at', text)
        .addColumn('revoked_at', text)
        .execute();
      // The database enforces a single valid token.
      await db.schema
        .createIndex('scim_tokens_valid')
        .unique()
        .on('scim_tokens')
        .column('tenant_id')
        .where(sql<boolean>`revoked_at is null`)
        .execute();

      await createClusteredTable(db, dialect, 'access_tokens')
        .addColumn('hash', text, (column) => column.notNull().primaryKey())
        .addColumn('key_id', text, (column) => column.notNull().references('api_keys.id'))
        .addColumn('scopes', text, (column) => column.notNull())
        .addColumn('expires_at', text, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('access_tokens_expires').on('access_tokens').column('expires_at').execute();

      await db.schema
        .createTable('webhook_events')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('type', text, (column) => column.notNull())
        .addColumn('data', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('webhook_events_created').on('webhook_events').column('created_at').execute();
    },
  };
}
