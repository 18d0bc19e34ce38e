import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findLastingPort, findPrograms, findUnprivilegedUser, readUntil } from '../../../tools/test/postgres.ts';
import { listChildren, sendSignal } from './processes.ts';

/** Why there is no PostgreSQL that can be interrupted; null where there is one. */
export const missingPostgres =
  findPrograms() === undefined
    ? 'PostgreSQL is not installed on this machine (Debian, Ubuntu: sudo apt-get install postgresql).'
    : null;

/** A PostgreSQL with its usual settings that a test stops, starts and freezes. */
export class OwnPostgres implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  #postmaster: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  /** Creates a cluster in a new folder and starts it. @param parent where the folder is made. @throws without PostgreSQL. */
  static async create(parent: string): Promise<OwnPostgres> {
    const postgres = await OwnPostgres.#reserve(parent);
    try {
      const args = ['--username=svc', '--auth=trust', '--encoding=UTF8', '--no-locale'];
      postgres.#run('initdb', `--pgdata=${postgres.#data}`, ...args);
      await postgres.start();
      return postgres;
    } catch (error) {
      await postgres[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Creates a streaming standby of a running cluster and starts it. */
  static async createStandby(parent: string, primary: OwnPostgres): Promise<OwnPostgres> {
    const standby = await OwnPostgres.#reserve(parent);
    try {
      const place = ['-h', '127.0.0.1', '-p', String(primary.#port), '-U', 'svc'];
      standby.#run('pg_basebackup', ...place, '-D', standby.#data, '-R', '-X', 'stream', '-c', 'fast');
      await standby.start();
      return standby;
    } catch (error) {
      await standby[Symbol.asyncDispose]();
      throw error;
    }
  }

  static async #reserve(parent: string): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(parent, 'svc-own-postgres-'));
    const owner = findUnprivilegedUser();
    if (owner) chownSync(folder, owner.uid, owner.gid);
    return new OwnPostgres(folder, await findLastingPort());
  }

  get url(): string {
    return `postgres://svc@127.0.0.1:${this.#port}/postgres`;
  }

  /** The id of its first process, the parent of all others; null while it is stopped. */
  get pid(): number | null {
    return this.#postmaster?.pid ?? null;
  }

  async start(): Promise<void> {
    const args = ['-D', this.#data, '-p', String(this.#port)];
    const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
    const postmaster = spawn(join(findPrograms() as string, 'postgres'), [...args, ...settings], {
      ...findUnprivilegedUser(),
      cwd: this.#folder,
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#postmaster = postmaster;
    const complaint = await readUntil(postmaster.stderr.setEncoding('utf8'), 'ready to accept');
    if (complaint !== undefined) throw new Error(`PostgreSQL did not start: ${complaint}`);
  }

  /** @param mode `fast` aborts all transactions and writes everything; after `immediate`, the next start recovers. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    const ended = once(this.#postmaster as ChildProcess, 'exit');
    this.#run('pg_ctl', 'stop', '-D', this.#data, '-m', mode);
    await ended;
    this.#postmaster = null;
  }

  /** Stops all its processes (SIGSTOP): it accepts connections and does not respond. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const postmaster = this.#postmaster;
    if (postmaster !== null && postmaster.exitCode === null && postmaster.signalCode === null) {
      const ended = once(postmaster, 'exit');
      postmaster.kill('SIGQUIT');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #run(tool: string, ...args: readonly string[]): void {
    const programs = findPrograms([tool]) as string;
    execFileSync(join(programs, tool), args, { ...findUnprivilegedUser(), cwd: this.#folder, stdio: 'pipe' });
  }

  /** Sends a signal to the server and then to its processes; stopped first, it starts no others. */
  #signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#postmaster?.pid as number;
    process.kill(pid, signal);
    for (const child of listChildren(pid)) sendSignal(child, signal);
  }
}
