/**
 * Kills the real server with SIGKILL at random moments under load on loopback and restarts it, many times: every record
 * acknowledged with 201 must be there, the chains must verify, and a retried request must not create a second record. The
 * load erases some of the subjects: none of these may come back, and erasures.log must have each. With --postgres the
 * database is PostgreSQL.
 *
 * With --deliveries it is killed while it sends webhooks; with --postgres then two servers share a database, and one or both
 * of them are killed. Every event of an acknowledged change must arrive at every receiver, repeated only if it was in flight at
 * a kill, and the other servers must send everything that a killed server had claimed.
 *
 *   npm run test:crash -- [--deliveries] [--postgres] [--rounds 20] [--seed 1] [--json]
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type DeliveryReport, type DeliveryRound, runDeliveryRounds } from './delivery-rounds.ts';
import { type Round, runCrashRounds } from './rounds.ts';

const { values } = parseArgs({
  options: {
    deliveries: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    json: { type: 'boolean', default: false },
  },
});
const { deliveries, postgres, json } = values;
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const isSeed = Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32;
if (!Number.isInteger(rounds) || rounds < 1 || !isSeed) {
  console.error(
    'Usage: npm run test:crash -- [--deliveries] [--postgres] [--rounds <1 or more>] [--seed <0 to 4294967295>] [--json]',
  );
  process.exit(2);
}
if (postgres && !process.env.SVC_TEST_POSTGRES_URL) {
  console.error('There is no PostgreSQL: npm run test:crash starts one where it can, or set SVC_TEST_POSTGRES_URL.');
  process.exit(2);
}

const say = json ? () => undefined : console.log;
const dialect = postgres ? 'postgres' : 'sqlite';
const report = deliveries
  ? await runDeliveryRounds({
      dialect,
      rounds,
      seed,
      isTimed: true,
      onRound: (round) => say(describeDeliveryRound(round)),
    })
  : await runCrashRounds({ dialect, rounds, seed, onRound: (round) => say(describeRound(round)) });
if (json) console.log(JSON.stringify(report, null, 2));
else if ('deliveries' in report) say(describeDeliveries(report));
else
  say(
    report.passed
      ? `All ${report.acknowledged} acknowledged records are there (seed ${seed}).`
      : `${report.lost} of ${report.acknowledged} acknowledged records are gone, or something else is wrong (seed ${seed}).`,
  );
process.exitCode = report.passed ? 0 : 1;

function describeRound(round: Round): string {
  const { answers, milliseconds } = round.killedAfter;
  const state =
    round.complaint === null && round.wrong.length === 0
      ? 'intact'
      : `WRONG: ${[...round.wrong, round.complaint ?? ''].join(' ')}`;
  return (
    `round ${round.round}: seed ${round.seed}, killed ${milliseconds} ms after ${answers} answers; ` +
    `acknowledged ${round.acknowledged}, found ${round.found}; erased ${round.erased}; ` +
    `unanswered ${round.unanswered}, of these ${round.keptUnanswered} kept, all sent again; ` +
    `restarted in ${round.restartMilliseconds} ms; ${state}`
  );
}

function describeDeliveryRound(round: DeliveryRound): string {
  const { requests, milliseconds } = round.killedAfter;
  return (
    `round ${round.round}: seed ${round.seed}, killed ${round.killed} ${milliseconds} ms after ${requests} requests; ` +
    `acknowledged ${round.acknowledged}, unanswered ${round.unanswered} and sent again; ` +
    `${round.inFlight} deliveries in flight; ` +
    `restarted in ${round.restartMilliseconds} ms, recovered in ${round.recoveryMilliseconds} ms`
  );
}

function describeDeliveries(report: DeliveryReport): string {
  const { recovery, lost, wrong, complaint } = report;
  const faults = [...lost.map((one) => `lost: ${one}`), ...wrong, complaint ?? []].flat();
  return [
    `${report.kills} kills, ${report.acknowledged} changes, ${report.deliveries} deliveries, ${report.inFlight} in flight at kills, ` +
      `${report.duplicates} came again; recovered in ${recovery.median} ms (median), ${recovery.longest} ms (longest, ` +
      `${recovery.limit} ms allowed).`,
    report.passed
      ? `Every event arrived (seed ${seed}).`
      : `Something is wrong (seed ${seed}): ${lost.length} events did not arrive.`,
    ...faults.slice(0, 50),
  ].join('\n');
}
