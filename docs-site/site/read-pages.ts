import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFrontMatter } from './front-matter.ts';
import { addressOf } from './links.ts';
import { renderMarkdown } from './markdown.ts';
import { Mistake } from './mistake.ts';
import type { Page, Section } from './page.ts';
import type { Sources } from './sources.ts';

/** The folder of the Markdown pages. */
export const pagesFolder = join(import.meta.dirname, '../pages');

/** The sections in their order; the reference comes last. */
export function readSections(): readonly Section[] {
  const written: readonly Section[] = JSON.parse(readFileSync(join(pagesFolder, 'sections.json'), 'utf8'));
  const reference = {
    folder: 'reference',
    title: 'API reference',
    description: 'Every operation, schema and error code.',
  };
  return [...written, reference];
}

/** Reads every page, and returns the mistakes of all of them. */
export function readPages(sections: readonly Section[], sources: Sources) {
  const mistakes: Mistake[] = [];
  const pages = globSync('**/*.md', { cwd: pagesFolder })
    .sort()
    .flatMap((file): readonly Page[] => {
      try {
        return [readPage(file, sections, sources)];
      } catch (error) {
        if (!(error instanceof Mistake)) throw error;
        mistakes.push(error);
        return [];
      }
    });
  return { pages, mistakes };
}

function readPage(file: string, sections: readonly Section[], sources: Sources): Page {
  const { matter, body } = readFrontMatter(file, readFileSync(join(pagesFolder, file), 'utf8'));
  const address = addressOf(file);
  const [folder = ''] = address.split('/');
  const section = address === '' ? null : folder;
  if (section !== null && !sections.some((one) => one.folder === section))
    throw new Mistake(file, `there is no section ${section} in sections.json`);
  const content = renderMarkdown(body, { file, address, ...matter }, sources);
  return { ...matter, ...content, file, address, section, kind: address === '' ? 'home' : 'guide' };
}
