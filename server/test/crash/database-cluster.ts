import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { installPackages } from '../../../tools/test/apt.ts';
import { findProgram } from '../../../tools/test/find-program.ts';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { findUnprivilegedUser } from '../../../tools/test/postgres.ts';
import { findPostgres, Machine, type Member, machineNames, Site } from './cluster-machine.ts';
import { waitForNone } from './wait-for-none.ts';

const programNames = ['etcd', 'patroni', 'haproxy'] as const;
const patience = 120_000;

/** Installs the programs of a cluster, as Debian packages them. @returns why they are missing; null if they are there. */
export function requireClusterPrograms(): string | null {
  process.env.PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter);
  const isThere = () => programNames.every((name) => findProgram(name)) && findPostgres() !== undefined;
  return isThere() || (installPackages('patroni', 'etcd-server', 'haproxy', 'postgresql') && isThere())
    ? null
    : 'no Patroni, etcd, HAProxy and PostgreSQL (Debian 12: apt-get install patroni etcd-server haproxy postgresql)';
}

/** Ends all programs and removes their folder as soon as its standard input closes, however the test ends. */
const keeper = `
read -r _
for file in "$1"/*/data/postmaster.pid; do
  read -r pid <"$file" && kill -KILL $pid $(ps -o pid= --ppid $pid)
done
kill -KILL $(cat "$1/pids")
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`;

/**
 * A PostgreSQL on three machines with etcd and Patroni, and HAProxy in front of it, with the configuration of the
 * documentation. A machine is an address of the loopback network.
 */
export class DatabaseCluster implements AsyncDisposable {
  readonly machines: readonly Machine[];
  /** The address for `DATABASE_URL`. */
  readonly url: string;
  readonly #site: Site;
  readonly #close: () => Promise<void>;

  private constructor(site: Site, close: () => Promise<void>) {
    this.#site = site;
    this.#close = close;
    this.machines = machineNames.map((_, index) => new Machine(site, index));
    const [, url = ''] = /^DATABASE_URL='(.*)'$/m.exec(site.read('/etc/svc/svc.env')) ?? [];
    this.url = url;
  }

  /** Starts the machines, waits for their replication, and creates the database. */
  static async start(): Promise<DatabaseCluster> {
    const folder = mkdtempSync(join(findMemoryFolder(), 'svc-cluster-'));
    const owner = findUnprivilegedUser();
    if (owner) chownSync(folder, owner.uid, owner.gid);
    writeFileSync(join(folder, 'pids'), '');
    const watcher = spawn('/bin/sh', ['-c', keeper, 'cluster-keeper', folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const handles = [watcher, watcher.stdin as unknown as Socket];
    for (const handle of handles) handle.unref();
    const close = async () => {
      for (const handle of handles) handle.ref();
      const ended = once(watcher, 'exit');
      watcher.stdin.end();
      await ended;
    };
    const cluster = new DatabaseCluster(new Site(folder, owner), close);
    try {
      for (const machine of cluster.machines) machine.start();
      await cluster.untilWhole();
      cluster.#startProxy();
      await cluster.#createDatabase();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Waits for the machine whose PostgreSQL takes changes.
   * @param except one that no longer counts.
   */
  async findPrimary(except?: Machine): Promise<Machine> {
    let found: Machine | undefined;
    await waitForNone({ what: 'missing primaries', limit: patience }, async () => {
      const others = this.machines.filter((machine) => machine !== except);
      const states = await Promise.all(others.map((machine) => machine.isPrimary()));
      found = others[states.indexOf(true)];
      return found === undefined ? 1 : 0;
    });
    return found as Machine;
  }

  /** Waits until every machine has all changes of one primary, and one of them confirms each change. */
  async untilWhole(): Promise<void> {
    await waitForNone({ what: 'machines that do not replicate', limit: patience }, async () => {
      const members = await this.#listMembers();
      const isWhole =
        members.some(({ role }) => role === 'leader') && members.some(({ role }) => role === 'sync_standby');
      const working = members.filter(({ role, state, lag }) =>
        role === 'leader' ? state === 'running' : /^(running|streaming)$/.test(state) && lag === 0,
      );
      return isWhole ? machineNames.length - working.length : machineNames.length;
    });
  }

  /** Stops the processes of HAProxy, as if no packet came through. */
  freezeProxy(): void {
    this.#site.signal('haproxy', 'SIGSTOP');
  }

  thawProxy(): void {
    this.#site.signal('haproxy', 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #listMembers(): Promise<readonly Member[]> {
    const answers = await Promise.all(this.machines.map((machine) => machine.readCluster()));
    return answers.find((members) => members.some(({ role }) => role === 'leader')) ?? [];
  }

  #startProxy(): void {
    const file = join(this.#site.folder, 'haproxy.cfg');
    writeFileSync(file, this.#site.read('/etc/haproxy/haproxy.cfg'));
    this.#site.spawn('haproxy', 'haproxy', ['-db', '-f', file]);
  }

  async #createDatabase(): Promise<void> {
    const primary = await this.findPrimary();
    const [, password] =
      /username: postgres\n\s*password: (.*)\n/.exec(this.#site.read('/etc/patroni/config.yml')) ?? [];
    const client = new pg.Client({ host: primary.address, user: 'postgres', password, database: 'postgres' });
    await client.connect();
    for (const statement of this.#site.read('Once, on the primary').split('\n').filter(Boolean))
      await client.query(statement);
    await client.end();
  }
}
