import MiniSearch from 'minisearch';
import { searchOptions } from '../site/search-options.ts';

/** A place that a search found. */
export interface Found {
  readonly title: string;
  readonly page: string;
  readonly place: string;
  readonly excerpt: string;
}

let loading: Promise<(words: string) => readonly Found[]> | undefined;

/** Loads the index once; after a failure the next search tries again. */
export function loadIndex(address: URL): Promise<(words: string) => readonly Found[]> {
  loading ??= fetchIndex(address).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchIndex(address: URL): Promise<(words: string) => readonly Found[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the index answered ${response.status}`);
  const index = MiniSearch.loadJSON(await response.text(), searchOptions);
  return (words) => index.search(words) as unknown as readonly Found[];
}
