import { isOptOut } from '../../decision/grants.ts';
import { reportProblem } from '../../page/browser.ts';
import type { PageView } from '../../page/consent-page.ts';
import { findPage, followConsent, listLocked, readChoices } from '../follow-consent.ts';
import { reportRequiredPurposes, reportUnknownPurposes } from '../report-purposes.ts';
import { addLocator, answerFrames } from './frame-messages.ts';
import { createGppApi, type GppState } from './gpp-api.ts';
import { findApplicable, type GppOptions, readSettings } from './gpp-settings.ts';
import { readStub, takeOver } from './take-over.ts';
import { writeSections } from './write-sections.ts';

/**
 * Provides `window.__gpp`, IAB's Global Privacy Platform, for the sections of the United States. What the visitor has objected
 * to is opted out; so is everything before a decision where consent is needed or the region is unknown, and for every invalid
 * setting. Where nothing needs consent (an opt-out region), what is on by its basis is not opted out. On a server it does nothing.
 */
export function provideGpp(options: GppOptions): void {
  if (!globalThis.document) return;
  const stub = readStub();
  if (!stub) {
    reportProblem('data-sections: another consent platform provides __gpp. Leave one of the two out.');
    return;
  }
  const settings = readSettings(options);
  let view: PageView | undefined;
  let isLoaded = false;

  function describe(): GppState {
    // An interface of the page has no root, and shows nothing that we know of.
    const isShown = view?.root !== undefined && view.layer !== 'none';
    // A choice that the visitor is about to change is not reliable.
    const isReady = view?.state ? !isShown : isLoaded && (isInForce(view) || settings.isReadyUndecided || hasGpc());
    return {
      cmpStatus: isLoaded ? 'loaded' : 'loading',
      cmpDisplayStatus: isShown ? 'visible' : 'hidden',
      signalStatus: isReady ? 'ready' : 'not ready',
      applicableSections: findApplicable(settings, view?.region ?? null),
      sections: writeSections(settings, view ? readChoices(view) : {}, hasGpc()),
    };
  }

  function update(isDecision = false): void {
    api.update(describe(), isDecision);
  }

  const api = createGppApi({ cmpId: settings.cmpId, initial: describe(), listeners: stub.listeners });
  takeOver(api.call, stub);
  if (!stub.hasMessages) answerFrames(api.call);
  addLocator();
  followConsent((next) => {
    const isDecision = next.state !== null && next.state !== view?.state;
    view = next;
    if (isDecision) {
      isLoaded = true;
      reportUnknownPurposes('data-opt-outs', settings.mapping, next.allowed);
      reportRequiredPurposes('data-opt-outs', settings.mapping, listLocked(next) ?? []);
    }
    update(isDecision);
  });
  void waitForBanner().then(() => {
    isLoaded = true;
    update();
  });
}

/** Whether what is on by its basis is in force without a decision. */
function isInForce(view: PageView | undefined): boolean {
  return !!view?.notice && isOptOut(view.notice.purposes, view.region);
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
  if (!findPage()) await Promise.race([customElements.whenDefined('svc-consent'), waitForPage()]);
  if (document.readyState === 'loading') {
    await new Promise((done) => addEventListener.call(document, 'DOMContentLoaded', done, { once: true }));
  }
}

async function waitForPage(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, { once: true }));
  // A script that runs in this task may still insert the banner.
  await new Promise((done) => setTimeout(done));
}
