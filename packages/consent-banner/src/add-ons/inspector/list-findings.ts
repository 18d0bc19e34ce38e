import { readBlocked, readNeeds } from '../../blocked-content/blocked-content.ts';
import { attempt } from '../../page/browser.ts';
import { queryAll } from '../../page/document.ts';
import { type FindingKind, readForeignAddress, type Sighting } from './report.ts';

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
    const key = `${sighting.kind} ${sighting.isBlocked} ${sighting.name}`;
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
  const waiting = readBlocked(tag, attribute) || (isInert && own);
  const isNamed = tag.hasAttribute('data-svc-purpose');
  const url = readForeignAddress(loaded || (isNamed && waiting) || '', tag.baseURI);
  const kind = kinds[tag.localName];
  if (!url || !kind || (kind === 'link' && !ASKING.test(tag.getAttribute('rel') ?? ''))) return;
  return {
    kind,
    name: kind === 'image' ? url.origin : url.origin + url.pathname,
    tag,
    // One that loads by itself is not blocked, whatever it names.
    purposes: isNamed && waiting ? readNeeds(tag) : [],
    isBlocked: !loaded,
  };
}

/** The requests to other origins, by origin and by what asked. */
export function listRequests(entries: Iterable<PerformanceEntry>): readonly Sighting[] {
  const requests = new Map<string, Sighting & { readonly at: number; readonly count: number }>();
  for (const { name, startTime, initiatorType } of entries as Iterable<PerformanceResourceTiming>) {
    const url = readForeignAddress(name, location.href);
    if (!url) continue;
    const key = `${initiatorType} ${url.origin}`;
    const { at, count } = requests.get(key) ?? { at: startTime, count: 0 };
    const first = Math.min(at, startTime);
    requests.set(key, { kind: 'request', name: url.origin, initiator: initiatorType, at: first, count: count + 1 });
  }
  return [...requests.values()];
}

interface CookieStore extends EventTarget {
  getAll(): Promise<readonly { readonly name?: string }[]>;
}

/** The browser's own list of cookies, which is not in every browser nor on plain http. */
export function findCookieStore(): CookieStore | undefined {
  return (window as { cookieStore?: CookieStore }).cookieStore;
}

/** The names of everything that the page keeps in the browser and can see. What is forbidden to look at is not there. */
export async function listStorage(): Promise<readonly Sighting[]> {
  const lists = await Promise.all([listCookies(), listDatabases(), listCaches(), listWorkers()]);
  return [
    ...lists.flat(),
    ...listKeys('local-storage', () => localStorage),
    ...listKeys('session-storage', () => sessionStorage),
  ];
}

/** The cookie names, by the getter of `Document`: an image of the name `cookie` would shadow the property. */
export function readCookies(): readonly string[] {
  const text = attempt(() => Reflect.get(Document.prototype, 'cookie', document) as string);
  return text ? text.split('; ').map(nameCookie) : [];
}

/** The name of a cookie as it is written or read; a cookie without a name consists of its value, which is never reported. */
export function nameCookie(cookie: string): string {
  return /^([^=;]*)=/.exec(cookie)?.[1]?.trim() ?? '';
}

async function listCookies(): Promise<readonly Sighting[]> {
  const listed = await ask(() => findCookieStore()?.getAll());
  return [...new Set([...readCookies(), ...listed.map(({ name = '' }) => name)])].map((name) => ({
    kind: 'cookie',
    name,
  }));
}

function listKeys(kind: 'local-storage' | 'session-storage', read: () => Storage): readonly Sighting[] {
  const names = attempt(() => Object.keys(read())) ?? [];
  return names.map((name) => ({ kind, name }));
}

async function listDatabases(): Promise<readonly Sighting[]> {
  return (await ask(() => indexedDB.databases())).map(({ name = '' }) => ({ kind: 'database', name }));
}

async function listCaches(): Promise<readonly Sighting[]> {
  return (await ask(() => caches.keys())).map((name) => ({ kind: 'cache', name }));
}

async function listWorkers(): Promise<readonly Sighting[]> {
  const workers = await ask(() => navigator.serviceWorker.getRegistrations());
  return workers.map(({ active, waiting, installing, scope }) => {
    const { origin, pathname } = new URL((active ?? waiting ?? installing)?.scriptURL ?? scope);
    return { kind: 'service-worker', name: origin + pathname };
  });
}

/** Returns the result of a browser API; an empty list if the browser forbids it, or does not know it. */
async function ask<T>(look: () => Promise<readonly T[]> | undefined): Promise<readonly T[]> {
  try {
    return (await look()) ?? [];
  } catch {
    return [];
  }
}
