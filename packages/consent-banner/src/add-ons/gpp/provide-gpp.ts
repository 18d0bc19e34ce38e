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
 * for every invalid setting, the visitor is opted out. On a server it does nothing.
 */
export function provideGpp(options: GppOptions): void {
  if (!globalThis.document) return;
  const stub = readStub();
  if (!stub) {
    reportProblem('data-sections: another consent platform provides __gpp. Leave one of the two out.');
    return;
  }
  const settings = readSettings(options);
  const isBannerShown = watchBanner(() => update());
  let decided: ConsentState | null = null;
  let isLoaded = false;

  function describe(): GppState {
    const isShown = isBannerShown();
    // A choice that the visitor is about to change is not reliable.
    const isReady = decided ? !isShown : isLoaded && (settings.isReadyUndecided || hasGpc());
    return {
      cmpStatus: isLoaded ? 'loaded' : 'loading',
      cmpDisplayStatus: isShown ? 'visible' : 'hidden',
      signalStatus: isReady ? 'ready' : 'not ready',
      sections: writeSections(settings, decided ? readGranted(decided, settings) : {}, hasGpc()),
    };
  }

  function update(isDecision = false): void {
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
      update(true);
    },
    () => {
      decided = null;
      update();
    },
  );
  // The event of another tab's decision may arrive before the storage has it.
  addEventListener('storage', () => update());
  void waitForBanner().then(() => {
    isLoaded = true;
    update();
  });
}

/** The visitor's choice in a decision; nothing if it cannot be separated from what the notice requires. */
function readGranted(state: ConsentState, { mapping }: GppSettings): ConsentState['purposes'] {
  const choice = readVisitorChoice(state);
  reportRequiredPurposes('data-opt-outs', mapping, choice?.required ?? []);
  return choice?.purposes ?? {};
}

/** Global Privacy Control, https://www.w3.org/TR/gpc/: an opt-out that is already made. */
function hasGpc(): boolean {
  return (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true;
}

/**
 * Until the banner has started and the page is parsed, a stored decision may still be found. With the page's own interface,
 * or a blocked banner, none comes: visitors who need not be asked wait only for the page.
 */
async function waitForBanner(): Promise<void> {
  if (!findSvcConsent()) await Promise.race([customElements.whenDefined('svc-consent'), waitForPage()]);
  if (document.readyState === 'loading') {
    await new Promise((done) => addEventListener.call(document, 'DOMContentLoaded', done, { once: true }));
  }
}

async function waitForPage(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, { once: true }));
  // A script that runs in this task may still insert the banner.
  await new Promise((done) => setTimeout(done));
}
