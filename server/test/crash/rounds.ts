import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoCredentials } from '../../demo/seed.ts';
import { type Capture, listRecordIds, loadServer, sendCapture } from './load.ts';
import { type ServerProcess, startServerProcess, verifyInProcess } from './server-process.ts';

/** What one round found. */
export interface Round {
  readonly round: number;
  /** Gives the same moment again: `--seed <seed> --rounds 1`. */
  readonly seed: number;
  /** The server was killed so long after so many answers of 201. */
  readonly killedAfter: { readonly answers: number; readonly milliseconds: number };
  readonly acknowledged: number;
  readonly found: number;
  readonly unanswered: number;
  /** Unanswered captures whose record was on the disk already. */
  readonly keptUnanswered: number;
  /** Captures, answered or sent again, that do not have exactly one record with the id that was told. */
  readonly wrong: readonly string[];
  /** What `svc verify` complained of; null when everything is intact. */
  readonly complaint: string | null;
  readonly restartMilliseconds: number;
}

export interface CrashReport {
  readonly seed: number;
  readonly rounds: readonly Round[];
  readonly acknowledged: number;
  readonly lost: number;
  readonly passed: boolean;
}

export interface CrashOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: Round) => void;
}

const connections = 16;
const mostAnswers = 400;
const mostMilliseconds = 12;

/** Kills a loaded server again and again, on one data folder, and looks after each time what is left. */
export async function runCrashRounds({ rounds, seed, onRound }: CrashOptions): Promise<CrashReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  const told = new Map<string, string>();
  const done: Round[] = [];
  let server = await startServerProcess(dataDir);
  const credentials = server.credentials as DemoCredentials;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const result = await runRound(round, (seed + round - 1) >>> 0);
      done.push(result);
      onRound?.(result);
    }
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const acknowledged = done.reduce((sum, round) => sum + round.acknowledged, 0);
  const lost = acknowledged - done.reduce((sum, round) => sum + round.found, 0);
  const passed = lost === 0 && done.every(({ wrong, complaint }) => wrong.length === 0 && complaint === null);
  return { seed, rounds: done, acknowledged, lost, passed };

  async function runRound(round: number, roundSeed: number): Promise<Round> {
    const random = createRandom(roundSeed);
    const answers = 1 + Math.floor(random() * mostAnswers);
    const milliseconds = random() * mostMilliseconds;
    let number = 0;
    const nextCapture = (): Capture => ({
      subjectId: `round-${round}-capture-${++number}`,
      kind: number % 2 === 0 ? 'public' : 'authenticated',
      capturedAt: new Date().toISOString(),
    });
    const { acknowledged, unanswered } = await loadServer(server, credentials, connections, nextCapture, (count) => {
      if (count === answers) setTimeout(() => server.kill(), milliseconds);
    });
    await server.kill();

    server = await startServerProcess(dataDir);
    const kept = await listRecordIds(server, credentials);
    const found = [...acknowledged].filter(([subject, id]) => kept.get(subject)?.includes(id)).length;
    const keptUnanswered = unanswered.filter(({ subjectId }) => kept.has(subjectId)).length;

    for (const [subject, id] of acknowledged) told.set(subject, id);
    for (const [subject, id] of await sendAgain(server, credentials, unanswered)) told.set(subject, id);
    const [now, complaint] = await Promise.all([listRecordIds(server, credentials), verifyInProcess(dataDir)]);
    return {
      round,
      seed: roundSeed,
      killedAfter: { answers, milliseconds: Math.round(milliseconds * 10) / 10 },
      acknowledged: acknowledged.size,
      found,
      unanswered: unanswered.length,
      keptUnanswered,
      wrong: listWrong(told, now),
      complaint,
      restartMilliseconds: Math.round(server.startMilliseconds),
    };
  }
}

/** Sends unanswered captures as a careful client would: the same request, with the same Idempotency-Key. */
async function sendAgain(
  server: ServerProcess,
  credentials: DemoCredentials,
  captures: readonly Capture[],
): Promise<ReadonlyMap<string, string>> {
  const ids = await Promise.all(captures.map((capture) => sendCapture(server, credentials, capture)));
  return new Map(captures.map(({ subjectId }, index) => [subjectId, ids[index] as string]));
}

/** The subjects of all rounds so far that do not have exactly the one record that they were told of. */
function listWrong(
  told: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const missing = [...told].filter(([subject, id]) => {
    const ids = stored.get(subject);
    return ids?.length !== 1 || ids[0] !== id;
  });
  const unexpected = [...stored.keys()].filter((subject) => !told.has(subject));
  return [...missing.map(([subject]) => subject), ...unexpected];
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
