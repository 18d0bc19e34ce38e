import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Variant } from './attributes.ts';
import { describeAge, type Messages } from './messages.ts';
import type { Trust } from './trust-api.ts';

export interface BadgeContent {
  readonly variant: Variant;
  /** Undefined while loading or if unavailable: then the badge is a plain link. */
  readonly trust: Trust | undefined;
  readonly words: Messages;
  /** The language tag of the messages and dates. */
  readonly lang: string;
  /** The target of the badge's links. */
  readonly link: string;
  /** The values of the `show-…` attributes. */
  readonly shows: (what: 'frameworks' | 'updated' | 'powered-by') => boolean;
}

type View = TemplateResult | typeof nothing;

export function badgeView(content: BadgeContent): TemplateResult {
  const { variant } = content;
  if (variant === 'floating') return floatingView(content);
  return variant === 'card' || variant === 'full' ? panelView(content) : lineView(content);
}

/**
 * The single-line variants, one link each: mini, compact and status. They say "Trust center" and the first frameworks, or
 * the name if there are none; mini has room for one of the first two. What is not seen is read to screen readers.
 */
function lineView(content: BadgeContent): TemplateResult {
  const { variant, words, link } = content;
  const names = listFrameworks(content);
  const isMini = variant === 'mini';
  return html`
    <a class="face line" part="card" href=${link}>
      ${markView(content)}
      <div class="text">
        <span class="name ${isMini && names.length ? 'unseen' : ''}" part="kicker">${words.trustCenter}</span>
        ${chipsView(names, 2)}
        <bdi class="quiet ${isMini || names.length ? 'unseen' : ''}" part="name">${nameOwner(content)}</bdi>
        ${isMini ? nothing : liveView(content)}
      </div>
    </a>
  `;
}

/** The tenant's name, or without data the host of the link. */
function nameOwner({ trust, link }: BadgeContent): string {
  return trust ? trust.name : new URL(link).host;
}

/** The age of the data; nothing without data. */
function liveView({ trust, words, lang, shows }: BadgeContent): View {
  if (!trust || !shows('updated')) return nothing;
  const { updatedAt } = trust;
  return html`
    <time class="quiet live" part="live" datetime=${updatedAt}>${describeAge(updatedAt, Date.now(), lang, words)}</time>
  `;
}

/** The large variants: card, full, and the content of the drawer. */
function panelView(content: BadgeContent): TemplateResult {
  const { variant, words, link, shows } = content;
  const names = listFrameworks(content);
  const room = variant === 'card' ? 4 : 12;
  const closeButton = html`
    <button part="button" aria-label=${words.close} popovertarget="drawer">
      <svg viewBox="2 2 20 20" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>
    </button>
  `;
  const footer = html`
    <div class="foot" part="footer">
      ${liveView(content)} ${shows('powered-by') ? html`<span class="quiet">${words.poweredBy}</span>` : nothing}
    </div>
  `;
  return html`
    <div class="face panel" part="card" role="group" aria-labelledby="name">
      ${markView(content)}
      <div class="text">
        <span class="quiet" part="kicker">${words.trustCenter}</span>
        <bdi class="name" part="name" id="name">${nameOwner(content)}</bdi>
      </div>
      ${variant === 'floating' ? closeButton : nothing}
      ${shows('frameworks') ? html`<div class="shelf">${chipsView(names, names.length > room ? room - 1 : room)}</div>` : nothing}
      <a class="cta" part="cta" href=${link}>${words.view}</a>
      ${shows('updated') || shows('powered-by') ? footer : nothing}
    </div>
  `;
}

/** The first frameworks, and how many more there are. */
function chipsView(names: readonly string[], room: number): View {
  const rest = names.length - room;
  if (!names.length) return nothing;
  return html`
    <ul part="chips">
      ${names.slice(0, room).map((name) => html`<li part="chip"><bdi>${name}</bdi></li>`)}
      ${rest > 0 ? html`<li part="chip">+${rest}</li>` : nothing}
    </ul>
  `;
}

/** The frameworks to show. */
function listFrameworks({ trust, shows }: BadgeContent): readonly string[] {
  return (shows('frameworks') && trust?.achievedFrameworks) || [];
}

/** A button in a corner that opens a drawer; without data, a link. */
function floatingView(content: BadgeContent): TemplateResult {
  const { trust, words, link } = content;
  const face = html`${markView(content)}<span>${words.trustCenter}</span>`;
  if (!trust) return html`<a class="face float" part="float-button" href=${link}>${face}</a>`;
  return html`
    <button class="face float" part="button trigger float-button" aria-haspopup="dialog" popovertarget="drawer">
      ${face}
    </button>
    <div id="drawer" popover part="drawer" role="dialog" aria-labelledby="name" @beforetoggle=${moveFocus}>
      ${panelView(content)}
    </div>
  `;
}

/**
 * The focus goes to the button in the drawer, and back. In the markup, `autofocus` would ask for the focus of the page;
 * out of a popover in a shadow tree, Chromium 156 returns no focus.
 */
function moveFocus({ target }: Event): void {
  const drawer = target as HTMLElement;
  if (drawer.matches(':focus-within')) (drawer.previousElementSibling as HTMLElement).focus();
  else drawer.querySelector('button')?.setAttribute('autofocus', '');
}

/** The icon beside the name: a shield, with a check mark only if a framework is achieved. */
function markView({ trust }: BadgeContent): TemplateResult {
  const isSure = trust?.achievedFrameworks.length;
  return html`
    <svg class="mark ${isSure ? 'sure' : ''}" part="mark" viewBox="2 2 20 20" aria-hidden="true">
      <path d="M12 3l7.5 2.8v5.7c0 4.6-3.1 7.9-7.5 9.5-4.4-1.6-7.5-4.9-7.5-9.5V5.8z" />
      <path d="${isSure ? 'M8.5 12l2.5 2.5 4.5-5' : ''}" />
    </svg>
  `;
}
