import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { appendRecords } from '../../consent/record-store.ts';
import { AnchorLog } from '../../ledger/anchor-log.ts';
import type { StoredCheckpoint } from '../../ledger/checkpoint-store.ts';
import { describeHead, hashEntry, type LedgerName, ledgerTables } from '../../ledger/entry.ts';
import { verifyChain } from '../../proofs/verify-chain.ts';
import { runTransaction } from '../../storage/database.ts';
import { newId } from '../../storage/rows.ts';
import { describeOnOneDatabase, startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { appendOne, exportText, forgetTree, signNow, verifyFile } from '../ledger/exported.ts';
import { draftRecord, runVerify } from '../ledger/fixture.ts';
import { readNote, rootsOfProof } from '../ledger/naive-merkle.ts';
import {
  changeRow,
  deleteRow,
  insertRow,
  type LedgerRow,
  liftProtection,
  type Row,
  readLedger,
  readRows,
} from '../ledger/tamper.ts';

/** Changes of an attacker to the rows of a ledger, before the earlier checkpoint. */
const attacks: Readonly<Record<string, (rows: readonly LedgerRow[], at: number) => readonly LedgerRow[]>> = {
  changed: (rows, at) => rows.with(at, { ...at0(rows, at), entry: edit(at0(rows, at).entry) }),
  removed: (rows, at) => rows.toSpliced(at, 1),
  swapped: (rows, at) => rows.with(at, at0(rows, at - 1)).with(at - 1, at0(rows, at)),
  inserted: (rows, at) => {
    return rows.toSpliced(at, 0, replaceId(at0(rows, at)));
  },
  'rolled back': (rows, at) => rows.slice(0, at),
  // Split view: the histories shown to two parties have only their start in common.
  'shown differently': (rows, at) => [...rows.slice(0, at), ...rows.slice(at).map(replaceId)],
};
const replaceId = (row: LedgerRow): LedgerRow => {
  const id = newId();
  return { ...row, id, entry: row.entry.replace(row.id, id) };
};
const at0 = (rows: readonly LedgerRow[], at: number) => rows[at] as LedgerRow;
const edit = (entry: string) =>
  entry
    .replace('"reason":null', '"reason":"another"')
    .replace(/"capturedAt":"2026[^"]+"/, '"capturedAt":"2020-02-20T20:20:20.020Z"');

/** The row of an entry. */
function placeRow({ entry: _, ...row }: LedgerRow, ledger: LedgerName, entry: string): Row {
  const { id, at, capturedAt, recordedAt, sequence } = JSON.parse(entry);
  if (ledger === 'audit') return { ...row, id, at, entry };
  return { ...row, id, captured_at: capturedAt, recorded_at: recordedAt, sequence };
}

describeOnOneDatabase('a ledger that was rewritten by an attacker with full control', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
    await liftProtection(server.installation.database);
  });
  after(() => server[Symbol.asyncDispose]());

  const append = async (tenantId: string, ledger: LedgerName, count: number) => {
    const { installation, clock } = server;
    for (let number = 0; number < count; number += 1) {
      clock.advance(1000);
      if (ledger === 'audit') await appendOne(installation, tenantId, clock.now(), `thing ${number}`);
      else
        await runTransaction(installation.database, clock.now(), (tx) =>
          appendRecords(tx, [draftRecord(tenantId, newId(), `subject ${number}`)]),
        );
    }
  };

  /** Rewrites a whole ledger: rows, chain, head, tree, tiles, and a checkpoint with the right keys. */
  async function rewrite(
    tenantId: string,
    ledger: LedgerName,
    attack: (rows: readonly LedgerRow[]) => readonly LedgerRow[],
  ) {
    const { installation, clock } = server;
    const { database } = installation;
    const table = ledgerTables[ledger];
    const rows = await readLedger(database, { tenantId, ledger });
    for (const row of rows) await deleteRow(database, table, row);
    let hash: string | null = null;
    const rewritten = attack(rows);
    /** The numbers of templates, which are those of their first records. */
    const templates = new Map<unknown, number>();
    const times = rows.map((row) => JSON.parse(String(row.entry))[ledger === 'audit' ? 'at' : 'recordedAt']).sort();
    for (const [index, row] of rewritten.entries()) {
      // Times must rise in the new order too, or the export itself shows the change.
      const at = times[Math.min(index, times.length - 1)];
      const entry = row.entry
        .replace(/"(at|recordedAt)":"[^"]+"/, `"$1":"${at}"`)
        .replace(/"sequence":\d+/, `"sequence":${index + 1}`);
      hash = hashEntry(hash, entry);
      const template = ledger === 'consent' && { template: templates.get(row.template) ?? index + 1 };
      if (template) templates.set(row.template, template.template);
      await insertRow(database, table, { ...placeRow(row, ledger, entry), ...template, sequence: index + 1, hash });
    }
    if (ledger === 'consent')
      for (const template of (await readRows(database, 'record_templates')).filter(
        (row) => row.tenant_id === tenantId,
      )) {
        await deleteRow(database, 'record_templates', template);
        const number = templates.get(template.number);
        if (number !== undefined) await insertRow(database, 'record_templates', { ...template, number });
      }
    const head = { tenant_id: tenantId, ledger };
    const at = rewritten.length === 0 ? '' : times[Math.min(rewritten.length, times.length) - 1];
    const mac = installation.seal.seal(
      describeHead({ tenant_id: tenantId, ledger, sequence: rewritten.length, hash, at: at ?? '' }),
    );
    await changeRow(database, 'chain_heads', head, { sequence: rewritten.length, hash, at: at ?? '', mac });
    const of = { tenantId, ledger };
    await forgetTree(installation, of);
    await database.kysely.deleteFrom('checkpoints').where('tenant_id', '=', tenantId).execute();
    // An attacker who controls the machine also controls its log of anchors.
    const anchors = new AnchorLog(`${installation.anchors.file}.${newId()}`, installation.signer.verifier);
    return signNow({ ...installation, anchors }, of, clock.now());
  }

  const proves = async (tenant: TestTenant, ledger: LedgerName, earlier: StoredCheckpoint) => {
    const path = `/v1/ledgers/${ledger}/consistency-proof?from=${earlier.size}`;
    const { status, body } = await server.request('GET', path, { key: tenant.key });
    if (status !== 200) return false;
    const { hashes, checkpoint } = body.data;
    const key = server.installation.signer.verifierKey;
    const [one, other] = [readNote(earlier.note, key), readNote(checkpoint.note, key)];
    assert.ok(one && other);
    const decoded = hashes.map((hash: string) => Buffer.from(hash, 'base64'));
    const roots = rootsOfProof(one.size, other.size, one.root, decoded);
    return roots?.[0].equals(one.root) === true && roots[1].equals(other.root);
  };
  const verifies = async (
    tenantId: string,
    ledger: LedgerName,
    latest: StoredCheckpoint,
    earlier: StoredCheckpoint,
  ) => {
    const { installation } = server;
    const key = installation.signer.verifierKey;
    const of = { tenantId, ledger };
    const since = Math.min(earlier.size, latest.size);
    const last = server.clock.now();
    const files = [
      await exportText(installation, of, latest),
      await exportText(installation, of, latest, { since }),
      await exportText(installation, of, latest, { since, from: last }),
    ];
    const separately = await Promise.all(files.map((file) => verifyFile(file, key)));
    const against = await Promise.all(files.map((file) => verifyFile(file, key, earlier.note)));
    return { separately: separately.map(({ fault }) => fault), against: against.map(({ fault }) => fault !== null) };
  };

  /** Findings of `svc verify` with a kept checkpoint, without access to the anchor log. */
  const findWith = async (tenant: TestTenant, { note }: StoredCheckpoint) => {
    const { installation } = server;
    const [kept, hidden] = [`${installation.anchors.file}.kept`, `${installation.anchors.file}.hidden`];
    writeFileSync(kept, note);
    renameSync(installation.anchors.file, hidden);
    try {
      const { code, report } = await runVerify(installation, { tenant: tenant.slug, checkpoint: [kept] });
      return { code, found: report.findings.filter(({ message }) => message.includes(kept)) };
    } finally {
      renameSync(hidden, installation.anchors.file);
    }
  };

  let tenants = 0;
  for (const ledger of ['audit', 'consent'] as const) {
    test(`${ledger}: matches an earlier checkpoint while nothing is rewritten`, async () => {
      const tenant = await server.createTenant(`honest-${ledger}`);
      await append(tenant.id, ledger, 6);
      const of = { tenantId: tenant.id, ledger };
      const earlier = await signNow(server.installation, of, server.clock.now());
      await append(tenant.id, ledger, 5);
      const latest = await signNow(server.installation, of, server.clock.now());
      const { separately, against } = await verifies(tenant.id, ledger, latest, earlier);
      assert.deepEqual(
        [separately, against],
        [
          [null, null, null],
          [false, false, false],
        ],
      );
      assert.ok(await proves(tenant, ledger, earlier));
      assert.deepEqual((await findWith(tenant, earlier)).found, []);
      const rewritten = await rewrite(tenant.id, ledger, (rows) => rows);
      assert.equal(rewritten.rootHash, latest.rootHash, 'rewriting the same entries is not an attack');
    });

    for (const [name, attack] of Object.entries(attacks)) {
      test(`${ledger}: with rows ${name} is consistent in itself and matches no earlier checkpoint`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 3, max: 12 }), fc.nat(8), fc.nat(), async (before, more, pick) => {
            tenants += 1;
            const { installation, clock } = server;
            const tenant = await server.createTenant(`tenant-${tenants}`);
            await append(tenant.id, ledger, before);
            const of = { tenantId: tenant.id, ledger };
            const earlier = await signNow(installation, of, clock.now());
            await append(tenant.id, ledger, more);
            const at = 1 + (pick % (earlier.size - 1));
            const latest = await rewrite(tenant.id, ledger, (rows) => {
              const rewritten = attack(rows, at);
              assert.notDeepEqual(rewritten, rows);
              return rewritten;
            });
            const { fault } = await verifyChain(installation.database.kysely, ledger, tenant.id);
            assert.equal(fault, null, 'the attack is as good as can be');
            const { separately, against } = await verifies(tenant.id, ledger, latest, earlier);
            assert.deepEqual(separately, [null, null, null]);
            assert.deepEqual(against, [true, true, true]);
            assert.equal(await proves(tenant, ledger, earlier), false);
            const { code, found } = await findWith(tenant, earlier);
            assert.deepEqual([code, found.length], [1, 1]);
            // The file also fails with the kept note in place of the new one.
            const [header = '', ...lines] = (await exportText(installation, of, latest)).split('\n');
            const forged = JSON.stringify({ ...JSON.parse(header), checkpoint: earlier.note });
            const report = await verifyFile([forged, ...lines].join('\n'), installation.signer.verifierKey);
            assert.notEqual(report.fault, null);
          }),
          { numRuns: dialect === 'sqlite' ? 10 : 4 },
        );
      });
    }
  }
});
