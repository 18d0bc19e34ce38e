import { html, render, type TemplateResult } from 'lit/html.js';
import { AttributeElement, defineProperties } from './attribute-element.ts';
import { attributes } from './attributes.ts';
import type { BadgeContent } from './badge-content.ts';
import {
  type ChoiceName,
  type Position,
  type Radius,
  readAddress,
  readChoice,
  readColour,
  readFlag,
  type Size,
  type Theme,
  type Variant,
} from './choices.ts';
import { chooseWords } from './choose-words.ts';
import { floatingView } from './floating-view.ts';
import { lineView } from './line-view.ts';
import { panelView } from './panel-view.ts';
import type { Trust } from './trust.ts';
import { loadTrust, locateTrust, type TrustSource } from './trust-api.ts';
import { sheet } from './trust-badge.styles.ts';

/**
 * Shows what a tenant has published in its trust center, and links to it. Without data it is a plain link without a seal.
 *
 * @summary A trust badge in six variants.
 * @element svc-trust-badge
 *
 * @attr {string} tenant - Slug of the tenant. Required.
 * @attr {string} [api-base] - Address of the API. Default: the origin this script came from.
 * @attr {mini|compact|card|status|floating|full} [variant=compact] - What it looks like.
 * @attr {light|dark|auto} [theme=light] - `auto` follows the visitor's system.
 * @attr {color} [accent=#C58A2A] - Any CSS colour. Text on it is black or white, whichever is easier to read.
 * @attr {sm|md|lg|pill} [radius=lg] - Corners: 12px, 16px, 22px, or round.
 * @attr {sm|md|lg} [size=md] - Scales type and spacing.
 * @attr {bottom-left|bottom-right|top-left|top-right} [position=bottom-right] - Corner of the window (floating only).
 * @attr {boolean} [show-frameworks=true] - Whether frameworks are listed (card, floating, full).
 * @attr {boolean} [show-updated=true] - Whether it says when the data was updated (all but mini).
 * @attr {boolean} [show-powered-by=true] - Whether it says what runs the trust center (card, floating, full).
 * @attr {string} [locale] - BCP 47 tag. Default: the language of the page around it, else the browser's.
 * @attr {string} [trust-url] - Where its links lead. Default: the tenant's public trust page.
 *
 * @slot - A link to the trust center: it is the badge until there is data (but for floating), and without scripts.
 *
 * @csspart root - Outermost box of every variant.
 * @csspart card - Surface of every variant; of floating, that in the drawer.
 * @csspart mark - Seal.
 * @csspart name - Name of the tenant.
 * @csspart kicker - "Trust center" beside the name.
 * @csspart live - When the data was updated.
 * @csspart chips - List of frameworks.
 * @csspart chip - One framework.
 * @csspart cta - Link "View trust center".
 * @csspart footer - Line at the bottom of card, full and drawer.
 * @csspart button - Every button: the one that opens the drawer and the one that closes it.
 * @csspart trigger - Button that opens the drawer.
 * @csspart float-button - What floats: the trigger, or a link while there is no data.
 * @csspart drawer - Dialog of the floating variant.
 *
 * @cssprop [--svc-tb-accent=#C58A2A] - Seal and main link.
 * @cssprop [--svc-tb-bg=#ffffff] - Background.
 * @cssprop [--svc-tb-bg-2=#f8fafc] - Second background: chips, footer, what is pointed at.
 * @cssprop [--svc-tb-text=#101322] - Text.
 * @cssprop [--svc-tb-muted=#647084] - Quiet text.
 * @cssprop [--svc-tb-border=#dfe4ee] - Edges and lines.
 * @cssprop [--svc-tb-radius=22px] - Corners.
 * @cssprop [--svc-tb-shadow=0 22px 64px rgba(16,24,40,.14)] - Shadow of card, full, drawer and floating button.
 */
export class SvcTrustBadgeElement extends AttributeElement {
  static readonly observedAttributes = attributes;

  declare tenant: string | null;
  declare apiBase: string | null;
  declare variant: Variant | null;
  declare theme: Theme | null;
  declare accent: string | null;
  declare radius: Radius | null;
  declare size: Size | null;
  declare position: Position | null;
  declare showFrameworks: boolean | string | null;
  declare showUpdated: boolean | string | null;
  declare showPoweredBy: boolean | string | null;
  declare locale: string | null;
  declare trustUrl: string | null;
  readonly #shadow = this.attachShadow({ mode: 'open' });
  #data: string | undefined;
  #trust: Trust | null | undefined;
  #observer: IntersectionObserver | undefined;

  constructor() {
    super();
    this.#shadow.adoptedStyleSheets = [sheet];
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
    this.#shadow.querySelector('dialog')?.close();
    this.#trust ??= undefined; // Retry after a failure when the badge is inserted again.
  }

  protected override update(): void {
    const source = locateTrust(this.tenant, this.apiBase);
    if (source?.data !== this.#data) this.#trust = undefined;
    this.#data = source?.data;
    render(source ? this.#renderBadge(source) : html`<slot></slot>`, this.#shadow);
    this.#observer?.disconnect();
    if (!source) return;
    const root = this.#shadow.firstElementChild as HTMLElement;
    root.style.setProperty('--_a', readColour('accent', this.accent)); // A style attribute would violate a strict policy.
    if (this.#trust !== undefined) return;
    if (!globalThis.IntersectionObserver) return void this.#load(source);
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void this.#load(source);
      },
      { rootMargin: '25%' },
    );
    this.#observer.observe(root);
  }

  #renderBadge({ page }: TrustSource): TemplateResult {
    const trust = this.#trust;
    const choose = <Name extends ChoiceName>(name: Name) => readChoice(name, this.getAttribute(name));
    const variant = choose('variant');
    const words = chooseWords(this, this.locale);
    const content: BadgeContent = {
      variant,
      trust,
      words,
      link: readAddress('trust-url', this.trustUrl) || page,
      shows: (what) => readFlag(`show-${what}`, this.getAttribute(`show-${what}`)),
    };
    const corner = choose('position').replace('-', ' ');
    const classes = `root ${variant} ${choose('theme')} r-${choose('radius')} s-${choose('size')} ${corner}`;
    // Without data, the site's own link has priority, but it cannot float. White space is not a link.
    const isOwn = !trust && variant !== 'floating' && this.firstElementChild;
    return html`
      <div
        class=${classes}
        part="root"
        lang=${words.lang}
        dir=${words.dir}
      >
        <slot ?hidden=${!isOwn} @slotchange=${() => this.requestUpdate()}></slot>
        ${renderVariant(content)}
      </div>
    `;
  }

  async #load(source: TrustSource): Promise<void> {
    const trust = await loadTrust(source);
    if (source.data !== this.#data || !this.isConnected) return;
    this.#trust = trust;
    this.requestUpdate();
  }
}

function renderVariant(content: BadgeContent): TemplateResult {
  const { variant } = content;
  if (variant === 'floating') return floatingView(content);
  return variant === 'card' || variant === 'full' ? panelView(content) : lineView(content);
}

defineProperties(SvcTrustBadgeElement, attributes);
