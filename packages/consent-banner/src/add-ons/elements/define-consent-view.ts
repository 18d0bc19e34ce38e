import { preparePage } from '../../headless/join-page.ts';
import { SvcConsentViewElement, setSource } from './consent-view-element.ts';

export interface ConsentViewOptions {
  /** The address that this code came from: its origin has the API of every element without `api-base`. Default: the page's. */
  readonly source?: string | undefined;
}

/** Defines `<svc-consent-view>`, once on a page; without a DOM (on a server) it does nothing. */
export function defineConsentView({ source = '' }: ConsentViewOptions = {}): void {
  if (globalThis.document) define(source, null);
}

/** The same by a script tag, which may have a nonce and `data-consent-mode`, as the banner's. */
export function defineByScript(script: HTMLScriptElement | null): void {
  define(script?.src ?? '', script);
}

function define(source: string, script: HTMLScriptElement | null): void {
  if (customElements.get('svc-consent-view')) return;
  setSource(source);
  preparePage(script);
  customElements.define('svc-consent-view', SvcConsentViewElement);
}
