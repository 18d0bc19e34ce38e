import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import type { Installation } from '../../../installation/installation.ts';
import { accountRows, apiKeyRows, changingRows, type RowKind } from '../../../ledger/audit/rows.ts';
import { recordChange, systemSource } from '../../../ledger/audit/store.ts';
import { verifyChain } from '../../../proofs/verify-chain.ts';
import { RowStates, verifyRows } from '../../../proofs/verify-rows.ts';
import { runTransaction } from '../../../storage/database.ts';
import { describeOnEachDatabase, openTestInstallation } from '../../harness.ts';
import { fillLedgers } from '../fixture.ts';

describeOnEachDatabase('a later version of a projection', (dialect) => {
  let installation: Installation;
  let tenantId: string;
  let keys: readonly string[];
  /** The rows of keys after the migration, as a release with the next version of their projection describes them. */
  const nextKeyRows = {
    ...apiKeyRows,
    columns: apiKeyRows.columns.map((column) => (column === 'name' ? 'title' : column)),
    renamed: { title: 'name' },
    added: [{ region: 'eu', quota: null }],
  } as unknown as RowKind<'api_keys'>;
  const next = changingRows.map((kind) => (kind.table === 'api_keys' ? nextKeyRows : kind)) as readonly RowKind[];

  before(async () => {
    installation = await openTestInstallation(dialect);
    const [tenant] = await fillLedgers(installation);
    tenantId = tenant?.id as string;
    const { kysely } = installation.database;
    const rows = await kysely.selectFrom('api_keys').select('id').where('tenant_id', '=', tenantId).execute();
    keys = rows.map(({ id }) => id);
  });
  after(() => installation[Symbol.asyncDispose]());

  const findFaults = async (kinds: readonly RowKind[]) => {
    const { kysely } = installation.database;
    const states = new RowStates();
    const { fault } = await verifyChain(kysely, 'audit', tenantId, undefined, ({ entry }) => states.read(entry));
    assert.equal(fault, null);
    const { checked, faults } = await verifyRows(kysely, kinds, tenantId, states);
    assert.ok(checked > 0);
    return faults.map(({ table, id }) => `${table} ${id}`);
  };
  const runSql = (text: string) => sql.raw(text).execute(installation.database.kysely);
  /** Sets a column of the first key, verifies, and sets it back. */
  const findChange = async (column: string, value: string, stored: string) => {
    await runSql(`update api_keys set ${column} = ${value} where id = '${keys[0]}'`);
    const faults = await findFaults(next);
    await runSql(`update api_keys set ${column} = ${stored} where id = '${keys[0]}'`);
    return faults;
  };

  test('verifies nothing differently when a migration renames a column and adds others', async () => {
    assert.deepEqual(await findFaults(changingRows), []);
    await runSql('alter table api_keys rename column name to title');
    await runSql("alter table api_keys add column region text not null default 'eu'");
    await runSql('alter table api_keys add column quota integer');
    assert.deepEqual(await findFaults(next), []);
  });

  test('finds a changed value in a new column, and in a renamed one, of a row from before', async () => {
    const { rows } = await sql<{ title: string }>`select title from api_keys where id = ${keys[0]}`.execute(
      installation.database.kysely,
    );
    const changed = [`api_keys ${keys[0]}`];
    assert.deepEqual(await findChange('region', "'us'", "'eu'"), changed);
    assert.deepEqual(await findChange('quota', '5', 'null'), changed);
    assert.deepEqual(await findChange('title', "'x'", `'${rows[0]?.title}'`), changed);
    assert.deepEqual(await findFaults(next), []);
  });

  test('is recorded with the next change of a row, and then covers its new columns', async () => {
    await runTransaction(installation.database, '2026-11-21T13:00:00.000Z', async (tx) => {
      await sql`update api_keys set region = 'us' where id = ${keys[0]}`.execute(tx.queries);
      const row = await tx.queries
        .selectFrom('api_keys')
        .selectAll()
        .where('id', '=', keys[0] as string)
        .executeTakeFirstOrThrow();
      await recordChange(tx, systemSource(tenantId), nextKeyRows, row, { verb: 'edited', targetRef: null });
    });
    assert.deepEqual(await findFaults(next), []);
    assert.deepEqual(await findChange('region', "'eu'", "'us'"), [`api_keys ${keys[0]}`]);
    assert.deepEqual(await findFaults(next), []);
    // A server of the release before cannot say that such a row holds.
    const older = { ...nextKeyRows, added: [] } as unknown as RowKind;
    assert.deepEqual(await findFaults([older]), [`api_keys ${keys[0]}`]);
  });

  test('has commitments to personal values, that another program can compute', async () => {
    const { kysely } = installation.database;
    const rows = await kysely.selectFrom('users').selectAll().execute();
    const events = await kysely.selectFrom('audit_events').select('entry').orderBy('sequence').execute();
    const states = new Map(
      events.flatMap(({ entry }) => {
        const { targetId, diff } = JSON.parse(entry);
        const state = diff?.states?.['account/1'];
        return state === undefined ? [] : [[targetId, state] as const];
      }),
    );
    assert.ok(states.size > 0);
    for (const row of rows.filter(({ id }) => states.has(id))) {
      const { salt, email, seal: _, ...others } = row;
      const commitment = createHash('sha256').update(`${salt}email\0${email}`).digest('hex');
      const text = canonicalize({ ...others, email: commitment }) as string;
      assert.equal(states.get(row.id), createHash('sha256').update(text).digest('hex'));
    }
    assert.deepEqual(accountRows.personal, ['email']);
  });
});

test('the README of the ledgers names the values of every projection', async () => {
  const readme = await readFile(new URL('../../../ledger/README.md', import.meta.url), 'utf8');
  const rows = changingRows.map(({ noun, table, columns, personal, added }) => {
    const names = columns.map((name) => (personal.includes(name) ? `*${name}*` : name));
    return [`| \`${noun}/${added.length + 1}\` | \`${table}\` | ${names.join(', ')} |`];
  });
  const table = readme.slice(readme.indexOf('| Projection |')).split('\n\n')[0]?.split('\n').slice(2);
  assert.deepEqual(table, rows.flat());
});
