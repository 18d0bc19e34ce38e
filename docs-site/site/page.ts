import type { FrontMatter } from './front-matter.ts';

/** A part of the site: a folder of pages. */
export interface Section {
  readonly folder: string;
  readonly title: string;
  readonly description: string;
}

/** A heading of a page, as the table of contents and the search know it. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A link from a page to a place of the site, to be checked when every page is there. */
export interface InnerLink {
  /** The address of the page, as in `Page.address`. */
  readonly address: string;
  /** The anchor there; empty for its top. */
  readonly anchor: string;
}

/** Item of the search index: a page, or a part of one. */
export interface SearchEntry {
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
  /** Further words to find it by, such as a path. */
  readonly words?: string;
  /** Code to find it by, which ranks lower. */
  readonly code?: string;
}

/** A page whose content is made, without what is around it. */
export interface Page extends FrontMatter {
  /** The file it was made from, for messages. */
  readonly file: string;
  /** Where it is below the root of the site: empty for the home page, else with a slash at its end. */
  readonly address: string;
  /** The folder of its section; null for pages outside of the navigation. */
  readonly section: string | null;
  /** HTML. */
  readonly content: string;
  readonly headings: readonly Heading[];
  readonly links: readonly InnerLink[];
  readonly outerLinks: readonly string[];
  readonly entries: readonly SearchEntry[];
  /** The look of the page. */
  readonly kind: 'home' | 'guide' | 'reference' | 'plain';
  /** Scripts and styles that it needs beside those of every page, by their entry. */
  readonly extras: readonly string[];
  /** The widgets whose scripts are in its head. */
  readonly widgets: readonly string[];
}

/** Writes a link from a page to a place of the site, so that it works wherever the site is. */
export function relateAddress(from: string, to: string): string {
  const depth = from.split('/').length - 1;
  return '../'.repeat(depth) + to || './';
}
