import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { installPackages } from '../../../tools/test/apt.ts';
import { findProgram } from '../../../tools/test/find-program.ts';
import { describeOnEachDatabase, startTestServer } from '../harness.ts';

const promtool = findProgram('promtool') ?? (installPackages('prometheus') ? findProgram('promtool') : undefined);
const skip = promtool === undefined ? 'promtool is missing: apt-get install prometheus' : false;

const run = (input: string, ...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(promtool as string, words, { input, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], stdout);
};

describeOnEachDatabase('promtool', (dialect) => {
  test('accepts the metrics of a server', { skip }, async () => {
    await using server = await startTestServer(dialect, { SVC_METRICS_PORT: '0' });
    const scrape = async () => (await fetch(server.metricsUrl as string)).text();
    run(await scrape(), 'check', 'metrics');
    await server.createNotice();
    await server.request('GET', '/none', { key: null });
    run(await scrape(), 'check', 'metrics');
  });
});

test('promtool accepts the alert rules', { skip }, () => {
  run('', 'check', 'rules', join(import.meta.dirname, '../../../docs-site/monitoring/alert-rules.yml'));
});

test('each alert fires for its series, and not for others', { skip }, () => {
  run('', 'test', 'rules', join(import.meta.dirname, 'alert-series.yml'));
});
