import { writeErrorTable } from '../reference/errors-page.ts';
import { writeChangelog } from './changelog.ts';
import { writeCommands } from './commands-table.ts';
import { writeDeployFile } from './deploy-file.ts';
import { writeEventTypes } from './event-types.ts';
import { writeLiveBadge, writeLiveBanner } from './live-widgets.ts';
import type { Markup } from './markup.ts';
import { writeConditions, writeMeasurement, writeVerdict } from './measurements.ts';
import { writeMetrics, writeMonitoringFiles } from './metrics-table.ts';
import { Mistake } from './mistake.ts';
import type { Heading, InnerLink, SearchEntry } from './page.ts';
import { writePlayground } from './playground.ts';
import { writeScopes } from './scopes-table.ts';
import { writeSettings } from './settings-table.ts';
import type { Sources } from './sources.ts';
import { writeMembers, writeWidgetTag } from './widget-parts.ts';
import { writeSizes } from './widget-sizes.ts';

/** The page that a partial is on, and what it may use. */
export interface PartialPlace {
  readonly file: string;
  readonly address: string;
  readonly sources: Sources;
}

/** Additions of a partial to the page. */
export interface PartialResult {
  readonly content: Markup;
  readonly headings?: readonly Heading[];
  readonly links?: readonly InnerLink[];
  readonly entries?: readonly SearchEntry[];
  readonly extras?: readonly string[];
  readonly widgets?: readonly string[];
}

type WritePartial = (argument: string, place: PartialPlace) => PartialResult;

/** Partials that authors can insert into a page by name: generated tables and live widgets. */
const partials: Readonly<Record<string, WritePartial>> = {
  'widget-tag': writeWidgetTag,
  'widget-attributes': (name, place) => writeMembers('attributes', name, place),
  'widget-properties': (name, place) => writeMembers('properties', name, place),
  'widget-parts': (name, place) => writeMembers('parts', name, place),
  'widget-slots': (name, place) => writeMembers('slots', name, place),
  'widget-sizes': writeSizes,
  'live-banner': (_argument, place) => writeLiveBanner(place),
  'live-badge': (_argument, place) => writeLiveBadge(place),
  'signature-playground': () => writePlayground(),
  settings: () => ({ content: writeSettings() }),
  metrics: () => ({ content: writeMetrics() }),
  'monitoring-files': (_argument, { address }) => ({ content: writeMonitoringFiles(address) }),
  'deploy-file': (argument, { file }) => ({ content: writeDeployFile(argument, file) }),
  commands: () => ({ content: writeCommands() }),
  scopes: () => ({ content: writeScopes() }),
  'event-types': () => ({ content: writeEventTypes() }),
  'error-table': (status, { address }) => ({ content: writeErrorTable(status, address) }),
  changelog: (_argument, place) => writeChangelog(place),
  measurement: writeMeasurement,
  'measurement-verdict': (_argument, place) => writeVerdict(place),
  'measurement-conditions': (_argument, place) => writeConditions(place),
};

/** Writes a partial. @throws {Mistake} when there is none of its name, or its argument is wrong. */
export function writePartial(name: string, argument: string, place: PartialPlace): PartialResult {
  const write = partials[name];
  if (write === undefined) throw new Mistake(place.file, `there is no partial {{ ${name} }}`);
  return write(argument, place);
}
