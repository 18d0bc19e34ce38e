import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFileSync, chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms } from '../../../tools/test/postgres.ts';
import { readPage, readRecipe } from '../proxies/recipe.ts';
import { listChildren, sendSignal } from './processes.ts';

const page = readPage('high-availability.md');
export const machineNames = ['pg1', 'pg2', 'pg3'] as const;

/** Of PostgreSQL, in one folder. */
export const findPostgres = () => findPrograms(['initdb', 'postgres', 'pg_basebackup', 'pg_controldata', 'pg_rewind']);

/** A member of the cluster, as Patroni reports it. */
export interface Member {
  readonly role: string;
  readonly state: string;
  readonly lag?: number | 'unknown';
}

/** One machine of the cluster. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #site: Site;
  readonly #folder: string;

  constructor(site: Site, index: number) {
    this.#site = site;
    this.name = machineNames[index] as string;
    this.address = `${site.network}.${11 + index}`;
    this.#folder = join(site.folder, this.name);
    site.makeFolder(this.#folder);
  }

  /** Starts its programs, as after it was switched on. */
  start(): void {
    const etcd = this.#adapt(this.#site.read('/etc/default/etcd')).replaceAll(
      '/var/lib/etcd/svc',
      join(this.#folder, 'etcd'),
    );
    const environment = etcd
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s, 2));
    this.#site.spawn(`${this.name}-etcd`, 'etcd', [], Object.fromEntries(environment));
    const patroni = this.#adapt(this.#site.read('/etc/patroni/config.yml'))
      .replaceAll('/var/lib/postgresql/15/svc', join(this.#folder, 'data'))
      .replaceAll('/var/lib/postgresql', this.#folder)
      .replaceAll('/usr/lib/postgresql/15/bin', findPostgres() as string)
      .replaceAll('/var/run/postgresql', this.#folder);
    const file = join(this.#folder, 'config.yml');
    writeFileSync(file, patroni);
    this.#site.spawn(`${this.name}-patroni`, 'patroni', [file]);
  }

  /** Kills every process, as a power failure would. */
  kill(): void {
    for (const pid of this.#stop()) sendSignal(pid, 'SIGKILL');
  }

  /** Kills only PostgreSQL. */
  killDatabase(): void {
    const pid = this.#readPostmaster() as number;
    for (const one of [pid, ...listChildren(pid)]) sendSignal(one, 'SIGKILL');
  }

  /** Pauses every process. */
  freeze(): void {
    this.#stop();
  }

  /** Continues every process. */
  thaw(): void {
    for (const pid of this.#listProcesses()) sendSignal(pid, 'SIGCONT');
  }

  async isPrimary(): Promise<boolean> {
    const response = await this.#ask('/primary');
    return response?.status === 200;
  }

  /** The members of the cluster as Patroni reports them here; none while it does not respond. */
  async readCluster(): Promise<readonly Member[]> {
    const response = await this.#ask('/cluster');
    return response === null ? [] : ((await response.json()) as { readonly members: readonly Member[] }).members;
  }

  #ask(path: string): Promise<Response | null> {
    return fetch(`http://${this.address}:8008${path}`, { signal: AbortSignal.timeout(1000) }).catch(() => null);
  }

  /** Stops the parents first, so that no child is missed. @returns all its processes. */
  #stop(): readonly number[] {
    for (const pid of this.#listRoots()) sendSignal(pid, 'SIGSTOP');
    const all = this.#listProcesses();
    for (const pid of all) sendSignal(pid, 'SIGSTOP');
    return all;
  }

  #listProcesses(): readonly number[] {
    const roots = this.#listRoots();
    return [...roots, ...roots.flatMap(listChildren)];
  }

  #listRoots(): readonly number[] {
    const programs = ['etcd', 'patroni'].map((name) => this.#site.pidOf(`${this.name}-${name}`));
    return [...programs, this.#readPostmaster()].filter((pid) => pid !== undefined);
  }

  #readPostmaster(): number | undefined {
    try {
      return Number.parseInt(readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8'), 10);
    } catch {
      return undefined;
    }
  }

  /** The page shows the files of the first machine. */
  #adapt(recipe: string): string {
    // The list of all machines is the same on each.
    const shared = /^(?:ETCD_INITIAL_CLUSTER=| +hosts:)/;
    const [first, own] = [`${this.#site.network}.11`, this.address];
    return recipe
      .split('\n')
      .map((line) => (shared.test(line) ? line : line.replaceAll(first, own).replaceAll('pg1', this.name)))
      .join('\n');
  }
}

/** The folder, the addresses and the processes of a cluster. */
export class Site {
  readonly folder: string;
  /** A network of its own, so that clusters run beside each other with the ports of the documentation. */
  readonly network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  readonly #owner: { readonly uid: number; readonly gid: number } | undefined;
  readonly #pids = new Map<string, number>();

  constructor(folder: string, owner: { readonly uid: number; readonly gid: number } | undefined) {
    this.folder = folder;
    this.#owner = owner;
  }

  /** A file that the page shows under a title, with the addresses of this network. */
  read(title: string): string {
    // Connections come from the address of the loopback interface, whatever they are to.
    const text = readRecipe(title, page)
      .replaceAll('127.0.0.1', `${this.network}.1`)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32');
    return `${text.replaceAll('10.0.0.', `${this.network}.`)}\n`;
  }

  makeFolder(path: string): void {
    mkdirSync(path);
    if (this.#owner) chownSync(path, this.#owner.uid, this.#owner.gid);
  }

  pidOf(name: string): number | undefined {
    return this.#pids.get(name);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    sendSignal(this.#pids.get(name) as number, signal);
  }

  /** Starts a program, whose output goes to a file. */
  spawn(
    name: string,
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): void {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawn(program, args, {
      ...this.#owner,
      cwd: this.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: this.folder, ...environment },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.unref();
    this.#pids.set(name, child.pid as number);
    appendFileSync(join(this.folder, 'pids'), `${child.pid}\n`);
  }
}
