import type { SpokenWords } from './load-words.ts';
import type { Notice } from './notice.ts';
import { showPlaceholder } from './placeholder-view.ts';
import { reportProblem } from './report-problem.ts';
import { readNeeds } from './stub/held-tags.ts';

export interface CoverOptions {
  readonly notice: Notice;
  readonly words: SpokenWords;
  readonly theme: string | null;
  /** Called with the keys of the purposes that the visitor wants to allow. */
  readonly allow: (keys: readonly string[]) => void;
}

/** The placeholders over blocked frames, images and videos. */
export class FrameCovers {
  readonly #covers = new Map<HTMLElement, { readonly words: SpokenWords; readonly remove: () => void }>();

  /** Covers exactly these frames. */
  cover(frames: readonly HTMLElement[], options: CoverOptions): void {
    for (const [frame, { words, remove }] of this.#covers) {
      if (frames.includes(frame) && words === options.words) continue;
      remove();
      this.#covers.delete(frame);
    }
    for (const frame of frames) {
      if (!this.#covers.has(frame)) this.#add(frame, options);
    }
  }

  #add(frame: HTMLElement, { notice, words, theme, allow }: CoverOptions): void {
    const keys = readNeeds(frame);
    const purposes = keys.map((key) => notice.purposes.find((purpose) => purpose.key === key));
    const labels = purposes.flatMap((purpose) => purpose?.label ?? []);
    if (labels.length < keys.length) {
      reportProblem(
        `data-svc-purpose="${keys.join(' ')}" names what is no purpose of the notice. It is held back for ever.`,
      );
      return;
    }
    const remove = showPlaceholder({ frame, labels, words, theme, allow: () => allow(keys) });
    this.#covers.set(frame, { words, remove });
  }
}
