import { diffWordsWithSpace } from 'diff';
import { html, type TemplateResult } from 'lit';
import type { NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { DashboardElement } from './element.ts';
import { pageWords } from './preferences.ts';

/** What differs between two contents of a notice, word by word. */
export class Differences extends DashboardElement {
  static override properties = { earlier: { attribute: false }, later: { attribute: false } };

  /** Null for nothing: everything is new. */
  declare earlier: NoticeContent | null;
  declare later: NoticeContent;

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

/** A part of the content of a notice, as text. */
interface NoticeText {
  readonly label: string;
  readonly text: string;
}

/** The parts of a content by a name that stays: fields, each purpose, and the order of the purposes. */
function listTexts(content: NoticeContent): ReadonlyMap<string, NoticeText> {
  const { name, controllerName, language, domain, purposes } = content;
  const inOrder = purposes.map(({ key }) => key).join(', ');
  return new Map([
    ['name', { label: pageWords.name, text: name }],
    ['controllerName', { label: pageWords.controller, text: controllerName }],
    ['language', { label: pageWords.noticeLanguage, text: language }],
    ['domain', { label: pageWords.domain, text: domain }],
    ['order', { label: pageWords.purposes, text: inOrder }],
    ...purposes.map(({ key, label, description, required }) => {
      const text = [label, description, ...(required ? [pageWords.required] : [])].join('\n');
      return [`purposes.${key}`, { label: `${pageWords.purpose} ${key}`, text }] as const;
    }),
  ]);
}

/** The parts in which two contents differ. */
function compareTexts(before: NoticeContent | null, after: NoticeContent) {
  const old = before === null ? new Map<string, NoticeText>() : listTexts(before);
  const now = listTexts(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [one, other] = [old.get(name), now.get(name)];
    const change = { name, label: other?.label ?? one?.label, before: one?.text ?? '', after: other?.text ?? '' };
    return change.before === change.after ? [] : [change];
  });
}

customElements.define('svc-differences', Differences);
