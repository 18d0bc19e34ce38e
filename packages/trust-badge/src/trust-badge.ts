import { html, render, type TemplateResult } from 'lit/html.js';
import { AttributeElement, defineProperties } from './attribute-element.ts';
import {
  attributes,
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
} from './attributes.ts';
import { chooseLocale, english, matchLocale } from './messages.ts';
import { sheet } from './styles.ts';
import { type Answer, loadTrust, locateTrust, type TrustSource } from './trust-api.ts';
import { badgeView } from './views.ts';

/**
 * Shows what a tenant has published in its trust center, and links to it. Without data it is a plain link
 * without a claim; if nothing is published, only what is inside it.
 *
 * @summary A trust badge in six variants.
 * @element svc-trust-badge
 *
 * @slot - A link to the trust center: it is the badge until there is data (but for floating), and without scripts.
 *
 * @csspart root - Outermost box of every variant.
 * @csspart card - Surface of every variant; of floating, that in the drawer.
 * @csspart mark - Shield.
 * @csspart name - Name of the tenant; only for screen readers in mini, and in compact and status with frameworks.
 * @csspart kicker - "Trust center"; in mini with frameworks only for screen readers.
 * @csspart live - When the data was updated.
 * @csspart chips - List of frameworks.
 * @csspart chip - One framework.
 * @csspart cta - Link "View trust center".
 * @csspart footer - Line at the bottom of card, full and drawer.
 * @csspart button - Every button: the one that opens the drawer and the one that closes it.
 * @csspart trigger - Button that opens the drawer.
 * @csspart float-button - What floats: the trigger, or a link while there is no data.
 * @csspart drawer - Popover of the floating variant.
 *
 * @cssprop [--svc-tb-accent=#C58A2A] - Shield.
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
  #source: TrustSource | undefined;
  #answer: Answer | undefined;
  /** The address that gave the answer. */
  #answered: string | undefined;
  #observer: IntersectionObserver | undefined;

  constructor() {
    super();
    this.#shadow.adoptedStyleSheets = [sheet];
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
    if (!this.#answer) this.#answer = this.#answered = undefined; // Retry after a failure when inserted again.
  }

  protected override update(): void {
    const locale = chooseLocale(this, this.locale);
    const source = locateTrust(this.tenant, this.apiBase, locale);
    // The current answer is shown until that in another language has arrived.
    if (source?.page !== this.#source?.page) this.#answer = this.#answered = undefined;
    this.#source = source;
    const isEmpty = !source || this.#answer === false;
    render(isEmpty ? html`<slot></slot>` : this.#renderBadge(source, locale), this.#shadow);
    this.#observer?.disconnect();
    if (isEmpty) return;
    const root = this.#shadow.firstElementChild as HTMLElement;
    root.style.setProperty('--_a', readColour('accent', this.accent)); // A style attribute would violate a strict policy.
    if (this.#answered === source.data) return;
    if (!globalThis.IntersectionObserver) return void this.#load(source);
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void this.#load(source);
      },
      { rootMargin: '25%' },
    );
    this.#observer.observe(root);
  }

  #renderBadge({ page }: TrustSource, locale: string): TemplateResult {
    const trust = this.#answer || undefined;
    const choose = <Name extends ChoiceName>(name: Name) => readChoice(name, this.getAttribute(name));
    const variant = choose('variant');
    const words = trust?.words ?? english;
    const lang = matchLocale(locale, words);
    const corner = choose('position').replace('-', ' ');
    const classes = `root ${variant} ${choose('theme')} r-${choose('radius')} s-${choose('size')} ${corner}`;
    // Without data, the site's own link has priority, but it cannot float. White space is not a link.
    const isOwn = !trust && variant !== 'floating' && this.firstElementChild;
    return html`
      <div
        class=${classes}
        part="root"
        lang=${lang}
        dir=${words.direction}
      >
        <slot ?hidden=${!isOwn} @slotchange=${() => this.requestUpdate()}></slot>
        ${badgeView({
          variant,
          trust,
          words,
          lang,
          link: readAddress('trust-url', this.trustUrl) || page,
          shows: (what) => readFlag(`show-${what}`, this.getAttribute(`show-${what}`)),
        })}
      </div>
    `;
  }

  async #load(source: TrustSource): Promise<void> {
    const answer = await loadTrust(source);
    if (source.data !== this.#source?.data || !this.isConnected) return;
    this.#answer = answer;
    this.#answered = source.data;
    this.requestUpdate();
  }
}

defineProperties(SvcTrustBadgeElement, attributes);

/**
 * Keeps keys in badges from the handlers of the page. These see the element as the target, which is no form control: shortcuts
 * would swallow Space, Enter and Escape. What the browser does with a key by itself still happens.
 */
export function shieldKeys(): void {
  // On the way down from the window, before the handlers of the document.
  for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, shield, true);
}

function shield(event: Event): void {
  // The window is no node. The site's own link in the slot is the page's.
  const root = (event.composedPath()[0] as Partial<Node>).getRootNode?.() as Partial<ShadowRoot> | undefined;
  if (root?.host?.localName === 'svc-trust-badge') event.stopImmediatePropagation();
}
