import { reportProblem } from '../../report-problem.ts';
import { followConsent } from '../follow-consent.ts';
import { reportUnknownPurposes } from '../report-purposes.ts';
import { addLocator, answerFrames } from './frame-messages.ts';
import { createGppApi, type GppState } from './gpp-api.ts';
import { type GppOptions, readSettings } from './gpp-settings.ts';
import { readStub, takeOver } from './take-over.ts';
import { writeSections } from './write-sections.ts';

/**
 * Provides `window.__gpp`, IAB's Global Privacy Platform, for the sections of the United States. Before a decision, and
 * for whatever is not understood, the visitor is opted out. On a server it does nothing.
 */
export function provideGpp(options: GppOptions): void {
  if (!globalThis.document) return;
  const stub = readStub();
  if (!stub) {
    reportProblem('data-sections: another consent platform provides __gpp. Leave one of the two out.');
    return;
  }
  const settings = readSettings(options);
  const undecided = (isLoaded: boolean): GppState => ({
    cmpStatus: isLoaded ? 'loaded' : 'loading',
    cmpDisplayStatus: isLoaded ? 'visible' : 'hidden',
    signalStatus: isLoaded && (settings.isReadyUndecided || hasGpc()) ? 'ready' : 'not ready',
    sections: writeSections(settings, {}, hasGpc()),
  });
  const { cmpId, applicableSections } = settings;
  const api = createGppApi({ cmpId, applicableSections, initial: undecided(false), listeners: stub.listeners });
  let isDecided = false;

  takeOver(api.call, stub);
  if (!stub.hasMessages) answerFrames(api.call);
  addLocator();
  followConsent(
    ({ purposes }) => {
      isDecided = true;
      reportUnknownPurposes('data-opt-outs', settings.mapping, purposes);
      const sections = writeSections(settings, purposes, hasGpc());
      api.update({ cmpStatus: 'loaded', cmpDisplayStatus: 'hidden', signalStatus: 'ready', sections }, true);
    },
    () => {
      isDecided = false;
      api.update(undecided(true), false);
    },
  );
  void waitForBanner().then(() => isDecided || api.update(undecided(true), false));
}

/** Global Privacy Control, https://www.w3.org/TR/gpc/: an opt-out that is made already. */
function hasGpc(): boolean {
  return (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true;
}

/** Until the banner is there and the page is read, a stored decision may still be found. */
async function waitForBanner(): Promise<void> {
  await customElements.whenDefined('svc-consent');
  if (document.readyState === 'loading') {
    await new Promise((done) => addEventListener.call(document, 'DOMContentLoaded', done, { once: true }));
  }
}
