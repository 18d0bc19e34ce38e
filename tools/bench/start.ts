import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './benchmark.ts';
import { prepareSite } from './site.ts';
import { spreadOf } from './slices.ts';

const program = fileURLToPath(new URL('../../server/cli/svc.js', import.meta.url));

/** From the start of the process to the first answer, beside what a bare Node takes, and the memory it holds when idle. */
export const start: Benchmark = {
  name: 'start',
  async run(bench) {
    const site = await prepareSite(bench.createFolder('start'));
    await startOnce(site.dataDir); // warms the disk cache
    const starts: Start[] = [];
    const nodes: number[] = [];
    for (let turn = 0; turn < bench.pace.pairs; turn += 1) {
      starts.push(await startOnce(site.dataDir));
      const begin = performance.now();
      spawnSync(process.execPath, ['-e', '']);
      nodes.push((performance.now() - begin) / 1000);
    }
    const seconds = spreadOf(starts.map((one) => one.seconds));
    const megabytes = spreadOf(starts.map((one) => one.megabytes));
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
    ];
  },
};

/** One start of a server. */
export interface Start {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Starts a server on an existing database, measures it, and stops it. */
export async function startOnce(dataDir: string, environment: Readonly<Record<string, string>> = {}): Promise<Start> {
  const begin = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', SVC_DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const baseUrl = await readAddress(child.stdout.setEncoding('utf8'));
    const response = await fetch(`${baseUrl}/v1/openapi.json`);
    await response.arrayBuffer();
    const seconds = (performance.now() - begin) / 1000;
    if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }));
    return { seconds, megabytes: (kibibytes * 1024) / 1e6 };
  } finally {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
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
