import { dirname, join } from 'node:path/posix';
import type { Reference } from '../reference/reference.ts';
import { Mistake } from './mistake.ts';
import { type InnerLink, relateAddress } from './page.ts';

/** A link of an author, resolved. */
export interface ResolvedLink {
  readonly href: string;
  /** The text of the link if the author wrote none. */
  readonly name: string;
  readonly inner: InnerLink | null;
}

/** Where the page of a Markdown file is: its path without `.md`, and a folder's index in the folder. */
export function addressOf(file: string): string {
  const path = file.replace(/\.md$/, '').replace(/(^|\/)index$/, '');
  return path === '' ? '' : `${path.replace(/\/$/, '')}/`;
}

/**
 * Resolves a link of a page.
 * @param file the page's path below the folder of pages.
 * @throws {Mistake} for an unknown kind of link.
 */
export function resolveLink(target: string, file: string, from: string, reference: Reference): ResolvedLink {
  const [, scheme, name = ''] = /^(operation|schema|error|tag):(.+)$/.exec(target) ?? [];
  if (scheme !== undefined) {
    const inner = reference.locate(scheme, name);
    if (inner === null) throw new Mistake(file, `there is no ${scheme} ${name}`);
    return linkTo(from, inner, name);
  }
  // The reader's own server, which a page has just described how to start.
  if (/^(https:\/\/|http:\/\/localhost:8787(\/|$))/.test(target)) return { href: target, name: target, inner: null };
  const [path = '', anchor = ''] = target.split('#');
  if (path === '') return { href: target, name: anchor, inner: { address: from, anchor } };
  if (/^[a-z]+:/i.test(path) || path.startsWith('/')) throw new Mistake(file, `a link cannot lead to ${target}`);
  if (!path.endsWith('.md')) throw new Mistake(file, `a link names the Markdown file of a page, not ${target}`);
  return linkTo(from, { address: addressOf(join(dirname(file), path)), anchor }, anchor || path);
}

/** Writes a link to a place of the site. */
function linkTo(from: string, inner: InnerLink, name: string): ResolvedLink {
  const hash = inner.anchor === '' ? '' : `#${inner.anchor}`;
  return { href: (inner.address === from && hash) || relateAddress(from, inner.address) + hash, name, inner };
}
