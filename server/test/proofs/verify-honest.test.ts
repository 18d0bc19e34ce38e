import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import { backup } from '../../cli/backup.ts';
import type { Command } from '../../cli/command.ts';
import { restore } from '../../cli/restore.ts';
import { startServer } from '../../cli/server/start-server.ts';
import { databaseFile, type Installation, openInstallation } from '../../installation/installation.ts';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { nameOrigin, nameRestore, writeCheckpoint, writeRestoreStatement } from '../../ledger/checkpoint.ts';
import { anchorCheckpoints, completeAnchors, findCheckpoint } from '../../ledger/checkpoint-store.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { systemClock } from '../../storage/clock.ts';
import { runTransaction } from '../../storage/database.ts';
import { createLocation, describeOnEachDatabase, TestClock, type TestLocation } from '../harness.ts';
import { appendOne, forgetTree, signNow } from '../ledger/exported.ts';
import { fillLedgers, runVerify } from '../ledger/fixture.ts';
import { changeRow, deleteRow, insertRow, readRows, tamper } from '../ledger/tamper.ts';
import { appendManyRecords } from './ledger-requests.ts';

const silent = pino({ level: 'silent' });

/** Runs another command in this process. */
async function run(command: Command, settings: Settings, options: Readonly<Record<string, string | boolean>>) {
  const code = await command.run({
    settings,
    options,
    clock: systemClock,
    say: () => undefined,
    showProgress: () => undefined,
    result: () => undefined,
  });
  assert.equal(code ?? 0, 0);
}

async function assertIntact(settings: Settings): Promise<void> {
  const { code, lines } = await runVerify({ settings });
  assert.equal(code, 0, lines.join('\n'));
}

describe('backups, copies and restores', () => {
  const clock = new TestClock();
  let location: TestLocation;
  let settings: Settings;
  let tenantId: string;
  let early: string;
  before(async () => {
    location = await createLocation('sqlite');
    settings = readSettings(location.environment);
    early = join(settings.dataDir, 'early');
    await using installation = await openInstallation(settings, clock.now);
    [tenantId] = (await fillLedgers(installation)).map(({ id }) => id) as [string];
    // As a server does when it starts.
    installation.erasures.open();
    await run(backup, settings, { to: early });
    await grow(installation);
  });
  after(() => location[Symbol.asyncDispose]());

  /** Adds records and a checkpoint of them. */
  async function grow(installation: Installation, count = 4): Promise<void> {
    clock.advance(60_000);
    await appendManyRecords({ installation, clock }, tenantId, count);
    await signNow(installation, { tenantId, ledger: 'consent' }, clock.now());
  }
  const at = (dataDir: string): Settings => ({ ...settings, dataDir });
  const newFolder = () => mkdtempSync(join(settings.dataDir, 'folder-'));
  const copyFolder = () => {
    const folder = newFolder();
    for (const name of ['svc.sqlite', 'secret.key', anchorFile, erasureFile])
      cpSync(join(settings.dataDir, name), join(folder, name));
    return folder;
  };

  test('a fresh installation verifies', async () => {
    const folder = newFolder();
    await using installation = await openInstallation(at(folder), clock.now);
    await assertIntact(installation.settings);
  });

  test('a backup verifies in place, and is not in WAL mode', async () => {
    await assertIntact(at(early));
    const header = readFileSync(databaseFile(early)).subarray(18, 20);
    assert.deepEqual([...header], [1, 1], 'SQLite file format: 1 is a rollback journal, 2 is WAL');
  });

  test('a copied data folder verifies', async () => {
    await assertIntact(at(copyFolder()));
  });

  test('an older backup restored beside a newer log verifies, also after new records', async () => {
    const folder = copyFolder();
    rmSync(databaseFile(folder));
    await run(restore, at(folder), { from: early });
    await assertIntact(at(folder));
    const header = readFileSync(databaseFile(folder)).subarray(18, 20);
    assert.deepEqual([...header], [2, 2], 'back in WAL mode');
    await using installation = await openInstallation(at(folder), clock.now);
    await grow(installation, 2);
    await assertIntact(at(folder));
    // A second restore, of a backup of the first history, contradicts the second history.
    const later = join(settings.dataDir, 'later');
    if (!existsSync(later)) await run(backup, settings, { to: later });
    await installation.database.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${databaseFile(folder)}${end}`, { force: true });
    await run(restore, at(folder), { from: later });
    await assertIntact(at(folder));
  });

  test('an older backup restored into an empty folder verifies', async () => {
    const folder = newFolder();
    await run(restore, at(folder), { from: early });
    const { code, lines } = await runVerify({ settings: at(folder) });
    assert.equal(code, 0, lines.join('\n'));
    assert.match(lines.join('\n'), /^• checkpoints\.log line \d+: a restore was accepted at \d{4}-/m);
  });

  test('removed entries are found again after a restore', async () => {
    const folder = newFolder();
    await run(restore, at(folder), { from: early });
    {
      await using installation = await openInstallation(at(folder), clock.now);
      await grow(installation);
    }
    cpSync(databaseFile(early), databaseFile(folder));
    const { code, lines } = await runVerify({ settings: at(folder) });
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /the ledger has 12 entries: the newest were removed, or an older database/);
  });

  test('an older file that was copied into place is reported until restore --in-place accepts it', async () => {
    const folder = copyFolder();
    cpSync(databaseFile(early), databaseFile(folder));
    assert.equal((await runVerify({ settings: at(folder) })).code, 1);
    const lines: string[] = [];
    const before = readFileSync(join(folder, anchorFile), 'utf8');
    const ignore = () => undefined;
    const asked = { settings: at(folder), clock: systemClock, showProgress: ignore, result: ignore };
    const asking = restore.run({ ...asked, options: { 'in-place': true }, say: (line) => lines.push(line) });
    await assert.rejects(asking, /Nothing was changed\. .* add --yes/);
    assert.equal(readFileSync(join(folder, anchorFile), 'utf8'), before);
    assert.ok(
      lines.includes(`${tenantId}/consent: checkpoints.log has 16 entries, the database has 12`),
      lines.join('\n'),
    );
    await run(restore, at(folder), { 'in-place': true, yes: true });
    await assertIntact(at(folder));
  });

  test('a kept checkpoint is compared, with or without the log', async () => {
    const folder = copyFolder();
    const file = join(folder, 'kept.json');
    {
      await using installation = await openInstallation(at(folder), clock.now);
      const checkpoint = await findCheckpoint(installation.database.kysely, { tenantId, ledger: 'consent' });
      writeFileSync(file, JSON.stringify({ data: checkpoint }));
    }
    const kept = { checkpoint: [file] };
    const honest = await runVerify({ settings: at(folder) }, kept);
    assert.equal(honest.code, 0, honest.lines.join('\n'));
    assert.ok(
      honest.lines.includes(`✓ first: consent ledger contains the 16 entries of ${file}`),
      honest.lines.join('\n'),
    );
    cpSync(databaseFile(early), databaseFile(folder));
    cpSync(join(early, anchorFile), join(folder, anchorFile));
    await assertIntact(at(folder));
    const rolledBack = await runVerify({ settings: at(folder) }, kept);
    assert.equal(rolledBack.code, 1);
    assert.match(
      rolledBack.lines.join('\n'),
      /✗ first: consent checkpoint of 16 entries .*kept\.json\): the ledger has 12/,
    );
    const own = new NoteSigner(readFileSync(join(folder, 'secret.key'), 'utf8').trim());
    const ofNone = nameOrigin(own.verifier.name, 'no-tenant', 'audit');
    writeFileSync(
      file,
      own.sign(
        writeCheckpoint({ origin: ofNone, size: 1, rootHash: Buffer.alloc(32).toString('base64'), at: clock.now() }),
      ),
    );
    const gone = await runVerify({ settings: at(folder) }, kept);
    assert.equal(gone.code, 1);
    assert.match(gone.lines.join('\n'), /✗ .*kept\.json: its ledger no-tenant\/audit is missing/);
    const foreign = new NoteSigner('the secret of another installation');
    const origin = nameOrigin(foreign.verifier.name, tenantId, 'consent');
    const text = writeCheckpoint({ origin, size: 1, rootHash: Buffer.alloc(32).toString('base64'), at: clock.now() });
    writeFileSync(file, foreign.sign(text));
    const unknown = await runVerify({ settings: at(folder) }, kept);
    assert.equal(unknown.code, 3);
    assert.match(unknown.lines.join('\n'), /\? .*kept\.json is no checkpoint that this installation signed/);
  });
});

describeOnEachDatabase('the checkpoint log', (dialect) => {
  const clock = new TestClock();
  let location: TestLocation;
  before(async () => {
    location = await createLocation(dialect);
  });
  after(() => location[Symbol.asyncDispose]());

  let machines = 0;
  /** A server process: with PostgreSQL as if on its own machine, with SQLite in the same folder. */
  const open = () => {
    machines += 1;
    const { SVC_DATA_DIR = '' } = location.environment;
    const dataDir = dialect === 'sqlite' ? SVC_DATA_DIR : join(SVC_DATA_DIR, `machine-${machines}`);
    mkdirSync(dataDir, { recursive: true });
    const more = { SVC_DATA_DIR: dataDir, SVC_SECRET: 'one secret for both of the servers', PORT: '0' };
    return openInstallation(readSettings({ ...location.environment, ...more }), clock.now);
  };

  test('gets the checkpoints of other servers appended by each server, so that each verifies', async () => {
    await using one = await open();
    await using other = await open();
    const [tenantId] = (await fillLedgers(one)).map(({ id }) => id) as [string];
    for (const installation of [other, one, other]) {
      clock.advance(60_000);
      await appendOne(installation, tenantId, clock.now(), 'a');
      await signNow(installation, { tenantId, ledger: 'audit' }, clock.now());
    }
    for (const { database, signer, anchors } of [one, other])
      assert.deepEqual(await anchorCheckpoints(database.kysely, { signer, anchors }), []);
    await assertIntact(one.settings);
    await assertIntact(other.settings);
    const notes = (await readRows(one.database, 'checkpoints')).map(({ note }) => String(note));
    for (const { anchors } of [one, other]) {
      const text = readFileSync(anchors.file, 'utf8');
      assert.deepEqual(
        notes.map((note) => text.split(`${note}\n`).length - 1),
        notes.map(() => 1),
        'each checkpoint once',
      );
    }
  });

  test('gets a checkpoint whose append a crash prevented, and skips an incomplete record', async () => {
    await using installation = await open();
    const [row] = await readRows(installation.database, 'tenants');
    const of = { tenantId: String(row?.id), ledger: 'audit' } as const;
    const lost = new AnchorLog(`${installation.anchors.file}.lost`, installation.signer.verifier);
    installation.anchors.open();
    cpSync(installation.anchors.file, lost.file);
    await appendOne(installation, of.tenantId, clock.now(), 'b');
    const { note } = await signNow({ ...installation, anchors: lost }, of, clock.now());
    appendFileSync(installation.anchors.file, note.slice(0, 40));
    {
      await using _ = await startServer(
        { ...installation, anchors: new AnchorLog(installation.anchors.file, installation.signer.verifier) },
        { log: silent },
      );
      const text = readFileSync(installation.anchors.file, 'utf8');
      assert.ok(text.includes(`${note.slice(0, 40)} (cut off)\n\n`), 'half a record joins no other');
      assert.ok(text.includes(`\n\n${note}\n`));
    }
    await assertIntact(installation.settings);
  });

  test('gets checkpoints that were removed from its middle when a server starts', async () => {
    await using installation = await open();
    const { database, signer, anchors } = installation;
    await anchorCheckpoints(database.kysely, { signer, anchors });
    const text = readFileSync(anchors.file, 'utf8');
    writeFileSync(anchors.file, text.slice(text.indexOf('\n\nsvc-') + 2));
    const later = new Date(Date.parse(clock.now()) + 60 * 60_000).toISOString();
    assert.equal((await runVerify(installation, {}, () => later)).code, 3);
    {
      const again = new AnchorLog(anchors.file, signer.verifier);
      await using _ = await startServer({ ...installation, anchors: again }, { log: silent });
    }
    const { code, lines } = await runVerify(installation, {}, () => later);
    assert.equal(code, 0, lines.join('\n'));
  });

  test('states when it was started if a server finds it missing, and the server warns once', async () => {
    await using installation = await open();
    const { anchors, signer } = installation;
    const kept = existsSync(anchors.file) ? readFileSync(anchors.file) : null;
    rmSync(anchors.file, { force: true });
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line).msg) });
    for (let start = 0; start < 2; start += 1) {
      const again = new AnchorLog(anchors.file, signer.verifier);
      await using _ = await startServer({ ...installation, anchors: again }, { log, housekeeping: false });
    }
    assert.deepEqual(
      logged.map((message) =>
        /^The log of checkpoints was missing or empty, although the database has checkpoints/.test(message),
      ),
      [true],
    );
    const { code, lines } = await runVerify(installation);
    assert.equal(code, 0, lines.join('\n'));
    assert.ok(lines.some((line) => line.startsWith(`• checkpoints.log line 1: anchors since ${clock.now()}:`)));
    if (kept !== null) writeFileSync(anchors.file, kept);
  });

  test('is not truncated while another process writes to it, and rejected with CRLF line endings', async () => {
    await using installation = await open();
    const { database, signer, anchors } = installation;
    await anchorCheckpoints(database.kysely, { signer, anchors });
    const before = readFileSync(anchors.file, 'utf8');
    const [row] = await readRows(database, 'tenants');
    const of = { tenantId: String(row?.id), ledger: 'audit' } as const;
    const { note } = await signNow(installation, of, clock.now());
    // Half a record of another process is there when this one opens the log; the other half follows.
    appendFileSync(anchors.file, note.slice(0, 70));
    new AnchorLog(anchors.file, signer.verifier).open();
    appendFileSync(anchors.file, `${note.slice(70)}\n`);
    assert.equal(readFileSync(anchors.file, 'utf8').endsWith(`\n\n${note}\n`), true);
    await assertIntact(installation.settings);
    for (const damaged of [before.replaceAll('\n', '\r\n'), before + 'x'.repeat(70_000)]) {
      writeFileSync(anchors.file, damaged);
      assert.throws(() => new AnchorLog(anchors.file, signer.verifier).open(), /are not a record: a program other/);
      assert.equal(readFileSync(anchors.file, 'utf8'), damaged);
      const { code, lines } = await runVerify(installation);
      assert.equal(code, 1);
      assert.match(lines.join('\n'), /✗ checkpoints\.log line \d+: the \d+ bytes from line \d+ on are not a record/);
    }
    writeFileSync(anchors.file, before);
    anchors.open();
  });

  test('counts only records that this installation signed', async () => {
    await using installation = await open();
    const { database, signer, anchors } = installation;
    const [row] = await readRows(database, 'tenants');
    const of = { tenantId: String(row?.id), ledger: 'consent' } as const;
    await anchorCheckpoints(database.kysely, { signer, anchors });
    const known = anchors.latest(of);
    const stranger = new NoteSigner('the secret of another installation');
    const after = { records: 0, hash: Buffer.alloc(32).toString('base64') };
    for (const { name } of [signer.verifier, stranger.verifier]) {
      const text = writeRestoreStatement({ origin: nameRestore(name), at: clock.now(), after, states: [] });
      appendFileSync(anchors.file, `${stranger.sign(text)}\n`);
      const ahead = {
        origin: nameOrigin(name, of.tenantId, of.ledger),
        size: 99,
        rootHash: Buffer.alloc(32).toString('base64'),
        at: clock.now(),
      };
      appendFileSync(anchors.file, `${stranger.sign(writeCheckpoint(ahead))}\n`);
    }
    anchors.open();
    assert.deepEqual(anchors.latest(of), known);
    // A restore does not include rows that were written into the table without the secret.
    const origin = nameOrigin(stranger.verifier.name, of.tenantId, of.ledger);
    const at = clock.now();
    const note = stranger.sign(writeCheckpoint({ origin, size: 1, rootHash: Buffer.alloc(32).toString('base64'), at }));
    await insertRow(database, 'checkpoints', {
      tenant_id: of.tenantId,
      ledger: of.ledger,
      size: 1,
      root_hash: Buffer.alloc(32).toString('base64'),
      at,
      note,
    });
    const other = new AnchorLog(`${anchors.file}.other`, signer.verifier);
    await completeAnchors(database.kysely, { signer, anchors: other });
    assert.equal(readFileSync(other.file, 'utf8').includes(note), false);
    await deleteRow(database, 'checkpoints', { tenant_id: of.tenantId, ledger: of.ledger, size: 1 });
  });

  test('prevents the server from signing a ledger whose head was changed outside Svc', async () => {
    await using installation = await open();
    const { database } = installation;
    const { id: tenantId } = await runTransaction(database, clock.now(), (tx) =>
      createTenant(tx, { slug: 'forged', name: 'Forged' }),
    );
    const of = { tenantId, ledger: 'audit' } as const;
    const head = (await readRows(database, 'chain_heads')).find(
      (row) => row.tenant_id === tenantId && row.ledger === 'audit',
    );
    assert.ok(head);
    await changeRow(database, 'chain_heads', head, { at: '2026-11-21T12:00:00.001Z' });
    await assert.rejects(signNow(installation, of, clock.now()), /has a head with an invalid seal/);
    assert.equal(await findCheckpoint(database.kysely, of), undefined);
    await changeRow(database, 'chain_heads', head, { at: String(head.at) });
  });

  test('prevents the server from signing a rewritten history, which is logged once', async () => {
    await using installation = await open();
    const [row] = await readRows(installation.database, 'tenants');
    const of = { tenantId: String(row?.id), ledger: 'consent' } as const;
    await appendManyRecords({ installation, clock }, of.tenantId, 3);
    const before = await signNow(installation, of, clock.now());
    await tamper(installation.database, async (queries) => {
      const last = { tenant_id: of.tenantId, sequence: before.size };
      await queries
        .updateTable('consent_records')
        .set({ hash: 'f'.repeat(64) })
        .where('tenant_id', '=', last.tenant_id)
        .where('sequence', '=', last.sequence)
        .execute();
      await queries
        .deleteFrom('checkpoints')
        .where('tenant_id', '=', of.tenantId)
        .where('ledger', '=', 'consent')
        .execute();
    });
    await forgetTree(installation, of);
    await appendManyRecords({ installation, clock }, of.tenantId, 1);
    await assert.rejects(signNow(installation, of, clock.now()), /does not contain the \d+ entries .* Run svc verify/);
    const logged: string[] = [];
    const log = { error: ({ reason }: { readonly reason: string }) => logged.push(reason) };
    const keeper = new CheckpointKeeper({ ...installation, interval: 1, log: log as never });
    for (let round = 0; round < 3; round += 1) while (await keeper.step(clock.now()));
    assert.deepEqual(
      logged.map((reason) => /^The consent ledger of tenant .* does not contain/.test(reason)),
      [true],
    );
    assert.equal(await findCheckpoint(installation.database.kysely, of), undefined);
  });

  test('a head that was changed outside Svc stays without a valid seal after further appends', async () => {
    await using installation = await open();
    const { database } = installation;
    const tenant = (await readRows(database, 'tenants'))[1];
    const tenantId = String(tenant?.id);
    const head = (await readRows(database, 'chain_heads')).find(
      (row) => row.tenant_id === tenantId && row.ledger === 'audit',
    );
    assert.ok(head);
    const at = '2026-11-21T12:00:00.001Z';
    await changeRow(database, 'chain_heads', head, { at });
    await appendOne(installation, tenantId, clock.now(), 'c');
    await appendOne(installation, tenantId, clock.now(), 'd');
    const { code, lines } = await runVerify(installation, { tenant: tenantId });
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /audit chain, .*the seal of the head does not fit/);
  });
});
