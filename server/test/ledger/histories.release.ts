import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { verifyExport, verifyInclusion } from '../../../packages/node-sdk/src/ledger/index.ts';
import { findPrograms } from '../../../tools/test/postgres.ts';
import { createApiKey } from '../../accounts/keys/api-key-store.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { backup } from '../../cli/backup.ts';
import type { Command } from '../../cli/command.ts';
import { importCommand } from '../../cli/import.ts';
import { move } from '../../cli/move.ts';
import { restore } from '../../cli/restore.ts';
import { type RunningServer, startServer } from '../../cli/server/start-server.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice, publishNotice } from '../../consent/notice-changes.ts';
import { scopes } from '../../http/roles.ts';
import { type Installation, openInstallation } from '../../installation/installation.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { runTransaction } from '../../storage/database.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { readLayout } from '../../storage/table-layout.ts';
import { createLocation, describeOnEachDatabase, noticeContent, TestClock } from '../harness.ts';
import { assertAbsent, needle } from '../needle.ts';
import { runVerify } from './fixture.ts';

const steps = [
  ...(['capture', 'capture', 'import', 'import again', 'withdraw', 'erase'] as const),
  ...(['sign', 'back up', 'restore', 'move'] as const),
];
type Step = (typeof steps)[number];

/**
 * Evidence that a person keeps of a ledger: a checkpoint, an export, and the proof of a record (none of the audit log).
 */
interface Kept {
  readonly ledger: 'consent' | 'audit';
  readonly note: string;
  readonly text: string;
  readonly proven: Pick<Parameters<typeof verifyInclusion>[0], 'hash' | 'proof'> | null;
}

/** Data that exists at one moment, as an administrator would remember it. */
interface Known {
  /** Records by their subjects, which are not erased. */
  readonly records: ReadonlyMap<string, string>;
  /** Files whose decisions are records, erased or not. */
  readonly imports: readonly string[];
  readonly kept: readonly Kept[];
}

/** An installation and its history: a real server, which stops for backups that are restored and for moves. */
class History implements AsyncDisposable {
  readonly #clock = new TestClock();
  readonly #held: AsyncDisposableStack;
  readonly #home: string;
  readonly #backups: { readonly place: string; readonly isDump: boolean; readonly known: Known }[] = [];
  readonly #erased = new Set<string>();
  /** A record is withdrawn once, also if a restore brings it back. */
  readonly #withdrawn = new Set<string>();
  #settings: Settings;
  #running: { readonly installation: Installation; readonly server: RunningServer } | null = null;
  #known: Known = { records: new Map(), imports: [], kept: [] };
  #key = '';
  #noticeId = '';
  #count = 0;

  private constructor(held: AsyncDisposableStack, settings: Settings) {
    this.#held = held;
    this.#settings = settings;
    this.#home = settings.dataDir;
  }

  static async start(dialect: 'sqlite' | 'postgres'): Promise<History> {
    const held = new AsyncDisposableStack();
    const { environment } = held.use(await createLocation(dialect));
    const limits = { SVC_LIMIT_API_KEY: '1000000', SVC_LIMIT_TENANT: '1000000', SVC_LOG_LEVEL: 'silent', PORT: '0' };
    const history = new History(held, readSettings({ ...environment, ...limits }));
    const { installation } = await history.#run();
    const { database } = installation;
    const now = history.#clock.now();
    const { id } = await runTransaction(database, now, (tx) => createTenant(tx, { slug: 'one', name: 'One' }));
    await runTransaction(database, now, async (tx) => {
      const wanted = { tenantId: id, name: 'test', environment: 'test', scopes, expiresAt: null } as const;
      history.#key = (await createApiKey(tx, wanted)).key;
      const notice = await createNotice(tx, systemSource(id), noticeContent as unknown as NoticeContent);
      await publishNotice(tx, systemSource(id), notice.id);
      history.#noticeId = notice.id;
    });
    return history;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.#held.disposeAsync();
  }

  async take(step: Step, pick: number): Promise<void> {
    this.#clock.advance(1000);
    const { records, imports } = this.#known;
    const subjects = [...records.keys()];
    const subject = subjects[pick % Math.max(subjects.length, 1)];
    if (step === 'capture') {
      const subjectId = this.#nameSubject();
      const body = { subjectId, purposes: { analytics: true } };
      const { id } = await this.#send(`/v1/consent/${this.#noticeId}/records`, body);
      this.#remember({ records: new Map([...records, [subjectId, id]]) });
    } else if (step === 'import') await this.#import();
    else if (step === 'import again' && imports.length > 0) {
      const done = await this.#runImport(imports[pick % imports.length] as string);
      assert.deepEqual([done.imported, done.present], [0, 3]);
    } else if (step === 'withdraw' && subject !== undefined && !this.#withdrawn.has(subject)) {
      await this.#send(`/v1/consent/${this.#noticeId}/records/${records.get(subject)}/withdrawals`, {});
      this.#withdrawn.add(subject);
    } else if (step === 'erase' && subject !== undefined) {
      await this.#send(`/v1/consent/subjects/${subject}/erase`, { reason: 'Asked for it' });
      this.#erased.add(subject);
      this.#remember({ records: new Map([...records].filter(([name]) => name !== subject)) });
    } else if (step === 'sign') for (const ledger of ['consent', 'audit'] as const) await this.#keep(ledger);
    else if (step === 'back up') await this.#backUp();
    else if (step === 'restore') await this.#restore(pick);
    else if (step === 'move') await this.#move();
  }

  /** Everything verifies, also with what was kept, and nothing that was erased is there. */
  async check(): Promise<void> {
    const { installation } = await this.#run();
    assert.ok(await removeRemains(installation.database));
    const files = this.#known.kept.map(({ note }, index) => {
      const file = join(this.#home, `kept-${index}`);
      writeFileSync(file, note);
      return file;
    });
    const { code, lines } = await runVerify(installation, { checkpoint: files });
    assert.equal(code, 0, lines.join('\n'));
    const publicKey = installation.signer.verifierKey;
    for (const { ledger, note: checkpoint, text, proven } of this.#known.kept) {
      const now = await this.#ask('GET', `/v1/ledgers/${ledger}/export`);
      for (const exported of [text, now]) await verifyExport(exported, { publicKey, checkpoint });
      if (proven !== null) await verifyInclusion({ ...proven, publicKey, checkpoint });
    }
    const tables = (await readLayout()).map(({ name }) => name as 'tenants');
    const { kysely } = installation.database;
    const rows = await Promise.all(tables.map((table) => kysely.selectFrom(table).selectAll().execute()));
    const { dataDir } = this.#settings;
    const left = readdirSync(dataDir).filter((name) => /^svc\.sqlite|\.log$/.test(name));
    const isFile = this.#settings.databaseUrl === null;
    const bytes = left
      .filter((name) => isFile || name.endsWith('.log'))
      .map((name) => readFileSync(join(dataDir, name), 'latin1'));
    const contents = JSON.stringify(rows) + bytes.join('');
    assertAbsent(contents, ...this.#erased);
  }

  #nameSubject(): string {
    return needle(`subject${++this.#count}`);
  }

  #remember(changed: Partial<Known>): void {
    this.#known = { ...this.#known, ...changed };
  }

  /** Imports decisions of two people, beside the server; one of them withdraws. */
  async #import(): Promise<void> {
    const [one, other] = [this.#nameSubject(), this.#nameSubject()];
    const decide = (subjectId: string, day: number, analytics: boolean) =>
      JSON.stringify({
        id: `${subjectId} ${day}`,
        subjectId,
        capturedAt: `2024-05-0${day}T10:00:00Z`,
        purposes: { necessary: true, analytics },
      });
    const file = join(this.#home, `decisions-${++this.#count}.jsonl`);
    writeFileSync(file, [decide(one, 3, false), decide(other, 2, true), decide(one, 1, true)].join('\n'));
    const done = await this.#runImport(file);
    assert.deepEqual([done.imported, done.withdrawals], [3, 1]);
    const list = JSON.parse(await this.#ask('GET', `/v1/consent/${this.#noticeId}/records?limit=3`));
    const imported = list.data.data.map((row: { subjectId: string; id: string }) => [row.subjectId, row.id] as const);
    // Newest first, so that the earliest record of each subject is kept.
    this.#withdrawn.add(one);
    this.#remember({
      records: new Map([...this.#known.records, ...imported]),
      imports: [...this.#known.imports, file],
    });
  }

  #runImport(file: string) {
    return this.#runCommand(importCommand, { notice: this.#noticeId, version: 1, file });
  }

  async #keep(ledger: Kept['ledger']): Promise<void> {
    const { note } = await this.#send(`/v1/ledgers/${ledger}/checkpoints`);
    const text = await this.#ask('GET', `/v1/ledgers/${ledger}/export`);
    const recordId = [...this.#known.records.values()].at(-1);
    let proven: Kept['proven'] = null;
    if (ledger === 'consent' && recordId !== undefined) {
      const path = `/v1/consent/${this.#noticeId}/records/${recordId}`;
      const { sequence, ledgerHash: hash } = JSON.parse(await this.#ask('GET', path)).data;
      const proof = await this.#ask('GET', `/v1/ledgers/consent/inclusion-proof?sequence=${sequence}`);
      proven = { hash, proof: JSON.parse(proof).data };
    }
    this.#remember({ kept: [...this.#known.kept, { ledger, note, text, proven }] });
  }

  async #backUp(): Promise<void> {
    const isDump = this.#settings.databaseUrl !== null;
    const place = join(this.#home, `backup-${++this.#count}`);
    if (isDump) this.#runProgram('pg_dump', ['--format=custom', `--file=${place}`]);
    else await this.#runCommand(backup, { to: place });
    this.#backups.push({ place, isDump, known: this.#known });
  }

  /** As the documentation says: on PostgreSQL with its own tool, which `svc restore --in-place` then accepts. */
  async #restore(pick: number): Promise<void> {
    const isDump = this.#settings.databaseUrl !== null;
    const backups = this.#backups.filter((one) => one.isDump === isDump);
    const chosen = backups[pick % Math.max(backups.length, 1)];
    if (chosen === undefined) return;
    await this.#stop();
    if (isDump) {
      this.#runProgram('pg_restore', ['--clean', '--if-exists', '--single-transaction', chosen.place]);
      await this.#runCommand(restore, { 'in-place': true, yes: true });
    } else {
      for (const end of ['', '-wal', '-shm']) rmSync(join(this.#settings.dataDir, `svc.sqlite${end}`), { force: true });
      await this.#runCommand(restore, { from: chosen.place });
    }
    const { known } = chosen;
    this.#known = { ...known, records: new Map([...known.records].filter(([subject]) => !this.#erased.has(subject))) };
  }

  /** Runs a program of PostgreSQL on the database. */
  #runProgram(name: 'pg_dump' | 'pg_restore', words: readonly string[]): void {
    const program = join(findPrograms(['pg_dump', 'pg_restore']) as string, name);
    const ended = spawnSync(program, [`--dbname=${this.#settings.databaseUrl}`, ...words]);
    assert.equal(ended.status, 0, String(ended.error ?? ended.stderr));
  }

  async #move(): Promise<void> {
    await this.#stop();
    if (this.#settings.databaseUrl !== null) {
      const dataDir = mkdtempSync(join(this.#home, 'moved-'));
      await this.#runCommand(move, { to: `sqlite:${dataDir}` });
      this.#settings = { ...this.#settings, databaseUrl: null, dataDir };
    } else if (process.env.SVC_TEST_POSTGRES_URL !== undefined) {
      const { environment } = this.#held.use(await createLocation('postgres'));
      const databaseUrl = environment.DATABASE_URL as string;
      await this.#runCommand(move, { to: databaseUrl });
      this.#settings = { ...this.#settings, databaseUrl };
    }
  }

  async #runCommand(command: Command, options: Readonly<Record<string, unknown>>) {
    const ignore = () => undefined;
    let told: unknown;
    const result = (value: unknown) => {
      told = value;
    };
    const context = { settings: this.#settings, options, clock: this.#clock.now, showProgress: ignore, result };
    const said: string[] = [];
    const code = await command.run({ ...context, say: (line) => said.push(line) });
    assert.equal(code ?? 0, 0, said.join('\n'));
    return told as Readonly<Record<string, unknown>>;
  }

  async #send(path: string, body?: object) {
    return JSON.parse(await this.#ask('POST', path, body)).data;
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<string> {
    const { server } = await this.#run();
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        ...(method === 'POST' && { 'Idempotency-Key': `history-${++this.#count}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    return text;
  }

  async #run() {
    if (this.#running !== null) return this.#running;
    const installation = await openInstallation(this.#settings, this.#clock.now);
    const log = pino({ level: 'silent' });
    const server = await startServer(installation, { log, housekeeping: false, sends: false });
    this.#running = { installation, server };
    return this.#running;
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.server.close();
    await running?.installation[Symbol.asyncDispose]();
  }
}

describeOnEachDatabase(
  'any sequence of captures, imports, withdrawals, erasures, backups, restores and moves',
  (dialect) => {
    for (const seed of [17, 1117, 2026])
      test(`verifies, as does what was kept of it, and brings nothing erased back (seed ${seed})`, async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(1000)), { minLength: 12, maxLength: 36 }),
            async (sequence) => {
              await using history = await History.start(dialect);
              for (const [step, pick] of sequence) {
                await history.take(step, pick);
                if (step === 'restore' || step === 'move') await history.check();
              }
              await history.check();
            },
          ),
          { seed, numRuns: dialect === 'sqlite' ? 5 : 3, endOnFailure: true },
        );
      });
  },
);
