import MiniSearch from 'minisearch';
import type { Navigation } from './navigation.ts';
import { searchOptions } from './search-options.ts';

/** Makes the index of the search: every part of every page. @returns JSON, the same for the same pages. */
export function writeSearchIndex({ groups }: Navigation): string {
  const index = new MiniSearch(searchOptions);
  const documents = groups.flatMap(({ title: section, pages }) =>
    pages.flatMap((page) =>
      page.entries.map(({ anchor, title, text, words, code }) => ({
        page: anchor === '' ? section : `${section} › ${page.title}`,
        place: page.address + (anchor === '' ? '' : `#${anchor}`),
        title,
        text,
        words: words ?? '',
        code: code ?? '',
        excerpt: shorten(text),
      })),
    ),
  );
  index.addAll(documents.map((document, id) => ({ id, ...document })));
  return JSON.stringify(index);
}

const excerptLength = 120;

function shorten(text: string): string {
  const plain = text.replace(/[`*]/g, '').replace(/\s+/g, ' ').trim();
  return plain.length <= excerptLength ? plain : `${plain.slice(0, excerptLength).replace(/\s+\S*$/, '')} …`;
}
