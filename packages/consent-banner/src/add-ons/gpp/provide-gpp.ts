import { reportProblem } from '../../report-problem.ts';
import type { ConsentState } from '../../stub/consent-state.ts';
import { watchBanner } from '../banner-sight.ts';
import { findSvcConsent, followConsent } from '../follow-consent.ts';
import { reportRequiredPurposes, reportUnknownPurposes } from '../report-purposes.ts';
import { readVisitorChoice } from '../visitor-choice.ts';
import { addLocator, answerFrames } from './frame-messages.ts';
import { createGppApi, type GppState } from './gpp-api.ts';
import { type GppOptions, type GppSettings, readSettings } from './gpp-settings.ts';
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
  const isBannerShown = watchBanner(() => tell());
  let decided: ConsentState | null = null;
  let isLoaded = false;

  function describe(): GppState {
    const isShown = isBannerShown();
    // A choice that the visitor is about to change is not to be relied on.
    const isReady = decided ? !isShown : isLoaded && (settings.isReadyUndecided || hasGpc());
    return {
      cmpStatus: isLoaded ? 'loaded' : 'loading',
      cmpDisplayStatus: isShown ? 'visible' : 'hidden',
      signalStatus: isReady ? 'ready' : 'not ready',
      sections: writeSections(settings, decided ? readGranted(decided, settings) : {}, hasGpc()),
    };
  }

  function tell(isDecision = false): void {
    api.update(describe(), isDecision);
  }

  const { cmpId, applicableSections } = settings;
  const api = createGppApi({ cmpId, applicableSections, initial: describe(), listeners: stub.listeners });
  takeOver(api.call, stub);
  if (!stub.hasMessages) answerFrames(api.call);
  addLocator();
  followConsent(
    (state) => {
      decided = state;
      isLoaded = true;
      reportUnknownPurposes('data-opt-outs', settings.mapping, state.purposes);
      tell(true);
    },
    () => {
      decided = null;
      tell();
    },
  );
  // A decision of another tab may be heard of before it is found in the storage.
  addEventListener('storage', () => tell());
  void waitForBanner().then(() => {
    isLoaded = true;
    tell();
  });
}

/** What the visitor chose of a decision; nothing where that cannot be told from what the notice requires. */
function readGranted(state: ConsentState, { mapping }: GppSettings): ConsentState['purposes'] {
  const choice = readVisitorChoice(state);
  reportRequiredPurposes('data-opt-outs', mapping, choice?.required ?? []);
  return choice?.purposes ?? {};
}

/** Global Privacy Control, https://www.w3.org/TR/gpc/: an opt-out that is made already. */
function hasGpc(): boolean {
  return (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true;
}

/**
 * Until the banner is there and the page is read, a stored decision may still be found. With an interface of the page's
 * own, or a banner that is kept from loading, none comes: whoever need not wait waits no longer than for the page.
 */
async function waitForBanner(): Promise<void> {
  if (!findSvcConsent()) await Promise.race([customElements.whenDefined('svc-consent'), waitForPage()]);
  if (document.readyState === 'loading') {
    await new Promise((done) => addEventListener.call(document, 'DOMContentLoaded', done, { once: true }));
  }
}

async function waitForPage(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, { once: true }));
  // What runs in this very task may bring the banner yet.
  await new Promise((done) => setTimeout(done));
}
