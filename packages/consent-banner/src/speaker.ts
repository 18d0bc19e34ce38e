import { loadWords, type SpokenWords } from './load-words.ts';

/** The words of the requested languages, each loaded once. */
export class Speaker {
  readonly #load: (language: string) => Promise<unknown>;
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #words = new Map<string, SpokenWords>();

  constructor(load: (language: string) => Promise<unknown>) {
    this.#load = load;
  }

  /** The words for a BCP 47 tag, or undefined while they load. */
  find(tag: string): SpokenWords | undefined {
    return this.#words.get(tag);
  }

  /** Loads the words for `find`. */
  async prepare(tag: string): Promise<void> {
    const loading = this.#loading.get(tag) ?? loadWords(tag, this.#load).then((words) => this.#words.set(tag, words));
    this.#loading.set(tag, loading);
    await loading;
  }
}
