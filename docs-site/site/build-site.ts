import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeReferencePages } from '../reference/reference-pages.ts';
import { bundleAssets } from './bundle.ts';
import { checkAnchors, checkLinks } from './check-links.ts';
import { writeHeadingsPage, writeMissingPage } from './headings-page.ts';
import { type Surroundings, writeDocument } from './layout.ts';
import { writeLiveNotice } from './live-notice.ts';
import { monitoringFiles } from './metrics-table.ts';
import type { Mistake } from './mistake.ts';
import { orderPages } from './navigation.ts';
import type { Page } from './page.ts';
import { pagePolicy } from './policy.ts';
import { readPages, readSections } from './read-pages.ts';
import { writeSearchIndex } from './search-index.ts';
import { readSources, type Sources } from './sources.ts';

/** The whole site, in memory. */
export interface Site {
  readonly pages: readonly Page[];
  /** Every file by its path below the root. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly mistakes: readonly Mistake[];
}

/** Builds the site. The same sources give the same bytes. */
export async function buildSite(): Promise<Site> {
  const sources = readSources();
  const sections = readSections();
  const bundle = await bundleAssets();
  const written = readPages(sections, sources);
  const inner = [...written.pages, ...writeReferencePages(sources.reference)];
  const navigation = orderPages(sections, inner);
  const pages = [...inner, writeHeadingsPage(navigation)];
  const index = writeSearchIndex(navigation);
  const indexFile = `assets/search-${hash('sha256', index).slice(0, 8)}.json`;
  const surroundings: Surroundings = {
    navigation,
    assets: { ...bundle.assets, search: indexFile },
    widgets: sources.widgets,
    policy: pagePolicy,
  };
  const files = new Map<string, string | Uint8Array>([
    ...bundle.files,
    ...pages.map((page) => [`${page.address}index.html`, writeDocument(page, surroundings)] as const),
    ['404.html', writeDocument(writeMissingPage(), surroundings)],
    [indexFile, index],
    ['icon.svg', readFileSync(join(import.meta.dirname, '../styles/icon.svg'))],
    ['reference/openapi.json', sources.document],
    ...Object.keys(monitoringFiles).map((path) => [path, readFileSync(join(import.meta.dirname, '..', path))] as const),
    // A server with a demo tenant responds with more.
    ['live/server.json', '{"server":null}\n'],
    ...(await writeLiveNotice()),
    ...readWidgetFiles(sources),
  ]);
  const mistakes = [...written.mistakes, ...checkLinks(pages), ...checkAnchors(pages)];
  return { pages, files, mistakes };
}

function readWidgetFiles({ widgets }: Sources): readonly (readonly [string, Uint8Array])[] {
  return widgets.flatMap(({ name, version, folder, files }) =>
    files.map((file) => [`live/${name}/${version}/${file}`, readFileSync(join(folder, file))] as const),
  );
}
