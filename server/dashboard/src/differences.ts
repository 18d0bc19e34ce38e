import { diffWordsWithSpace } from 'diff';
import { html, type TemplateResult } from 'lit';
import { DashboardElement } from './element.ts';
import { pageWords } from './preferences.ts';

/** A part of a content, as text. */
export interface NamedText {
  readonly label: string;
  readonly text: string;
}

/** The parts of a content by names that stay. */
export type Texts = ReadonlyMap<string, NamedText>;

/** The differences between two contents, word by word. */
export class Differences extends DashboardElement {
  static override properties = { earlier: { attribute: false }, later: { attribute: false } };

  /** Empty where everything is new. */
  declare earlier: Texts;
  declare later: Texts;

  protected override render(): TemplateResult {
    const changes = compareTexts(this.earlier, this.later);
    if (changes.length === 0) return html`<p>${pageWords.noDifferences}</p>`;
    // Languages without spaces have words, too.
    const intlSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
    return html`<dl class="differences">
      ${changes.map(
        ({ label, before, after }) =>
          html`<div>
            <dt>${label}</dt>
            <dd dir="auto">
              ${diffWordsWithSpace(before, after, { intlSegmenter }).map(({ value, added, removed }) =>
                added ? html`<ins>${value}</ins>` : removed ? html`<del>${value}</del>` : value,
              )}
            </dd>
          </div>`,
      )}
    </dl>`;
  }
}

/** The parts in which two contents differ. */
function compareTexts(old: Texts, now: Texts) {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [one, other] = [old.get(name), now.get(name)];
    const change = { name, label: other?.label ?? one?.label, before: one?.text ?? '', after: other?.text ?? '' };
    return change.before === change.after ? [] : [change];
  });
}

customElements.define('svc-differences', Differences);
