import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Installation } from '../../installation/installation.ts';
import { hashEntry, type LedgerName } from '../../ledger/entry.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { describeOnOneDatabase, openTestInstallation } from '../harness.ts';
import { fillLedgers } from './fixture.ts';
import { changeRow, deleteRow, insertRow, type Row, readLedger, readRows } from './tamper.ts';

/** Changes rows of one chain, which are given in the order of their numbers. */
type Attack = (rows: readonly Row[]) => Promise<unknown>;

describeOnOneDatabase('verifyChain', (dialect) => {
  let installation: Installation;
  let tenantId: string;
  let otherId: string;
  before(async () => {
    installation = await openTestInstallation(dialect);
    const [tenant, other] = await fillLedgers(installation);
    tenantId = tenant?.id as string;
    otherId = other?.id as string;
  });
  after(() => installation[Symbol.asyncDispose]());

  for (const [ledger, table] of [
    ['consent', 'consent_records'],
    ['audit', 'audit_events'],
  ] as const) {
    const at = (rows: readonly Row[], number: number) => rows.at(number < 0 ? number : number - 1) as Row;
    const readEntry = async (row: Row) => {
      const entries = await readLedger(installation.database, { tenantId, ledger });
      return entries.find(({ sequence }) => sequence === row.sequence)?.entry as string;
    };
    /** A change of a row, and what its entry is then. */
    const edit = async (row: Row): Promise<readonly [Row, string]> => {
      const old = await readEntry(row);
      const entry = old.replace(ledger === 'audit' ? '"actorEmail":null' : String(row.captured_at), 'changed');
      assert.notEqual(entry, old);
      return [ledger === 'audit' ? { entry } : { captured_at: 'changed' }, entry];
    };
    const setHead = (head: Row) =>
      changeRow(installation.database, 'chain_heads', { tenant_id: tenantId, ledger }, head);

    /** Runs the attack, verifies the chain, and restores everything. */
    const findFault = async (attack: Attack) => {
      const { database } = installation;
      const rows = (await readRows(database, table)).filter((row) => row.tenant_id === tenantId);
      const heads = (await readRows(database, 'chain_heads')).filter(({ tenant_id }) => tenant_id === tenantId);
      await attack(rows);
      const { fault, entries } = await verifyChain(database.kysely, ledger, tenantId);
      for (const row of await readRows(database, table)) {
        if (row.tenant_id === tenantId) await deleteRow(database, table, row);
      }
      for (const row of rows) await insertRow(database, table, row);
      for (const head of heads) {
        await deleteRow(database, 'chain_heads', head);
        await insertRow(database, 'chain_heads', head);
      }
      assert.equal((await verifyChain(database.kysely, ledger, tenantId)).fault, null);
      return { fault, entries, rows };
    };
    const assertFault = async (
      attack: Attack,
      sequence: (last: number) => number,
      id: (rows: readonly Row[]) => unknown,
    ) => {
      const { fault, entries, rows } = await findFault(attack);
      assert.ok(fault, 'nothing was found');
      const { issue, ...place } = fault;
      assert.deepEqual(place, { ledger, tenantId, sequence: sequence(rows.length), id: id(rows) }, issue);
      return { issue, entries };
    };
    const noRow = () => null;

    test(`${ledger}: counts the entries of an intact chain and reports progress`, async () => {
      const rows = (await readRows(installation.database, table)).filter((row) => row.tenant_id === tenantId);
      const progress: number[] = [];
      const report = await verifyChain(installation.database.kysely, ledger, tenantId, (entries) =>
        progress.push(entries),
      );
      assert.deepEqual(report, { ledger, tenantId, entries: rows.length, fault: null });
      assert.deepEqual(progress, [rows.length]);
    });

    test(`${ledger}: the first row was deleted`, async () => {
      await assertFault(
        (rows) => deleteRow(installation.database, table, at(rows, 1)),
        () => 1,
        noRow,
      );
    });

    test(`${ledger}: a row in the middle was deleted`, async () => {
      const { entries } = await assertFault(
        (rows) => deleteRow(installation.database, table, at(rows, 3)),
        () => 3,
        noRow,
      );
      assert.equal(entries, 2);
    });

    test(`${ledger}: the last row was deleted`, async () => {
      await assertFault(
        (rows) => deleteRow(installation.database, table, at(rows, -1)),
        (last) => last,
        noRow,
      );
    });

    test(`${ledger}: the last row was deleted and the number of the head set back`, async () => {
      await assertFault(
        async (rows) => {
          await deleteRow(installation.database, table, at(rows, -1));
          await setHead({ sequence: rows.length - 1 });
        },
        (last) => last - 1,
        (rows) => at(rows, -2).id,
      );
    });

    test(`${ledger}: every row was deleted`, async () => {
      await assertFault(
        async (rows) => {
          for (const row of rows) await deleteRow(installation.database, table, row);
        },
        () => 1,
        noRow,
      );
    });

    test(`${ledger}: the head was deleted`, async () => {
      await assertFault(
        () => deleteRow(installation.database, 'chain_heads', { tenant_id: tenantId, ledger }),
        () => 1,
        noRow,
      );
    });

    test(`${ledger}: the head was made the head of an empty chain`, async () => {
      await assertFault(
        () => setHead({ sequence: 0, hash: null, at: '' }),
        () => 1,
        (rows) => at(rows, 1).id,
      );
    });

    test(`${ledger}: two rows were swapped`, async () => {
      await assertFault(
        async (rows) => {
          const [one, other] = [at(rows, 2), at(rows, 3)];
          await deleteRow(installation.database, table, one);
          await changeRow(installation.database, table, other, { sequence: one.sequence as number });
          await insertRow(installation.database, table, { ...one, sequence: other.sequence as number });
        },
        () => 2,
        (rows) => at(rows, 3).id,
      );
    });

    test(`${ledger}: a copy of the last row follows the head`, async () => {
      await assertFault(
        (rows) =>
          insertRow(installation.database, table, { ...at(rows, -1), id: copyId(rows[0]), sequence: rows.length + 1 }),
        (last) => last + 1,
        (rows) => copyId(rows[0]),
      );
    });

    test(`${ledger}: a valid row follows the head`, async () => {
      const forge = async (rows: readonly Row[]): Promise<Row> => {
        const last = at(rows, -1);
        const [id, sequence] = [copyId(rows[0]), rows.length + 1];
        const entry = (await readEntry(last))
          .replace(`"id":"${last.id}"`, `"id":"${id}"`)
          .replace(/"sequence":\d+/, `"sequence":${sequence}`);
        const hash = hashEntry(last.hash as string, entry);
        return { ...last, id, sequence, hash, ...(ledger === 'audit' && { entry }) };
      };
      await assertFault(
        async (rows) => insertRow(installation.database, table, await forge(rows)),
        (last) => last + 1,
        (rows) => copyId(rows[0]),
      );
    });

    for (const sequence of [0, -7]) {
      test(`${ledger}: a row has the number ${sequence}`, async () => {
        await assertFault(
          (rows) => insertRow(installation.database, table, { ...at(rows, 1), id: copyId(rows[0]), sequence }),
          () => sequence,
          (rows) => copyId(rows[0]),
        );
      });
    }

    test(`${ledger}: an entry was changed and hashed again, its successors were not`, async () => {
      await assertFault(
        async (rows) => {
          const [row, before] = [at(rows, 3), at(rows, 2).hash as string];
          const [values, entry] = await edit(row);
          await changeRow(installation.database, table, row, { ...values, hash: hashEntry(before, entry) });
        },
        () => 4,
        (rows) => at(rows, 4).id,
      );
    });

    test(`${ledger}: the last entry was changed and hashed again, the head was not`, async () => {
      await assertFault(
        async (rows) => {
          const [row, before] = [at(rows, -1), at(rows, -2).hash as string];
          const [values, entry] = await edit(row);
          await changeRow(installation.database, table, row, { ...values, hash: hashEntry(before, entry) });
        },
        (last) => last,
        (rows) => at(rows, -1).id,
      );
    });

    test(`${ledger}: the rows of another tenant were put in place of those of this one`, async () => {
      const { fault } = await findFault(async (rows) => {
        const { database } = installation;
        const foreign = (await readRows(database, table)).filter((row) => row.tenant_id === otherId);
        for (const row of rows) await deleteRow(database, table, row);
        for (const row of foreign) await insertRow(database, table, { ...row, id: copyId(row), tenant_id: tenantId });
      });
      assert.equal(fault?.sequence, 1);
    });
  }

  test('a chain of an unknown tenant has no head', async () => {
    const { fault } = await verifyChain(installation.database.kysely, 'audit' satisfies LedgerName, 'unknown');
    assert.equal(fault?.issue, 'the head of the chain is missing');
  });
});

/** A different id for the copy of a row, so that the unique indexes accept it. */
function copyId(row: Row | undefined): string {
  return `${row?.id}-copy`;
}
