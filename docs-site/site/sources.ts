import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurements } from '../../tools/bench/measurement.ts';
import { readMeasurements } from '../../tools/bench/recorded.ts';
import type { ApiDocument } from '../reference/document.ts';
import { createReference, type Reference } from '../reference/reference.ts';
import { readWidgetBuilds, type WidgetBuild } from './widget-manifest.ts';

/** Sources of the site beside its pages, read from the rest of the repository. */
export interface Sources {
  readonly reference: Reference;
  /** The document of the API as it is served. */
  readonly document: string;
  readonly widgets: readonly WidgetBuild[];
  readonly changelog: string;
  /** Results of `npm run bench -- --record`. */
  readonly measurements: Measurements;
}

const root = join(import.meta.dirname, '../..');

/** Reads everything once. */
export function readSources(): Sources {
  const document = readFileSync(join(root, 'server/openapi.json'), 'utf8');
  return {
    reference: createReference(JSON.parse(document) as ApiDocument),
    document,
    widgets: readWidgetBuilds(),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    measurements: readMeasurements(),
  };
}
