import {
  databaseMetrics,
  type MetricDefinition,
  poolMetrics,
  processMetrics,
  replicaMetrics,
} from '../../server/cli/server/metric-definitions.ts';
import { html, type Markup } from './markup.ts';
import { relateAddress } from './page.ts';
import { writeTable } from './table.ts';

/** Writes every metric of the server with its labels. */
export function writeMetrics(): Markup {
  const all: Readonly<Record<string, MetricDefinition>> = {
    ...processMetrics,
    ...poolMetrics,
    ...replicaMetrics,
    ...databaseMetrics,
  };
  const rows = Object.entries(all).map(([name, { type, labels, help }]) => {
    const described = Object.entries(labels).map(([label, values]) => html`<li><code>${label}</code>: ${values}</li>`);
    return [
      html`<code>${name}</code>`,
      type,
      html`${help}${described.length === 0 ? null : html`<ul>${described}</ul>`}`,
    ];
  });
  return writeTable('Metrics', ['Metric', 'Type', 'Meaning and labels'], rows);
}

/** Files for monitoring, by their path below the root of the site, which is that in the sources. */
export const monitoringFiles = {
  'monitoring/alert-rules.yml': 'Alert rules for Prometheus',
  'monitoring/grafana-dashboard.json': 'Dashboard for Grafana',
} as const;

/** Writes links to the files for monitoring. @param address the page that they are on. */
export function writeMonitoringFiles(address: string): Markup {
  const links = Object.entries(monitoringFiles).map(
    ([path, title]) => html`<li><a href="${relateAddress(address, path)}" download>${title}</a></li>`,
  );
  return html`<ul>${links}</ul>`;
}
