import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { erasureFile } from '../../ledger/erasure-log.ts';
import type { DemoCredentials } from '../../site/demo/seed.ts';
import type { Dialect } from '../../storage/database.ts';
import { createLocation } from '../harness.ts';
import { type Change, listRecordIds, loadServers, sendAgain } from './load.ts';
import { createRandom } from './random.ts';
import { startServerProcess, verifyInProcess } from './server-process.ts';

/** The result of one round. */
export interface Round {
  readonly round: number;
  /** Reproduces the same moment: `--seed <seed> --rounds 1`. */
  readonly seed: number;
  /** When the server was killed: after this time and this many 201 responses. */
  readonly killedAfter: { readonly answers: number; readonly milliseconds: number };
  readonly acknowledged: number;
  readonly found: number;
  readonly unanswered: number;
  /** Captures without a response whose record was already on disk. */
  readonly keptUnanswered: number;
  /** How many erasures were acknowledged. */
  readonly erased: number;
  /**
   * Captures, acknowledged or retried, without exactly one record with the acknowledged id; erased subjects with a record;
   * and what is wrong with the log of erasures.
   */
  readonly wrong: readonly string[];
  /** The output of a failed `svc verify`; null if everything is intact. */
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
  readonly dialect: Dialect;
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: Round) => void;
}

const connections = 16;
const mostAnswers = 400;
const mostMilliseconds = 12;

/** One of so many captured subjects is erased. */
const erasedShare = 4;

/** Kills a loaded server repeatedly, on one data folder, and checks the data each time. */
export async function runCrashRounds({ dialect, rounds, seed, onRound }: CrashOptions): Promise<CrashReport> {
  await using location = await createLocation(dialect);
  const settings = location.environment;
  const confirmed = new Map<string, string>();
  /** The subjects whose erasure was acknowledged, with the ids of their records. */
  const erased = new Map<string, string>();
  const done: Round[] = [];
  const readLog = () => readFileSync(join(settings.SVC_DATA_DIR as string, erasureFile), 'utf8');
  let server = await startServerProcess(settings);
  const credentials = server.credentials as DemoCredentials;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const result = await runRound(round, (seed + round - 1) >>> 0);
      done.push(result);
      onRound?.(result);
    }
  } finally {
    await server.stop();
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
    const erasable: Change[] = [];
    const nextChange = (): Change =>
      erasable.shift() ?? {
        subjectId: `round-${round}-capture-${++number}`,
        kind: number % 2 === 0 ? 'public' : 'authenticated',
        at: new Date().toISOString(),
      };
    const { acknowledged, unanswered } = await loadServers({
      servers: [server],
      credentials,
      connections,
      nextChange,
      onAcknowledged: (count, change) => {
        if (change.kind !== 'erasure' && count % erasedShare === 0) erasable.push({ ...change, kind: 'erasure' });
        if (count === answers) setTimeout(() => server.kill(), milliseconds);
      },
    });
    await server.kill();
    // Before the next server completes it.
    const logAtKill = readLog();

    server = await startServerProcess(settings);
    const kept = await listRecordIds(server, credentials);
    const isKept = ({ subjectId }: Change, id: string) =>
      kept.get(subjectId)?.includes(id) === true || kept.get(null)?.includes(id) === true;
    const captures = [...acknowledged].filter(([{ kind }]) => kind !== 'erasure');
    const found = captures.filter(([change, id]) => isKept(change, id)).length;
    const keptUnanswered = unanswered.filter(({ kind, subjectId }) => kind !== 'erasure' && kept.has(subjectId)).length;
    const gone = [...acknowledged.keys()].filter(({ kind }) => kind === 'erasure');
    const logFaults = findLogFaults(logAtKill, erased.size + gone.length);
    const returned = gone.filter(({ subjectId }) => kept.has(subjectId)).map(({ subjectId }) => subjectId);

    const repeated = await sendAgain(server, credentials, unanswered);
    for (const [{ subjectId, kind }, id] of [...captures, ...repeated])
      if (kind !== 'erasure') confirmed.set(subjectId, id);
    for (const { subjectId, kind } of [...gone, ...repeated.keys()])
      if (kind === 'erasure') {
        erased.set(subjectId, confirmed.get(subjectId) as string);
        confirmed.delete(subjectId);
      }
    const [now, complaint] = await Promise.all([listRecordIds(server, credentials), verifyInProcess(settings)]);
    return {
      round,
      seed: roundSeed,
      killedAfter: { answers, milliseconds: Math.round(milliseconds * 10) / 10 },
      acknowledged: captures.length,
      found,
      unanswered: unanswered.length,
      keptUnanswered,
      erased: gone.length,
      wrong: [...returned, ...listWrong(confirmed, now), ...listUnerased(erased, now), ...logFaults],
      complaint,
      restartMilliseconds: Math.round(server.startMilliseconds),
    };
  }
}

/** The subjects whose erased records are not there without them. */
function listUnerased(
  erased: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string | null, readonly string[]>,
): readonly string[] {
  const ids = new Set(stored.get(null));
  return [...erased].filter(([subject, id]) => stored.has(subject) || !ids.has(id)).map(([subject]) => subject);
}

/** Lists gaps in the log of erasures of one tenant: each erasure is one record. */
function findLogFaults(log: string, erased: number): readonly string[] {
  const lines = log.split('\n').slice(0, -1);
  const kept = lines.filter((line) => !line.endsWith(' (cut off)')).map((line) => line.split(' ', 3));
  const numbers = new Set(kept.map(([, , number]) => Number(number)));
  const records = new Set(log.match(/"records":\[\[\d+/g));
  return [
    ...(Math.max(0, ...numbers) === numbers.size ? [] : [`${erasureFile} has gaps`]),
    ...(records.size >= erased ? [] : [`${erasureFile} has ${records.size} of ${erased} erasures`]),
  ];
}

/** The subjects of all rounds so far without exactly the one acknowledged record. */
export function listWrong(
  confirmed: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string | null, readonly string[]>,
): readonly string[] {
  const missing = [...confirmed].filter(([subject, id]) => {
    const ids = stored.get(subject);
    return ids?.length !== 1 || ids[0] !== id;
  });
  const unexpected = [...stored.keys()].filter((subject) => subject !== null && !confirmed.has(subject));
  return [...missing.map(([subject]) => subject), ...unexpected.map(String)];
}
