import { readHeld, readNeeds } from '../../held-content/held-content.ts';
import { queryAll } from '../../page/document.ts';
import type { FindingKind } from './finding.ts';
import { readForeignAddress, type Sighting } from './sighting.ts';

const kinds: Readonly<Record<string, FindingKind>> = {
  script: 'script',
  iframe: 'frame',
  img: 'image',
  link: 'link',
  embed: 'media',
  video: 'media',
  audio: 'media',
  source: 'media',
};
/** The links that make a browser ask. */
const ASKING = /\b(stylesheet|icon|manifest|(pre|modulepre)load|prefetch|preconnect|dns-prefetch)\b/;

/** The tags of other origins, also those that wait. Images count by their origin: a page may have hundreds. */
export function listTags(): readonly Sighting[] {
  const found = new Map<string, Sighting>();
  const tags = queryAll(`${Object.keys(kinds)}`);
  for (const tag of tags) {
    const sighting = lookAt(tag);
    if (!sighting) continue;
    const key = `${sighting.kind} ${sighting.isHeld} ${sighting.name}`;
    const before = found.get(key);
    found.set(key, { ...sighting, ...before, count: (before?.count ?? 0) + 1 });
  }
  return [...found.values()];
}

/** The attribute that has the address of a tag. */
export function nameAddress(tag: HTMLElement): 'href' | 'src' {
  return tag.localName === 'link' ? 'href' : 'src';
}

function lookAt(tag: HTMLElement): Sighting | undefined {
  const attribute = nameAddress(tag);
  const own = tag.getAttribute(attribute)?.replace(/^about:.*/, '');
  const isInert = tag.localName === 'script' && !/^$|javascript|^module$/.test(tag.getAttribute('type') ?? '');
  const loaded = isInert ? '' : own;
  const waiting = readHeld(tag, attribute) || (isInert && own);
  const isNamed = tag.hasAttribute('data-svc-purpose');
  const url = readForeignAddress(loaded || (isNamed && waiting) || '', tag.baseURI);
  const kind = kinds[tag.localName];
  if (!url || !kind || (kind === 'link' && !ASKING.test(tag.getAttribute('rel') ?? ''))) return;
  return {
    kind,
    name: kind === 'image' ? url.origin : url.origin + url.pathname,
    tag,
    // One that loads by itself is not held, whatever it names.
    purposes: isNamed && waiting ? readNeeds(tag) : [],
    isHeld: !loaded,
  };
}
