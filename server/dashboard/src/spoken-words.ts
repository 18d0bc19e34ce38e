import type { Words } from '../../consent/words/en.ts';
import type { SpokenWords } from './notice-rules.ts';
import { notices } from './sdk.ts';

const loaded = new Map<string, Promise<SpokenWords>>();

/** What the banner says by default in a language; requested once. A failure is tried again by the next call. */
export function loadSpokenWords(tag: string): Promise<SpokenWords> {
  const known = loaded.get(tag);
  if (known !== undefined) return known;
  const requested = notices
    .retrieveWords({ language: tag })
    .then(({ language, texts }) => ({ language, words: texts as unknown as Words }));
  loaded.set(tag, requested);
  requested.catch(() => loaded.delete(tag));
  return requested;
}
