import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Variant } from './choices.ts';
import type { SpokenWords } from './choose-words.ts';
import { describeFreshness } from './freshness.ts';
import type { Trust } from './trust.ts';

export interface BadgeContent {
  readonly variant: Variant;
  /** Undefined while loading, null if unavailable: then the badge is a plain link. */
  readonly trust: Trust | null | undefined;
  readonly words: SpokenWords;
  /** The target of the badge's links. */
  readonly link: string;
  /** The values of the `show-…` attributes. */
  readonly shows: (what: 'frameworks' | 'updated' | 'powered-by') => boolean;
}

/** The tenant's name, or without data the words "Trust center" and the host of the link. */
export function titleView({ trust, words, link }: BadgeContent): TemplateResult {
  return html`
    <bdi class="quiet kicker" part="kicker">${trust ? words.kicker : new URL(link).host}</bdi>
    <bdi class="name" part="name" id="name">${trust ? trust.name : words.kicker}</bdi>
  `;
}

/** The age of the data, in words and by a dot; nothing without data. */
export function liveView({ trust, words, shows }: BadgeContent): TemplateResult | typeof nothing {
  if (!trust || !shows('updated')) return nothing;
  const { updatedAt } = trust;
  const { text, isFresh } = describeFreshness(updatedAt, Date.now(), words);
  return html`
    <time class="quiet live ${isFresh ? 'fresh' : ''}" part="live" datetime=${updatedAt}>${text}</time>
  `;
}
