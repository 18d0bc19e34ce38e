import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFenceInfo } from '../site/fences.ts';
import { readFrontMatter } from '../site/front-matter.ts';
import { createMarkdown } from '../site/markdown.ts';
import { pagesFolder } from '../site/read-pages.ts';

/** A fence of a page: what a test runs. */
export interface PageBlock {
  readonly language: string;
  readonly code: string;
  readonly isRun: boolean;
  /** Where it begins in its file, for messages. */
  readonly line: number;
}

/** A page with its fences, in their order. */
export interface PageBlocks {
  /** The path below the folder of pages, without `.md`. */
  readonly page: string;
  readonly blocks: readonly PageBlock[];
}

/** Reads the fences of every page, or of the one that SVC_DOCS_PAGE names. */
export function readAllBlocks(): readonly PageBlocks[] {
  const wanted = process.env.SVC_DOCS_PAGE;
  return globSync('**/*.md', { cwd: pagesFolder })
    .sort()
    .map((file) => file.replace(/\.md$/, ''))
    .filter((page) => wanted === undefined || page === wanted)
    .map((page) => ({ page, blocks: readBlocks(`${page}.md`, readFileSync(join(pagesFolder, `${page}.md`), 'utf8')) }));
}

/** Reads the fences of a page. */
export function readBlocks(file: string, source: string): readonly PageBlock[] {
  const { body } = readFrontMatter(file, source);
  const before = source.slice(0, source.length - body.length).split('\n').length;
  return createMarkdown()
    .parse(body, { file })
    .filter(({ type }) => type === 'fence')
    .map(({ info, content, map }) => {
      const { language, isRun } = readFenceInfo(info, file);
      return { language, isRun, code: content, line: before + (map?.[0] ?? 0) };
    });
}
