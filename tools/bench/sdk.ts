import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { Svc } from '../../packages/node-sdk/src/index.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { type Child, startChild } from './child.ts';
import { compareInTurn, type Slice, spreadOf } from './slices.ts';
import { clockSlice, cpuSlice } from './work.ts';

const apiKey = 'svc_test_0123456789abcdefghijklmnopqrstuvwxyzABC';
const noticeId = '01a1ff66-d532-7000-92de-84e4d6d39285';
const built = fileURLToPath(new URL('../../packages/node-sdk/dist/index.js', import.meta.url));

/** Calls through the client for Node beside the same request by hand, and what it costs to load it. */
export const sdk: Benchmark = {
  name: 'sdk',
  builds: ['packages/node-sdk'],
  async run(bench) {
    await using server = startChild('plain-answers');
    return [...(await measureCalls(bench, server)), ...(await measureStart(bench, server))];
  },
};

async function measureCalls(bench: Bench, server: Child): Promise<readonly Finding[]> {
  const origin = `http://127.0.0.1:${await server.ask<number>('port')}`;
  const svc = new Svc({ baseUrl: origin, apiKey });
  const pool = new Pool(origin);
  const headers = { accept: 'application/json', authorization: `Bearer ${apiKey}`, 'svc-version': '2026-11-01' };
  const byHand = async (): Promise<unknown> => {
    const { body } = await pool.request({ path: `/v1/consent/${noticeId}`, method: 'GET', headers });
    return ((await body.json()) as { readonly data: unknown }).data;
  };
  const ours = (): Promise<unknown> =>
    svc.request({ id: 'getConsent', method: 'GET', path: '/v1/consent/{id}', parameters: { id: noticeId } });
  try {
    const findings: Finding[] = [];
    for (const width of [1, 50]) {
      const compare = (slice: (call: () => Promise<unknown>) => Slice) =>
        compareInTurn(slice(ours), slice(byHand), bench.pace);
      const time = bench.pace.milliseconds;
      const cpu = await compare((call) => cpuSlice(() => repeat(call, width), time));
      const clock = await compare((call) => clockSlice(() => repeat(call, width), time));
      const place = width === 1 ? 'one after the other' : `${width} at a time`;
      findings.push(
        {
          what: `SDK: a GET, ${place}, processor / undici.request + json()`,
          ours: `${cpu.ours.toFixed(1)} µs`,
          floor: `${cpu.floor.toFixed(1)} µs`,
          value: cpu.cost,
          unit: '×',
          budget: { atMost: 1 },
        },
        {
          what: `SDK: GETs by the clock, ${place} / undici.request + json()`,
          ours: `${(1e6 / clock.ours).toFixed(0)} /s`,
          floor: `${(1e6 / clock.floor).toFixed(0)} /s`,
          value: clock.speed,
          unit: '×',
          budget: { atLeast: 1 },
        },
      );
    }
    return findings;
  } finally {
    await svc.close();
    await pool.close();
  }
}

/** So many callers, each of whom calls again when it has its answer. @returns the number of calls. */
async function repeat(call: () => Promise<unknown>, width: number): Promise<number> {
  const turns = 200;
  const runOne = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await call();
  };
  await Promise.all(Array.from({ length: width }, runOne));
  return turns * width;
}

/** The processor time of fresh processes, above that of an empty one. */
async function measureStart(bench: Bench, server: Child): Promise<readonly Finding[]> {
  if (!existsSync(built)) throw new Error('the package is not built: npm run build');
  const origin = `http://127.0.0.1:${await server.ask<number>('port')}`;
  const load = `const { Svc } = await import(${JSON.stringify(built)});`;
  const call = `${load}
    const svc = new Svc({ baseUrl: '${origin}', apiKey: '${apiKey}' });
    await svc.request({ id: 'x', method: 'GET', path: '/v1/x' });`;
  // undici by its public entry and one request with it: less than that does no client with undici.
  const byHand = `const { Pool } = await import(${JSON.stringify(import.meta.resolve('undici'))});
    const pool = new Pool('${origin}');
    const nothing = () => undefined;
    await new Promise((resolve, reject) => pool.dispatch({ path: '/v1/x', method: 'GET' }, {
      onRequestStart: nothing, onResponseStart: nothing, onResponseData: nothing,
      onResponseEnd: resolve, onResponseError: (controller, error) => reject(error),
    }));`;
  const turns = { ...bench.pace, pairs: bench.pace.pairs * 2 };
  const loads: number[] = [];
  const loadOnce = () => spendIn(load) - spendIn('');
  for (let turn = 0; turn < turns.pairs; turn += 1) loads.push(loadOnce());
  const imported = spreadOf(loads);
  const first = await compareInTurn(
    () => spendIn(call) - spendIn(''),
    () => spendIn(byHand) - spendIn(''),
    turns,
  );
  return [
    {
      what: 'SDK: importing it, processor',
      ours: `${imported.median.toFixed(1)} ms`,
      floor: '',
      value: imported,
      unit: 'ms',
      budget: { atMost: 8 },
    },
    {
      what: 'SDK: import to first answer, processor / Pool of undici by hand',
      ours: `${first.ours.toFixed(0)} ms`,
      floor: `${first.floor.toFixed(0)} ms`,
      value: first.cost,
      unit: '×',
      budget: { atMost: 1.15 },
    },
  ];
}

/** CPU time of a process that runs this program, in milliseconds. */
function spendIn(code: string): number {
  const program = `${code}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit();`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}
