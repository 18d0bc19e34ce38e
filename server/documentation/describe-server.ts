import { listNotices } from '../consent/notice-store.ts';
import type { Installation } from '../installation/installation.ts';
import { findTenant } from '../tenants/store.ts';

/** What the live pages want to know of this server: all of it stands on its demo page too. */
export interface ServerFacts {
  /** Its public address; null where none is set, and the pages take the one that they came from. */
  readonly baseUrl: string | null;
  readonly demo: { readonly noticeId: string; readonly domain: string; readonly slug: string } | null;
}

/** Anybody may ask, as often as they like: the database is asked once in this time. */
const keptMilliseconds = 10_000;

/** Makes what reads the facts, and keeps them for a moment. */
export function describeServer({
  clock,
  database,
  settings,
}: Pick<Installation, 'clock' | 'database' | 'settings'>): () => Promise<ServerFacts> {
  let kept: { readonly at: number; readonly facts: Promise<ServerFacts> } | undefined;
  return async () => {
    const at = Date.parse(clock());
    if (kept !== undefined && Math.abs(at - kept.at) < keptMilliseconds) return kept.facts;
    const facts = readDemo(database).then((demo) => ({ baseUrl: settings.baseUrl, demo }));
    const asked = { at, facts };
    kept = asked;
    try {
      return await facts;
    } catch (error) {
      // A failure is not kept: the next one asks again.
      if (kept === asked) kept = undefined;
      throw error;
    }
  };
}

async function readDemo({ kysely }: Installation['database']): Promise<ServerFacts['demo']> {
  const tenant = await findTenant(kysely, 'demo');
  if (tenant === undefined) return null;
  const { rows: notices } = await listNotices(kysely, tenant.id, { status: 'published' }, null, 100);
  const notice = notices.at(-1);
  return notice === undefined ? null : { noticeId: notice.id, domain: notice.domain, slug: tenant.slug };
}
