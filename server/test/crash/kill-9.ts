/**
 * Loads the real server on loopback, kills it with SIGKILL at a random moment and starts it again, many times over:
 * every record that was acknowledged with 201 must be there, the chains must verify, and a request that is sent again
 * must not make a second record.
 *
 *   npm run test:crash -- [--rounds 20] [--seed 1] [--json]
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Round, runCrashRounds } from './rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    json: { type: 'boolean', default: false },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
  console.error('Usage: npm run test:crash -- [--rounds <1 or more>] [--seed <0 to 4294967295>] [--json]');
  process.exit(2);
}

const say = values.json ? () => undefined : console.log;
const report = await runCrashRounds({ rounds, seed, onRound: (round) => say(describeRound(round)) });
say(
  report.passed
    ? `All ${report.acknowledged} acknowledged records are there (seed ${seed}).`
    : `${report.lost} of ${report.acknowledged} acknowledged records are gone, or something else is wrong (seed ${seed}).`,
);
if (values.json) console.log(JSON.stringify(report, null, 2));
process.exitCode = report.passed ? 0 : 1;

function describeRound(round: Round): string {
  const { answers, milliseconds } = round.killedAfter;
  const state =
    round.complaint === null && round.wrong.length === 0
      ? 'intact'
      : `WRONG: ${[...round.wrong, round.complaint ?? ''].join(' ')}`;
  return (
    `round ${round.round}: seed ${round.seed}, killed ${milliseconds} ms after ${answers} answers; ` +
    `acknowledged ${round.acknowledged}, found ${round.found}; ` +
    `unanswered ${round.unanswered}, of these ${round.keptUnanswered} kept, all sent again; ` +
    `restarted in ${round.restartMilliseconds} ms; ${state}`
  );
}
