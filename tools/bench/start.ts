import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { decisionsOn } from './capture.ts';
import { startChild } from './child.ts';
import type { LoadResult } from './children/load.ts';
import { noLimits } from './http-comparison.ts';
import { prepareSite, type Site } from './site.ts';
import { spreadOf } from './slices.ts';

const root = join(import.meta.dirname, '../..');

/** From the start of the built package to the first answer, beside what a bare Node takes, and its memory, idle and under load. */
export const start: Benchmark = {
  name: 'start',
  builds: ['server'],
  async run(bench) {
    const site = await prepareSite(bench.createFolder('start'));
    const program = layOutPackage();
    await startOnce(site.dataDir, {}, program); // warms the disk cache, and that of compiled code
    const starts: Start[] = [];
    const nodes: number[] = [];
    for (let turn = 0; turn < bench.pace.pairs; turn += 1) {
      starts.push(await startOnce(site.dataDir, {}, program));
      const begin = performance.now();
      spawnSync(process.execPath, ['-e', '']);
      nodes.push((performance.now() - begin) / 1000);
    }
    const seconds = spreadOf(starts.map((one) => one.seconds));
    const megabytes = spreadOf(starts.map((one) => one.megabytes));
    const loaded: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) loaded.push(await measureLoaded(site, program));
    const loadedMegabytes = spreadOf(loaded);
    return [
      {
        what: 'start to first answer, warm',
        ours: `${seconds.median.toFixed(2)} s`,
        floor: `${spreadOf(nodes).median.toFixed(2)} s`,
        value: seconds,
        unit: 's',
        budget: { atMost: 0.5 },
        note: 'by the clock, so other work on the machine lengthens it; the floor is `node -e ""`',
      },
      {
        what: 'memory, idle',
        ours: `${megabytes.median.toFixed(0)} MB`,
        floor: '',
        value: megabytes,
        unit: 'MB',
        budget: { atMost: 130 },
      },
      {
        what: `memory after ${captures.toLocaleString('en')} captures over 64 connections`,
        ours: `${loadedMegabytes.median.toFixed(0)} MB`,
        floor: '',
        value: loadedMegabytes,
        unit: 'MB',
        budget: { atMost: 250 },
      },
    ];
  },
};

const captures = 20_000;

/** Lays out the built package as npm does, in a folder from which the packages of the repository are found. @returns the command. */
function layOutPackage(): string {
  const server = join(root, 'server');
  const folder = join(root, 'node_modules/.cache/server-package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'cli'), { recursive: true });
  for (const name of ['package.json', 'dist', ...globSync('cli/*.js', { cwd: server })])
    cpSync(join(server, name), join(folder, name), { recursive: true });
  symlinkSync(join(server, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'cli/svc.js');
}

/** The memory of a server in megabytes after many captures. */
async function measureLoaded(site: Site, program: string): Promise<number> {
  await using load = startChild('load');
  await using server = await startServe(site.dataDir, noLimits, program);
  const plan = { port: Number(new URL(server.baseUrl).port), milliseconds: 600_000, connections: 64 };
  const { answered } = await load.ask<LoadResult>({ ...plan, most: captures, ...decisionsOn(site) });
  if (answered !== captures) throw new Error(`only ${answered} captures were answered`);
  return server.readMegabytes();
}

/** One start of a server. */
export interface Start {
  readonly seconds: number;
  readonly megabytes: number;
}

/**
 * Starts a server on an existing database, measures it, and stops it.
 * @param program the command; by default from the sources.
 */
export async function startOnce(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  program = join(root, 'server/cli/svc.js'),
): Promise<Start> {
  const begin = performance.now();
  await using server = await startServe(dataDir, environment, program);
  const response = await fetch(`${server.baseUrl}/readyz`);
  await response.arrayBuffer();
  const seconds = (performance.now() - begin) / 1000;
  if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { seconds, megabytes: server.readMegabytes() };
}

async function startServe(dataDir: string, environment: Readonly<Record<string, string>>, program: string) {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  try {
    const baseUrl = await readAddress(child.stdout.setEncoding('utf8'));
    const readMegabytes = () => {
      const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' });
      return (Number(kibibytes) * 1024) / 1e6;
    };
    return { baseUrl, readMegabytes, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readAddress(output: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const address = /"listensOn":"([^"]+)"/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the server said no address: ${text}`);
}
