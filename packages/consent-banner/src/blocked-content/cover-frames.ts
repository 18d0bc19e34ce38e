import { applyTheme, readDirection } from '../first-layer/elements.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { listNames } from '../panel/format.ts';
import { fillText, readMessages } from '../panel/messages.ts';
import { readNeeds } from './blocked-content.ts';
import { type PlaceholderContent, showPlaceholder } from './placeholder.ts';

/** Keeps placeholders over the blocked frames, images and videos of a page. */
export function coverFrames(page: ConsentPage): void {
  const covers = new FrameCovers(page);
  page.subscribe(() => covers.update());
}

class FrameCovers {
  readonly #page: ConsentPage;
  readonly #covers = new Map<HTMLElement, { readonly key: unknown; readonly remove: () => void }>();

  constructor(page: ConsentPage) {
    this.#page = page;
  }

  /** Covers exactly the frames that are blocked now, in the words and colors of now. */
  update(): void {
    const { frames, notice, isFailed } = this.#page.view;
    if (frames[0] && !notice && !isFailed) void this.#page.loadNotice();
    // A notice is one object as long as it is the same, and the words are part of it.
    for (const [frame, { key, remove }] of this.#covers) {
      if (frames.includes(frame) && key === notice) continue;
      remove();
      this.#covers.delete(frame);
    }
    for (const frame of frames) {
      if (this.#covers.has(frame)) continue;
      const content = this.#describe(frame);
      if (!content) continue;
      const remove = showPlaceholder(frame, content, (box) => applyTheme(box, this.#page.view));
      this.#covers.set(frame, { key: notice, remove });
    }
  }

  /** Nothing for a frame of an unknown purpose: no choice of the visitor would load it. */
  #describe(frame: HTMLElement): PlaceholderContent | undefined {
    const page = this.#page;
    const { notice, isFailed } = page.view;
    const messages = readMessages(notice);
    if (!notice) {
      if (!isFailed) return undefined;
      const press = (): void => void page.loadNotice();
      const actions = [{ name: 'try-again', text: messages.tryAgain, press }] as const;
      return { text: messages.loadFailed, actions, language: 'en', direction: 'ltr' };
    }
    const { language, purposes } = notice;
    const keys = readNeeds(frame);
    const labels = keys.flatMap((key) => purposes.find((purpose) => purpose.key === key)?.label ?? []);
    if (labels.length < keys.length) return undefined;
    return {
      text: fillText(messages.placeholder, { label: listNames(labels, messages) }),
      actions: [
        { name: 'show-once', text: messages.showOnce, press: () => page.showOnce(frame) },
        { name: 'preferences', text: messages.preferences, press: () => page.open(keys) },
      ],
      language,
      direction: readDirection(language),
    };
  }
}
