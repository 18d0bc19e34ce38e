import MiniSearch from 'minisearch';
import { searchOptions } from '../site/search-options.ts';

/** A place that a search found. */
export interface Found {
  readonly title: string;
  readonly page: string;
  readonly place: string;
  readonly excerpt: string;
}

/** Results of a search, best first. */
export interface SearchResult {
  readonly found: readonly Found[];
  /** True if they contain every word; if none does, they contain some of the words. */
  readonly hasAll: boolean;
}

let loading: Promise<(words: string) => SearchResult> | undefined;

/** Loads the index once; after a failure the next search tries again. */
export function loadIndex(address: URL): Promise<(words: string) => SearchResult> {
  loading ??= fetchIndex(address).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchIndex(address: URL): Promise<(words: string) => SearchResult> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the index answered ${response.status}`);
  const index = MiniSearch.loadJSON(await response.text(), searchOptions);
  const search = (words: string, combineWith: 'AND' | 'OR') =>
    index.search(words, { combineWith }) as unknown as readonly Found[];
  return (words) => {
    const found = search(words, 'AND');
    return found.length > 0 ? { found, hasAll: true } : { found: search(words, 'OR'), hasAll: false };
  };
}
