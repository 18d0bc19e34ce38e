import type { PageFindings } from './finding.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';

export type {
  Finding,
  FindingKind,
  FindingStatus,
  PageFindings,
  Tracker,
  TrackerPurpose,
} from './finding.ts';
export type { InspectionOptions } from './inspection.ts';
export { type InspectorOptions, startInspector } from './start-inspector.ts';
export { writeMarkdown } from './write-report.ts';

/**
 * Inspects this page once: cookies, storage, requests and tags of other origins, and how they relate to the visitor's decision.
 * It reports names and no values, except in the proposal for a tag, which repeats the tag including its query. It sends nothing.
 * @returns what was found; nothing where the browser denies access.
 * @throws Error on a server, where there is no page.
 */
export async function inspectPage(options: InspectionOptions = {}): Promise<PageFindings> {
  if (!globalThis.document) throw new Error('inspectPage() needs a page. Call it in a browser.');
  const inspection = new Inspection(options);
  try {
    return await inspection.look();
  } finally {
    inspection.end();
  }
}
