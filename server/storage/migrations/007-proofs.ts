import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeAppendOnly } from '../append-only.ts';
import type { Dialect } from '../database.ts';
import { createClusteredTable, textType } from './columns.ts';

/** The Merkle trees over the ledgers, and their signed checkpoints. */
export function proofs(dialect: Dialect): Migration {
  const text = textType(dialect);
  return {
    async up(db: Kysely<unknown>) {
      await createClusteredTable(db, dialect, 'checkpoints')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('ledger', text, (column) => column.notNull())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .addColumn('root_hash', text, (column) => column.notNull())
        .addColumn('at', text, (column) => column.notNull())
        .addColumn('note', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('checkpoints_pkey', ['tenant_id', 'ledger', 'size'])
        .execute();
      await makeAppendOnly(db, dialect, 'checkpoints');

      await createClusteredTable(db, dialect, 'merkle_trees')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('ledger', text, (column) => column.notNull())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('merkle_trees_pkey', ['tenant_id', 'ledger'])
        .execute();
      // A full tile has eleven kilobytes: too much for a row that SQLite stores in the tree of its key.
      await db.schema
        .createTable('merkle_tiles')
        .addColumn('tenant_id', text, (column) => column.notNull())
        .addColumn('ledger', text, (column) => column.notNull())
        .addColumn('level', 'integer', (column) => column.notNull())
        .addColumn('number', 'bigint', (column) => column.notNull())
        .addColumn('hashes', text, (column) => column.notNull())
        .addPrimaryKeyConstraint('merkle_tiles_pkey', ['tenant_id', 'ledger', 'level', 'number'])
        .execute();
    },
  };
}
