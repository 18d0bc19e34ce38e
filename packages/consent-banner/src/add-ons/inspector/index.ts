import { reportProblem } from '../../page/browser.ts';
import { followConsent } from '../follow-consent.ts';
import { checkPage } from './check-page.ts';
import { Inspection, type InspectionOptions } from './inspection.ts';
import { InspectorPanel } from './inspector-panel.ts';
import type { PageFindings } from './report.ts';
import { watchFocus } from './watch-page.ts';

export type { InspectionOptions } from './inspection.ts';
export type {
  Finding,
  FindingKind,
  FindingStatus,
  PageFindings,
  Tracker,
  TrackerPurpose,
} from './report.ts';

export { writeMarkdown } from './report.ts';

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

export interface InspectorOptions extends InspectionOptions {
  /** Opens the panel on every load of the page, whatever its address. Never set it on a page for visitors. */
  readonly isOpen?: boolean | undefined;
}

const FRAGMENT = '#svc-inspect';

/**
 * A tool for development. On localhost it logs what is wrong with the set-up of the banner. It opens the panel if the address of
 * the page ends in `#svc-inspect`, now or later, or with `isOpen`. Otherwise, and on a server, it does nothing.
 * @returns a function that closes the panel and stops listening.
 */
export function startInspector({ isOpen = false, ...options }: InspectorOptions = {}): () => void {
  if (!globalThis.document) return () => {};
  let panel: InspectorPanel | undefined;
  const open = (isWanted: boolean): void => {
    if (isWanted) panel = InspectorPanel.open(options) ?? panel;
  };
  const follow = (): void => open(location.hash === FRAGMENT);
  const stops = isLocal()
    ? [followConsent((view) => checkPage(view).forEach(reportProblem)), watchFocus(reportProblem)]
    : [];
  addEventListener('hashchange', follow);
  open(isOpen || location.hash === FRAGMENT);
  return () => {
    removeEventListener('hashchange', follow);
    for (const stop of stops) stop();
    panel?.close();
  };
}

function isLocal(): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.(localhost|local|test))$/.test(location.hostname);
}
