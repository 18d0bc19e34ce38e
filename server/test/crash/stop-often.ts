/**
 * Stops the real server with SIGTERM while clients keep its connections busy, many times: no request in flight may be reset,
 * and at most one in a hundred connections.
 *
 *   npm run test:stops -- [--stops 20] [--connections 64] [--json]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Stop, stopUnderLoad } from './stops.ts';

const { values } = parseArgs({
  options: {
    stops: { type: 'string', default: '20' },
    connections: { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
  },
});
const [count, connections] = [Number(values.stops), Number(values.connections)];
if (![count, connections].every((number) => Number.isInteger(number) && number > 0)) {
  console.error('Usage: npm run test:stops -- [--stops <1 or more>] [--connections <1 or more>] [--json]');
  process.exit(2);
}
const say = values.json ? () => undefined : console.log;
const folder = mkdtempSync(join(tmpdir(), 'svc-stops-'));
const stops: Stop[] = [];
try {
  for (let number = 1; number <= count; number += 1) {
    const settings = { SVC_DATA_DIR: join(folder, String(number)) };
    const stop = await stopUnderLoad({ settings, connections, answersBefore: connections * 20 });
    stops.push(stop);
    say(
      `stop ${number}: ${stop.milliseconds} ms, exit ${stop.exitCode}; ${stop.answers} answers on ${stop.connections} connections; ` +
        `reset: ${stop.requestsReset} requests, ${stop.connectionsReset} of ${connections} connections, ${stop.laterConnectionsReset} later ones`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const sum = (key: 'requestsReset' | 'connectionsReset' | 'laterConnectionsReset') =>
  stops.reduce((total, stop) => total + stop[key], 0);
const report = {
  stops: count,
  connections: count * connections,
  requestsReset: sum('requestsReset'),
  connectionsReset: sum('connectionsReset'),
  laterConnectionsReset: sum('laterConnectionsReset'),
  passed:
    sum('requestsReset') === 0 &&
    sum('connectionsReset') + sum('laterConnectionsReset') <= (count * connections) / 100 &&
    stops.every(({ exitCode }) => exitCode === 0),
};
if (values.json) console.log(JSON.stringify({ ...report, each: stops }, null, 2));
else
  say(
    `${report.passed ? 'Passed' : 'FAILED'}: ${report.requestsReset} requests in flight and ${report.connectionsReset} of ${report.connections} connections were reset, and ${report.laterConnectionsReset} connections that were opened during a stop.`,
  );
process.exitCode = report.passed ? 0 : 1;
