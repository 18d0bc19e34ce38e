import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { completeAnchors, stateRestore } from '../../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../../ledger/entry.ts';
import { findLogCheckpoint } from '../../ledger/installation-log.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import type { Queries } from '../../storage/queries.ts';
import { describeOnEachDatabase } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { type Row, tamper } from '../ledger/tamper.ts';
import { hour, openLog } from './log-scene.ts';

const tables = ['log_leaves', 'checkpoints', 'merkle_tiles', 'merkle_trees'] as const;
const inLog = (table: string) =>
  table === 'log_leaves' ? sql`1 = 1` : sql`tenant_id = 'installation' and ledger = 'log'`;

/** The rows of the log. */
function readLog(queries: Queries) {
  return Promise.all(
    tables.map(async (table) => ({
      table,
      rows: (await sql<Row>`select * from ${sql.table(table)} where ${inLog(table)}`.execute(queries)).rows,
    })),
  );
}

describeOnEachDatabase('anchors of the log of the installation', (dialect) => {
  /** A log with two checkpoints: of 2 leaves, and of 3. */
  async function open() {
    const scene = await openLog(dialect);
    const { installation, database, queries, clock } = scene;
    const [first] = [await scene.addTenant(), await scene.addTenant()];
    await scene.run();
    const early = await readLog(queries);
    clock.advance(hour);
    await scene.append(first as LedgerOf);
    await scene.run();
    const { file } = installation.anchors;
    const verify = async (checkpoint: readonly string[] = []) => {
      const { code, lines, report } = await runVerify(installation, { checkpoint }, clock.now);
      return { code, lines, text: lines.join('\n'), about: report.findings.map((one) => `${one.kind} ${one.about}`) };
    };
    return {
      ...scene,
      first: first as LedgerOf,
      file,
      verify,
      readText: () => readFileSync(file, 'utf8'),
      /** Puts all rows of the log back to the state of 2 leaves. */
      rollBack: () =>
        tamper(database, async (changed) => {
          for (const { table, rows } of early) {
            await sql`delete from ${sql.table(table)} where ${inLog(table)}`.execute(changed);
            for (const row of rows)
              await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.id(name)))})
                values (${sql.join(Object.values(row))})`.execute(changed);
          }
        }),
      removeLog: () =>
        tamper(database, async (changed) => {
          for (const table of tables) await sql`delete from ${sql.table(table)} where ${inLog(table)}`.execute(changed);
        }),
      [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
    };
  }
  const readSizes = (text: string) =>
    [...text.matchAll(/^svc-\w+\/installation\/log\n(\d+)$/gm)].map(([, size]) => Number(size));

  test('are appended after the commit, and by other servers', async () => {
    await using scene = await open();
    const { installation, database, signer } = { ...scene, ...scene.installation };
    assert.deepEqual(readSizes(scene.readText()), [2, 3]);
    const { code, lines } = await scene.verify();
    assert.equal(code, 0, lines.join('\n'));
    const reach = /^✓ log of the installation: 2 anchors: a roll-back to fewer than 3 ledger checkpoints \(/;
    assert.equal(lines.filter((line) => reach.test(line)).length, 1);
    const folder = join(installation.settings.dataDir, 'other');
    mkdirSync(folder);
    const anchors = new AnchorLog(join(folder, anchorFile), signer.verifier);
    const keeper = new CheckpointKeeper({ database, signer, anchors, interval: hour, log: pino({ level: 'silent' }) });
    await keeper.start(scene.clock.now());
    assert.deepEqual(readSizes(readFileSync(anchors.file, 'utf8')), [2, 3]);
    // Another server signs later.
    scene.clock.advance(hour);
    await scene.addTenant();
    await scene.run();
    await keeper.anchor();
    assert.deepEqual(readSizes(readFileSync(anchors.file, 'utf8')), [2, 3, 4]);
  });

  test('that a crash prevented are appended at the next start, those in the middle too', async () => {
    await using scene = await open();
    const { database, signer } = scene.installation;
    const records = scene.readText().split(/(?<=\n)\n(?=svc-)/);
    writeFileSync(scene.file, records.filter((record) => !record.includes('/log\n2\n')).join('\n'));
    assert.deepEqual(readSizes(scene.readText()), [3]);
    scene.clock.advance(hour);
    const lacking = await scene.verify();
    assert.deepEqual([lacking.code, lacking.about], [3, ['unchecked anchor']], lacking.text);
    assert.match(lacking.text, /installation: log checkpoints of 2 ledger checkpoints are not in checkpoints\.log/);
    const anchors = new AnchorLog(scene.file, signer.verifier);
    const keeper = new CheckpointKeeper({ database, signer, anchors, interval: hour, log: pino({ level: 'silent' }) });
    await keeper.start(scene.clock.now());
    assert.deepEqual(readSizes(scene.readText()), [3, 2]);
    assert.equal((await scene.verify()).code, 0);
  });

  test('show that the log was rolled back, and then none is signed', async () => {
    await using scene = await open();
    const note = join(scene.installation.settings.dataDir, 'kept');
    writeFileSync(note, (await findLogCheckpoint(scene.queries))?.note ?? '');
    assert.match(
      (await scene.verify([note])).text,
      /✓ log of the installation: contains the 3 ledger checkpoints of .*kept/,
    );
    await scene.rollBack();
    const { code, about, text } = await scene.verify();
    assert.deepEqual([code, new Set(about)], [1, new Set(['tampered anchor'])], text);
    assert.match(
      text,
      /log checkpoint of size 3 .*checkpoints\.log line \d+\): the log has 2 ledger checkpoints: the newest were/,
    );
    scene.clock.advance(hour);
    await scene.append(scene.first);
    const logged: { readonly msg: string; readonly reason: string }[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    const keeper = new CheckpointKeeper({ ...scene.installation, interval: hour, log });
    for (let round = 0; round < 2; round += 1) {
      while (await keeper.step(scene.clock.now()));
      await new LogKeeper(scene.installation).step(scene.clock.now());
    }
    assert.equal((await findLogCheckpoint(scene.queries))?.size, 2);
    assert.deepEqual(
      logged.map(({ msg }) => msg),
      ['a ledger was rewritten: run svc verify'],
    );
    assert.match(logged[0]?.reason ?? '', /^The log of the installation does not contain the 3 entries/);
    // Without the file, only who kept a checkpoint can tell.
    rmSync(scene.file);
    const kept = await scene.verify([note]);
    assert.equal(kept.code, 1, kept.text);
    assert.match(kept.text, /log checkpoint of size 3 .*kept\): the log has 2 ledger checkpoints/);
  });

  test('show that the log was removed, and that it was written again with the secret', async () => {
    await using scene = await open();
    await scene.removeLog();
    const removed = await scene.verify();
    assert.deepEqual([removed.code, new Set(removed.about)], [1, new Set(['tampered anchor'])], removed.text);
    const folder = join(scene.installation.settings.dataDir, 'attacker');
    mkdirSync(folder);
    const anchors = new AnchorLog(join(folder, anchorFile), scene.installation.signer.verifier);
    for (let round = 0; round < 2; round += 1) {
      scene.clock.advance(hour);
      await scene.addTenant();
      await scene.sign();
      await new LogKeeper({ ...scene.installation, anchors }).step(scene.clock.now());
    }
    assert.equal((await findLogCheckpoint(scene.queries))?.size, 4);
    const { code, text } = await scene.verify();
    assert.equal(code, 1, text);
    assert.match(text, /log checkpoint of size 3 .*: the entries are not those that it was signed for/);
  });

  test('show that a checkpoint of the log was removed or replaced', async () => {
    await using scene = await open();
    const remove = (changed: typeof scene.queries, size: number) =>
      changed.deleteFrom('checkpoints').where('tenant_id', '=', 'installation').where('size', '=', size).execute();
    await tamper(scene.database, (changed) => remove(changed, 2));
    const { code, about, text } = await scene.verify();
    assert.deepEqual([code, about], [1, ['tampered anchor']]);
    assert.match(text, /log checkpoint of size 2 .*: the checkpoint was removed from the database/);
  });

  test('after a restore are those of the restored log', async () => {
    await using scene = await open();
    await scene.rollBack();
    await stateRestore(scene.database, scene.installation, scene.clock.now());
    assert.match(scene.readText(), /\ninstallation\/log 2 \S+\n/);
    const restored = await scene.verify();
    assert.equal(restored.code, 0, restored.text);
    await scene.removeLog();
    const { code, text } = await scene.verify();
    assert.equal(code, 1, text);
    assert.match(text, /log checkpoint of size 2 .*\(restore\)\)/);
  });

  test('are completed in a copy', async () => {
    await using scene = await open();
    const folder = join(scene.installation.settings.dataDir, 'copy');
    mkdirSync(folder);
    const { signer } = scene.installation;
    const anchors = new AnchorLog(join(folder, anchorFile), signer.verifier);
    await completeAnchors(scene.queries, { signer, anchors });
    assert.deepEqual(readSizes(readFileSync(anchors.file, 'utf8')), [2, 3]);
  });
});
