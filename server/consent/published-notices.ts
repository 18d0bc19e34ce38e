import type { Queries } from '../storage/database.ts';
import { ByteCache } from './byte-cache.ts';
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
  readonly body: string;
  readonly etag: string;
}

/**
 * The public notices, kept for a second: a page with many visitors costs one look per second, and another server on
 * the same database is never more than that second behind.
 */
export class PublicNotices {
  readonly #queries: Queries;
  readonly #versions: VersionCache;
  readonly #milliseconds: () => number;
  readonly #answers = new ByteCache<{ readonly answer: PublicAnswer; readonly until: number }>();

  constructor(
    queries: Queries,
    versions: VersionCache,
    milliseconds: () => number = performance.now.bind(performance),
  ) {
    this.#queries = queries;
    this.#versions = versions;
    this.#milliseconds = milliseconds;
  }

  /** The public answer; undefined when the notice does not exist or is not published. */
  async find(noticeId: string): Promise<PublicAnswer | undefined> {
    const now = this.#milliseconds();
    const known = this.#answers.get(noticeId);
    if (known !== undefined && now < known.until) return known.answer;
    this.#answers.delete(noticeId);
    const notice = await findState(this.#queries, noticeId);
    if (notice?.status !== 'published') return undefined;
    const found = await this.#versions.find(this.#queries, noticeId, notice.version);
    if (found === undefined) return undefined;
    const { version, contentHash, publishedAt: _, ...content } = found;
    const answer = {
      body: JSON.stringify({ data: { id: noticeId, ...content, version } }),
      etag: `"${version}-${contentHash.slice(0, 16)}"`,
    };
    this.#answers.set(noticeId, { answer, until: now + lifeMilliseconds }, answer.body.length);
    return answer;
  }

  /** Forgets a notice that was published or archived here. */
  forget(noticeId: string): void {
    this.#answers.delete(noticeId);
  }
}

const lifeMilliseconds = 1000;
