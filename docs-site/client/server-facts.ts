/** Facts that the server of these pages reports about itself; a static host reports none. */
export interface ServerFacts {
  /** The address that sites use. */
  readonly baseUrl: string;
  /** The demo tenant: its notice, the host that the notice belongs to, and its slug. */
  readonly demo: { readonly noticeId: string; readonly domain: string; readonly slug: string } | null;
}

let fetching: Promise<ServerFacts | null> | undefined;

/** Fetches them once; null on a static host. */
export function readServerFacts(): Promise<ServerFacts | null> {
  fetching ??= fetchFacts().catch(() => null);
  return fetching;
}

interface Answer {
  readonly server: (Omit<ServerFacts, 'baseUrl'> & { readonly baseUrl: string | null }) | null;
}

async function fetchFacts(): Promise<ServerFacts | null> {
  const root = new URL(document.documentElement.dataset.root ?? '', document.baseURI);
  const response = await fetch(new URL('live/server.json', root));
  if (!response.ok) return null;
  const { server } = (await response.json()) as Answer;
  // Without a public address, it is the address of this page, which is one level below it.
  return server && { ...server, baseUrl: server.baseUrl ?? new URL('..', root).href.replace(/\/$/, '') };
}
