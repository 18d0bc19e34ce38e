import type { Bench } from './benchmark.ts';
import { type Child, startChild } from './child.ts';
import type { LoadPlan, LoadResult } from './children/load.ts';
import type { Site } from './site.ts';
import type { Slice } from './slices.ts';

/** The requests of a load; the rest of a plan is the same everywhere. */
export type Requests = Pick<LoadPlan, 'method' | 'paths' | 'headers' | 'decisions' | 'expectedStatus'>;

/** A browser of today. */
export const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const noLimit = String(1e9);

/** Settings with which no load reaches a limit of requests. */
export const noLimits: Readonly<Record<string, string>> = {
  SVC_LIMIT_API_KEY: noLimit,
  SVC_LIMIT_TENANT: noLimit,
  SVC_LIMIT_VISITOR: noLimit,
  SVC_LIMIT_CAPTURE_NOTICE: noLimit,
  SVC_LIMIT_CAPTURE_CLIENT: noLimit,
};

/** Starts the server on a site, with limits that the load does not reach. */
export function startSvc(bench: Bench, site: Site, environment: Readonly<Record<string, string>> = {}): Child {
  return startChild('server', {
    environment: {
      PORT: '0',
      SVC_DATA_DIR: site.dataDir,
      ...noLimits,
      ...environment,
    },
    nodeOptions: bench.profiles === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${bench.profiles}`],
  });
}

/** Slices of requests from 64 connections: microseconds of the server's processor time for each. */
export async function requestSlice(bench: Bench, server: Child, load: Child, requests: Requests): Promise<Slice> {
  const { milliseconds } = bench.pace;
  const plan: LoadPlan = { port: await server.ask('port'), milliseconds, connections: 64, ...requests };
  return async () => {
    const before = await server.ask<number>('cpu');
    const { answered } = await load.ask<LoadResult>(plan);
    return ((await server.ask<number>('cpu')) - before) / answered;
  };
}

/** The server's response to a GET, so that the floor can send the same. */
export async function fetchText(server: Child, path: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`http://127.0.0.1:${await server.ask<number>('port')}${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.text();
}
