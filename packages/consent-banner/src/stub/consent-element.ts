import type { PageConsent } from './page-consent.ts';

// Without a DOM, the class is defined but does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let page: PageConsent | undefined;

/** Connects the elements with their page, before there are any. */
export function joinPage(consent: PageConsent): void {
  page = consent;
}

/**
 * Asks the visitor for consent to a published notice, remembers the answer and brings it to the consent ledger.
 *
 * @element svc-consent
 *
 * @attr {string} notice-id - Id of the published notice. Required.
 * @attr {string} api-base - Address of the API. Default: the origin this script came from.
 * @attr {string} language - BCP 47 tag of the words. Default: the notice's language.
 * @attr {"auto"|"light"|"dark"} [theme=auto] - Colours; auto follows the system.
 * @attr {"none"|"bottom-left"|"bottom-right"} [trigger=none] - A floating button that opens the preferences again.
 * @attr {number} [max-age=365] - Days until a decision is asked for again.
 * @attr {number} refusal-max-age - The same for a refusal. Default: max-age.
 * @attr {string} cookie-domain - Domain whose hosts share one decision, kept in a cookie.
 * @attr {string} clear-cookies - Cookies to delete when a purpose is not granted: `statistics: _ga _ga_*; marketing: _fbp`.
 * @attr {string} consent-mode - Signals of Google Consent Mode for each purpose: `statistics: analytics_storage`.
 * @attr {boolean} [reload-on-withdrawal=false] - Reloads the page when consent is withdrawn on it, because a script that ran cannot be undone.
 *
 * @slot more - Custom links, such as privacy policy and imprint: shown in the first layer and in the panel.
 *   Write `hidden` on them, so that they are not visible outside the banner.
 *
 * @fires {CustomEvent<ConsentState>} svc-consent - On `document`: the visitor decided, or a stored decision was found.
 *
 * @csspart banner - The first layer.
 * @csspart panel - The preferences dialog.
 * @csspart title - Heading of either.
 * @csspart text - Introduction of either.
 * @csspart choice - "Reject all" and "Accept all" alike.
 * @csspart preferences - Button that opens the panel.
 * @csspart purposes - List of purposes.
 * @csspart purpose - One purpose.
 * @csspart switch - Switch of a purpose.
 * @csspart save - "Save choices".
 * @csspart close - Button that closes the panel.
 * @csspart about - Name and version of the notice.
 * @csspart trigger - The floating button.
 * @csspart receipt - The receipt in the panel.
 * @csspart download - Button that saves the receipt.
 * @csspart placeholder - Box over a frame, an image or a video that is held back; of `svc-consent-placeholder`, which lies behind the frame.
 * @csspart name - What the page calls that; of `svc-consent-placeholder`, too.
 * @csspart allow - Its button; of `svc-consent-placeholder`, too.
 *
 * @cssprop [--svc-c-bg=#ffffff] - Background.
 * @cssprop [--svc-c-text=#101322] - Text.
 * @cssprop [--svc-c-muted=#566076] - Quiet text.
 * @cssprop [--svc-c-border=#dfe4ee] - Edges and lines.
 * @cssprop [--svc-c-control=#737d91] - Edges of controls, switches that are off.
 * @cssprop [--svc-c-accent=#1d2a4d] - Buttons, and switches that are on.
 * @cssprop [--svc-c-accent-text=#ffffff] - Text on the accent.
 * @cssprop [--svc-c-focus=#2f6fde] - Focus ring.
 * @cssprop [--svc-c-radius=16px] - Corners.
 * @cssprop [--svc-c-shadow] - Shadow.
 * @cssprop [--svc-c-backdrop] - Veil behind the panel.
 * @cssprop [--svc-c-font=system-ui, sans-serif] - Font family.
 * @cssprop [--svc-c-width=27em] - Greatest width of the first layer.
 * @cssprop [--svc-c-gap=16px] - Distance to the edges of the window.
 */
export class SvcConsentElement extends Base {
  static observedAttributes = ['notice-id', 'api-base', 'language', 'trigger'];

  get noticeId(): string | null {
    return this.getAttribute('notice-id');
  }

  set noticeId(value: string | null) {
    this.setAttribute('notice-id', value ?? '');
  }

  get apiBase(): string | null {
    return this.getAttribute('api-base');
  }

  set apiBase(value: string | null) {
    this.setAttribute('api-base', value ?? '');
  }

  connectedCallback(): void {
    claimProperties(this);
    page?.elements.add(this);
    page?.refresh();
  }

  disconnectedCallback(): void {
    page?.elements.delete(this);
    page?.refresh();
  }

  attributeChangedCallback(): void {
    if (page?.elements.has(this)) page.refresh();
  }
}

/** Sets properties again that a framework set before the class was defined. */
function claimProperties(element: Partial<SvcConsentElement>): void {
  for (const name of Object.keys(element) as 'noticeId'[]) {
    const value = element[name] as string;
    delete element[name];
    element[name] = value;
  }
}
