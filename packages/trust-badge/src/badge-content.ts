import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Variant } from './choices.ts';
import type { SpokenWords } from './choose-words.ts';
import { describeFreshness } from './freshness.ts';
import type { Trust } from './trust.ts';

export interface BadgeContent {
  readonly variant: Variant;
  /** Undefined while it is awaited, null when it cannot be had: then the badge is a plain link. */
  readonly trust: Trust | null | undefined;
  readonly words: SpokenWords;
  /** Where the links of the badge lead. */
  readonly link: string;
  /** What its `show-…` attributes say. */
  readonly shows: (what: 'frameworks' | 'updated' | 'powered-by') => boolean;
}

/** Whose trust center this is. Without data: that it is one, and where the link leads. */
export function titleView({ trust, words, link }: BadgeContent): TemplateResult {
  return html`
    <bdi class="quiet kicker" part="kicker">${trust ? words.kicker : new URL(link).host}</bdi>
    <bdi class="name" part="name" id="name">${trust ? trust.name : words.kicker}</bdi>
  `;
}

/** How old the data is, in words and by a dot; nothing while there is none. */
export function liveView({ trust, words, shows }: BadgeContent): TemplateResult | typeof nothing {
  if (!trust || !shows('updated')) return nothing;
  const { updatedAt } = trust;
  const { text, isFresh } = describeFreshness(updatedAt, Date.now(), words);
  return html`
    <time class="quiet live ${isFresh ? 'fresh' : ''}" part="live" datetime=${updatedAt}>${text}</time>
  `;
}
