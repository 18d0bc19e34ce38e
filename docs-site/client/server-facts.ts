/** What the server under which these pages are served tells of itself; a static host knows nothing of it. */
export interface ServerFacts {
  /** The address that sites use. */
  readonly baseUrl: string;
  /** The demo tenant: its notice, the host that the notice belongs to, and its slug. */
  readonly demo: { readonly noticeId: string; readonly domain: string; readonly slug: string } | null;
}

let asking: Promise<ServerFacts | null> | undefined;

/** Asks once; null where no server of ours serves these pages. */
export function readServerFacts(): Promise<ServerFacts | null> {
  asking ??= fetchFacts().catch(() => null);
  return asking;
}

interface Answer {
  readonly server: (Omit<ServerFacts, 'baseUrl'> & { readonly baseUrl: string | null }) | null;
}

async function fetchFacts(): Promise<ServerFacts | null> {
  const root = new URL(document.documentElement.dataset.root ?? '', document.baseURI);
  const response = await fetch(new URL('live/server.json', root));
  if (!response.ok) return null;
  const { server } = (await response.json()) as Answer;
  // Where no public address is set it is the one that this page came from, which is one level below it.
  return server && { ...server, baseUrl: server.baseUrl ?? new URL('..', root).href.replace(/\/$/, '') };
}
