import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { installPackages } from '../../../tools/test/apt.ts';
import { findProgram } from '../../../tools/test/find-program.ts';
import { describeOnEachDatabase, startTestServer } from '../harness.ts';

const promtool = findProgram('promtool') ?? (installPackages('prometheus') ? findProgram('promtool') : undefined);
const skip = promtool === undefined ? 'promtool is missing: apt-get install prometheus' : false;

const check = (input: string, ...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(promtool as string, ['check', ...words], { input, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], stdout);
};

describeOnEachDatabase('promtool', (dialect) => {
  test('accepts the metrics of a server', { skip }, async () => {
    await using server = await startTestServer(dialect, { SVC_METRICS_PORT: '0' });
    const scrape = async () => (await fetch(server.metricsUrl as string)).text();
    check(await scrape(), 'metrics');
    await server.createNotice();
    await server.request('GET', '/none', { key: null });
    check(await scrape(), 'metrics');
  });
});

test('promtool accepts the alert rules', { skip }, () => {
  check('', 'rules', join(import.meta.dirname, '../../../docs-site/monitoring/alert-rules.yml'));
});
