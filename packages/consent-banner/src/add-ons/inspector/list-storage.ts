import { attempt } from '../../page/browser.ts';
import type { Sighting } from './sighting.ts';

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

/** What the browser forbids, or does not know, gives nothing. */
async function ask<T>(look: () => Promise<readonly T[]> | undefined): Promise<readonly T[]> {
  try {
    return (await look()) ?? [];
  } catch {
    return [];
  }
}
