import type { SpokenWords } from './load-words.ts';
import type { Notice } from './notice.ts';
import { showPlaceholder } from './placeholder-view.ts';
import { reportProblem } from './report-problem.ts';
import { readNeeds } from './stub/held-tags.ts';

export interface CoverOptions {
  readonly notice: Notice;
  readonly words: SpokenWords;
  readonly theme: string | null;
  /** The visitor wants these purposes, by key. */
  readonly allow: (keys: readonly string[]) => void;
}

/** The boxes over frames, images and videos that are held back, each as long as that is. */
export class FrameCovers {
  readonly #covers = new Map<HTMLElement, { readonly words: SpokenWords; readonly remove: () => void }>();

  /** Covers these frames and no others. */
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
