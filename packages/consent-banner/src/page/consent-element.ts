import { mountFirstLayer } from '../first-layer/first-layer.ts';
import type { AttributeName } from './attributes.ts';
import { publishApi, publishPage } from './consent-page.ts';
import { Page, type PageOptions } from './page.ts';

// Without a DOM, the class is defined but does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let page: Page;

/** Connects the elements with their page, before there are any. */
export function joinPage(consent: Page): void {
  page = consent;
}

/**
 * Asks the visitor for consent to a published notice, remembers the answer and brings it to the consent ledger.
 *
 * Its content may be a `<script type="application/json">` with the published notice, as `svc widgets --inline` prints it:
 * then nothing is fetched before the first layer is visible.
 *
 * @element svc-consent
 *
 * @slot more - Custom links, shown in both layers. Write `hidden` on them, so that only the banner shows them.
 * @slot logo - An image or text above the title of the first layer, with `hidden` as well.
 *
 * @fires {CustomEvent<ConsentState>} svc-consent - On `document`: the visitor decided, or a stored decision was found.
 *
 * @csspart banner - The first layer.
 * @csspart panel - The preferences dialog.
 * @csspart title - Heading of either.
 * @csspart text - Introduction of either.
 * @csspart link - A link of the notice.
 * @csspart choice - "Reject all" and "Accept all" alike.
 * @csspart preferences - Button that opens the panel.
 * @csspart purposes - List of purposes.
 * @csspart purpose - One purpose.
 * @csspart switch - Switch of a purpose.
 * @csspart save - "Save choices".
 * @csspart close - Button that closes the panel.
 * @csspart about - Name and version of the notice.
 * @csspart signal - What the panel says about Global Privacy Control.
 * @csspart more - Button that shows the whole of a long text.
 * @csspart trackers - Table of a purpose's trackers.
 * @csspart trigger - The floating button.
 * @csspart receipt - The receipt in the panel.
 * @csspart download - Button that saves the receipt.
 *
 * @cssprop [--svc-c-bg=#ffffff] - Background.
 * @cssprop [--svc-c-text=#101322] - Text.
 * @cssprop [--svc-c-muted=#566076] - Quiet text.
 * @cssprop [--svc-c-border=#dfe4ee] - Edges and lines.
 * @cssprop [--svc-c-control=#737d91] - Edges of controls, switches that are off.
 * @cssprop [--svc-c-accent=#1d2a4d] - Buttons, and switches that are on.
 * @cssprop [--svc-c-accent-text] - Text on the accent. Default: black or white, whichever has more contrast.
 * @cssprop [--svc-c-focus=#2f6fde] - Focus ring.
 * @cssprop [--svc-c-radius=16px] - Corners.
 * @cssprop [--svc-c-shadow] - Shadow.
 * @cssprop [--svc-c-backdrop] - Veil behind the panel.
 * @cssprop [--svc-c-font=system-ui, sans-serif] - Font family.
 * @cssprop [--svc-c-width=27em] - Greatest width of a card.
 * @cssprop [--svc-c-gap=16px] - Distance of a card to the edges of the window.
 */
export class SvcConsentElement extends Base {
  /** The others are read at each decision. */
  static observedAttributes: AttributeName[] = [
    'notice-id',
    'api-base',
    'language',
    'scheme',
    'layout',
    'position',
    'region',
    'trigger',
  ];

  connectedCallback(): void {
    page.elements.add(this);
    page.refresh();
  }

  disconnectedCallback(): void {
    page.elements.delete(this);
    page.refresh();
  }

  attributeChangedCallback(): void {
    if (page.elements.has(this)) page.refresh();
  }
}

/** Defines the element and `window.SvcConsent`, both together and once. Without a DOM (on a server) it does nothing. */
export function registerSvcConsent(options: PageOptions): void {
  if (!globalThis.document || customElements.get('svc-consent')) return;
  const page = new Page(options);
  joinPage(page);
  mountFirstLayer(page);
  // First the global: elements that are on the page already start, and dispatch, while they are being defined.
  publishApi(page.api);
  publishPage(page);
  customElements.define('svc-consent', SvcConsentElement);
}
