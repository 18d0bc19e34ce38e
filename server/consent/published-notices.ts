import { BriefCache, ByteCache } from '../storage/cache.ts';
import type { Queries } from '../storage/database.ts';
import type { NoticeVersion } from './notice.ts';
import { findState, findVersion } from './notice-store.ts';

/** Published versions by notice and number. A version never changes, so what was read once stays true. */
export class VersionCache {
  readonly #versions = new ByteCache<NoticeVersion>();

  async find(queries: Queries, noticeId: string, version: number): Promise<NoticeVersion | undefined> {
    const name = `${noticeId} ${version}`;
    const known = this.#versions.get(name);
    if (known !== undefined) return known;
    const found = await findVersion(queries, noticeId, version);
    if (found === undefined) return undefined;
    this.#versions.set(name, found, JSON.stringify(found).length);
    return found;
  }
}

/** The public form of a notice, ready to send. */
export interface PublicAnswer {
  /** Encoded once: a string would be encoded again for each answer. */
  readonly body: Buffer;
  readonly etag: string;
}

/** The public notices, kept for a second. */
export class PublicNotices {
  readonly #answers: BriefCache<PublicAnswer>;

  constructor(queries: Queries, versions: VersionCache, milliseconds?: () => number) {
    this.#answers = new BriefCache(async (noticeId) => {
      const value = await findAnswer(queries, versions, noticeId);
      return value && { value, length: value.body.length };
    }, milliseconds);
  }

  /** The public answer; undefined when the notice does not exist or is not published. */
  find(noticeId: string): Promise<PublicAnswer | undefined> {
    return this.#answers.find(noticeId);
  }

  /** Forgets a notice that was published or archived here. */
  forget(noticeId: string): void {
    this.#answers.forget(noticeId);
  }
}

async function findAnswer(
  queries: Queries,
  versions: VersionCache,
  noticeId: string,
): Promise<PublicAnswer | undefined> {
  const notice = await findState(queries, noticeId);
  if (notice?.status !== 'published') return undefined;
  const found = await versions.find(queries, noticeId, notice.version);
  if (found === undefined) return undefined;
  const { version, contentHash, publishedAt: _, ...content } = found;
  return {
    body: Buffer.from(JSON.stringify({ data: { id: noticeId, ...content, version } })),
    etag: `"${version}-${contentHash.slice(0, 16)}"`,
  };
}
