import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { createApiKey } from '../../access/api-key-store.ts';
import { systemSource } from '../../audit/source.ts';
import { backup, restore } from '../../cli/backup.ts';
import type { Command } from '../../cli/command.ts';
import { move } from '../../cli/move.ts';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice, publishNotice } from '../../consent/notice-changes.ts';
import { forgetErased } from '../../erasure/store.ts';
import { type Installation, openInstallation } from '../../installation/installation.ts';
import { scopes } from '../../principal/roles.ts';
import { type RunningServer, startServer } from '../../process/serve.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { readLayout } from '../../storage/table-layout.ts';
import { createTenant } from '../../tenants/store.ts';
import { createLocation, noticeContent, TestClock } from '../harness.ts';
import { runVerify } from './fixture.ts';

const steps = ['capture', 'capture', 'withdraw', 'erase', 'sign', 'back up', 'restore', 'move'] as const;
type Step = (typeof steps)[number];

/** What exists at one moment, as an administrator would remember it. */
interface Known {
  /** Records by their subjects, which are not erased. */
  readonly records: ReadonlyMap<string, string>;
  /** Signed notes of checkpoints. */
  readonly notes: readonly string[];
}

/** An installation and its history: a real server, which stops for backups that are restored and for moves. */
class History implements AsyncDisposable {
  readonly #clock = new TestClock();
  readonly #held: AsyncDisposableStack;
  readonly #home: string;
  readonly #backups: { readonly folder: string; readonly known: Known }[] = [];
  readonly #erased = new Set<string>();
  /** A record is withdrawn once, also if a restore brings it back. */
  readonly #withdrawn = new Set<string>();
  #settings: Settings;
  #running: { readonly installation: Installation; readonly server: RunningServer } | null = null;
  #known: Known = { records: new Map(), notes: [] };
  #key = '';
  #noticeId = '';
  #count = 0;

  private constructor(held: AsyncDisposableStack, settings: Settings) {
    this.#held = held;
    this.#settings = settings;
    this.#home = settings.dataDir;
  }

  static async start(): Promise<History> {
    const held = new AsyncDisposableStack();
    const { environment } = held.use(await createLocation('sqlite'));
    const limits = { SVC_LIMIT_API_KEY: '1000000', SVC_LOG_LEVEL: 'silent', PORT: '0' };
    const history = new History(held, readSettings({ ...environment, ...limits }));
    const { installation } = await history.#run();
    const { database } = installation;
    const now = history.#clock.now();
    const { id } = await runUnitOfWork(database, now, (work) => createTenant(work, { slug: 'one', name: 'One' }));
    await runUnitOfWork(database, now, async (work) => {
      const wanted = { tenantId: id, name: 'test', environment: 'test', scopes, expiresAt: null } as const;
      history.#key = (await createApiKey(work, wanted)).key;
      const notice = await createNotice(work, systemSource(id), noticeContent as unknown as NoticeContent);
      await publishNotice(work, systemSource(id), notice.id);
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
    const { records, notes } = this.#known;
    const subjects = [...records.keys()];
    const subject = subjects[pick % Math.max(subjects.length, 1)];
    if (step === 'capture') {
      const subjectId = `subject-${++this.#count}-end`;
      const body = { subjectId, purposes: { analytics: true } };
      const { id } = await this.#send(`/v1/consent/${this.#noticeId}/records`, body);
      this.#known = { records: new Map([...records, [subjectId, id]]), notes };
    } else if (step === 'withdraw' && subject !== undefined && !this.#withdrawn.has(subject)) {
      await this.#send(`/v1/consent/${this.#noticeId}/records/${records.get(subject)}/withdrawals`, {});
      this.#withdrawn.add(subject);
    } else if (step === 'erase' && subject !== undefined) {
      await this.#send(`/v1/consent/subjects/${subject}/erase`, { reason: 'Asked for it' });
      this.#erased.add(subject);
      this.#known = { records: new Map([...records].filter(([name]) => name !== subject)), notes };
    } else if (step === 'sign') {
      const signed = [
        await this.#send('/v1/ledgers/consent/checkpoints'),
        await this.#send('/v1/ledgers/audit/checkpoints'),
      ];
      this.#known = { records, notes: [...notes, ...signed.map(({ note }) => note)] };
    } else if (step === 'back up' && this.#settings.databaseUrl === null) {
      const folder = join(this.#home, `backup-${++this.#count}`);
      await this.#runCommand(backup, { to: folder });
      this.#backups.push({ folder, known: this.#known });
    } else if (step === 'restore') await this.#restore(pick);
    else if (step === 'move') await this.#move();
  }

  /** Everything verifies, also with each checkpoint that was kept, and nothing that was erased is there. */
  async check(): Promise<void> {
    const { installation } = await this.#run();
    assert.ok(await forgetErased(installation.database));
    const files = this.#known.notes.map((note, index) => {
      const file = join(this.#home, `kept-${index}`);
      writeFileSync(file, note);
      return file;
    });
    const { code, lines } = await runVerify(installation, { checkpoint: files });
    assert.equal(code, 0, lines.join('\n'));
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
    for (const subject of this.#erased) assert.ok(!contents.includes(subject), subject);
  }

  async #restore(pick: number): Promise<void> {
    const chosen = this.#backups[pick % Math.max(this.#backups.length, 1)];
    if (chosen === undefined || this.#settings.databaseUrl !== null) return;
    await this.#stop();
    for (const end of ['', '-wal', '-shm']) rmSync(join(this.#settings.dataDir, `svc.sqlite${end}`), { force: true });
    await this.#runCommand(restore, { from: chosen.folder });
    const { records, notes } = chosen.known;
    this.#known = { records: new Map([...records].filter(([subject]) => !this.#erased.has(subject))), notes };
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

  async #runCommand(command: Command, options: Readonly<Record<string, string>>): Promise<void> {
    const ignore = () => undefined;
    const context = { settings: this.#settings, options, clock: this.#clock.now };
    assert.equal((await command.run({ ...context, say: ignore, showProgress: ignore, result: ignore })) ?? 0, 0);
  }

  async #send(path: string, body?: object) {
    const { server } = await this.#run();
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `history-${++this.#count}`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    return JSON.parse(text).data;
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

describe('any sequence of captures, withdrawals, erasures, checkpoints, backups, restores and moves', () => {
  for (const seed of [17, 1117, 2026])
    test(`verifies, keeps its checkpoints and brings nothing erased back (seed ${seed})`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(1000)), { minLength: 12, maxLength: 30 }),
          async (sequence) => {
            await using history = await History.start();
            for (const [step, pick] of sequence) {
              await history.take(step, pick);
              if (step === 'restore' || step === 'move') await history.check();
            }
            await history.check();
          },
        ),
        { seed, numRuns: 5, endOnFailure: true },
      );
    });
});
