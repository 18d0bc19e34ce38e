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

async function fetchFacts(): Promise<ServerFacts | null> {
  const response = await fetch(new URL(`${document.documentElement.dataset.root}live/server.json`, document.baseURI));
  return response.ok ? ((await response.json()) as { readonly server: ServerFacts | null }).server : null;
}
