import type { DemoCredentials } from '../../demo/seed.ts';
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
  /** Captures, acknowledged or retried, without exactly one record with the acknowledged id. */
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
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: Round) => void;
}

const connections = 16;
const mostAnswers = 400;
const mostMilliseconds = 12;

/** Kills a loaded server repeatedly, on one data folder, and checks the data each time. */
export async function runCrashRounds({ rounds, seed, onRound }: CrashOptions): Promise<CrashReport> {
  await using location = await createLocation('sqlite');
  const settings = location.environment;
  const confirmed = new Map<string, string>();
  const done: Round[] = [];
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
    const nextChange = (): Change => ({
      subjectId: `round-${round}-capture-${++number}`,
      kind: number % 2 === 0 ? 'public' : 'authenticated',
      at: new Date().toISOString(),
    });
    const { acknowledged, unanswered } = await loadServers({
      servers: [server],
      credentials,
      connections,
      nextChange,
      onAcknowledged: (count) => {
        if (count === answers) setTimeout(() => server.kill(), milliseconds);
      },
    });
    await server.kill();

    server = await startServerProcess(settings);
    const kept = await listRecordIds(server, credentials);
    const found = [...acknowledged].filter(([{ subjectId }, id]) => kept.get(subjectId)?.includes(id)).length;
    const keptUnanswered = unanswered.filter(({ subjectId }) => kept.has(subjectId)).length;

    const repeated = await sendAgain(server, credentials, unanswered);
    for (const [{ subjectId }, id] of [...acknowledged, ...repeated]) confirmed.set(subjectId, id);
    const [now, complaint] = await Promise.all([listRecordIds(server, credentials), verifyInProcess(settings)]);
    return {
      round,
      seed: roundSeed,
      killedAfter: { answers, milliseconds: Math.round(milliseconds * 10) / 10 },
      acknowledged: acknowledged.size,
      found,
      unanswered: unanswered.length,
      keptUnanswered,
      wrong: listWrong(confirmed, now),
      complaint,
      restartMilliseconds: Math.round(server.startMilliseconds),
    };
  }
}

/** The subjects of all rounds so far without exactly the one acknowledged record. */
export function listWrong(
  confirmed: ReadonlyMap<string, string>,
  stored: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const missing = [...confirmed].filter(([subject, id]) => {
    const ids = stored.get(subject);
    return ids?.length !== 1 || ids[0] !== id;
  });
  const unexpected = [...stored.keys()].filter((subject) => !confirmed.has(subject));
  return [...missing.map(([subject]) => subject), ...unexpected];
}
