import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { databaseMetrics, poolMetrics, processMetrics, replicaMetrics } from '../../cli/server/metric-definitions.ts';
import { startTestServer } from '../harness.ts';

const folder = join(import.meta.dirname, '../../../docs-site/monitoring');
const readText = (name: string) => readFileSync(join(folder, name), 'utf8');
const rules = readText('alert-rules.yml');
const dashboard: { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] } =
  JSON.parse(readText('grafana-dashboard.json'));
const own = Object.keys({ ...processMetrics, ...poolMetrics, ...replicaMetrics, ...databaseMetrics });

/** The names of metrics in expressions, without what a histogram adds to its name. */
const listNames = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:svc|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)),
];

describe('the files for monitoring', () => {
  test('name only metrics that a server has', async () => {
    await using server = await startTestServer('sqlite', { SVC_METRICS_PORT: '0' });
    const text = await (await fetch(server.metricsUrl as string)).text();
    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string);
    const known = new Set([...served, ...own]);
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 15);
    for (const name of listNames([rules, ...expressions].join('\n')))
      assert.ok(known.has(name.replace(/_(bucket|sum|count)$/, '')) || known.has(name), name);
  });

  test('use every metric of the server', () => {
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
    const used = listNames(`${rules}\n${expressions}`).map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    assert.deepEqual(
      own.filter((name) => !used.includes(name)),
      [],
    );
  });

  test('have series for each alert, by which promtool tests it', () => {
    const series = readFileSync(join(import.meta.dirname, 'alert-series.yml'), 'utf8');
    for (const [, alert = ''] of rules.matchAll(/- alert: (\w+)/g))
      assert.ok(series.includes(`{alertname="${alert}"}`), `add series for ${alert} to alert-series.yml`);
  });

  test('say of each alert what to do', () => {
    const alerts = rules.split('- alert: ').slice(1);
    assert.ok(alerts.length > 10);
    for (const alert of alerts)
      assert.match(alert, /severity: (?:critical|warning)\n[\s\S]*summary: .+\n +action: .+\n/);
  });
});
