import { type Database, inTransaction } from '../storage/database.ts';
import { locksRows, type Queries } from '../storage/queries.ts';
import { hostOfOrigin, originMatches } from './recorder.ts';
import {
  countReads,
  mostRefusedHosts,
  type NoticeReads,
  type SeenHost,
  saveRefusals,
  saveSightings,
} from './statistics-store.ts';

type Hosts = Map<string, SeenHost>;
/** By notice and host: when a decision was last refused. */
type Refusals = Map<string, Map<string, string>>;
type Reads = Map<string, NoticeReads>;
/** A notice as pages have it. */
type SeenNotice = Pick<SeenHost, 'tenantId' | 'noticeId'> & { readonly domain: string };

/**
 * Where banners were seen, and how often their notices were read. Requests note it in memory, and it is written every few
 * seconds, so that neither a read nor a capture waits for it; a killed process loses what it had noted.
 */
export class BannerUsage {
  #hosts: Hosts = new Map();
  #refusals: Refusals = new Map();
  /** By notice and day. */
  #reads: Reads = new Map();
  /** The banner that each host loaded last, the latest at the end: pages do not say which one they have. */
  readonly #versions = new Map<string, string>();

  /** Notes which version of the banner a page loaded, for the next sighting of its host. */
  loaded(version: string, origin: string | undefined): void {
    const site = readSite(origin);
    if (site === null) return;
    const host = hostOf(site);
    this.#versions.delete(host);
    this.#versions.set(host, version);
    if (this.#versions.size <= mostNoted) return;
    const [oldest = ''] = this.#versions.keys();
    this.#versions.delete(oldest);
  }

  /** Notes that a page read a notice. @param origin `Origin` or `Referer`; a host outside of the domain is not kept. */
  seen(notice: SeenNotice, origin: string | undefined, now: string): void {
    const { tenantId, noticeId } = notice;
    const day = now.slice(0, 10);
    const read = this.#reads.get(`${noticeId} ${day}`);
    if (read !== undefined) read.count += 1;
    else if (this.#reads.size < mostNoted) this.#reads.set(`${noticeId} ${day}`, { tenantId, noticeId, day, count: 1 });
    const noted = this.#note(notice, origin);
    if (noted !== undefined) noted.readAt = now;
  }

  /** Notes that a page recorded a decision. */
  captured(notice: SeenNotice, origin: string | undefined, now: string): void {
    const noted = this.#note(notice, origin);
    if (noted !== undefined) noted.capturedAt = now;
  }

  /** Notes that a decision was refused, because the page is outside of the domain. A read by such a page loses nothing. */
  refused(noticeId: string, origin: string | undefined, now: string): void {
    const host = hostOfOrigin(origin);
    if (host !== undefined) this.#refuse(noticeId, host, now);
  }

  /** Writes what was noted; what arrives meanwhile, and what could not be written, is for the next time. */
  async write(database: Database): Promise<void> {
    const [hosts, reads, refusals] = [this.#hosts, this.#reads, this.#refusals];
    if (hosts.size + reads.size + refusals.size === 0) return;
    this.#hosts = new Map();
    this.#reads = new Map();
    this.#refusals = new Map();
    const isEach = locksRows(database.kysely);
    const save = async (queries: Queries) => {
      for (const [name, read] of reads) {
        await countReads(queries, read);
        if (isEach) reads.delete(name);
      }
      // Before what was seen: a host of both kinds belongs to the site since a publication.
      for (const [noticeId, refused] of refusals) {
        await saveRefusals(queries, noticeId, refused);
        if (isEach) refusals.delete(noticeId);
      }
      for (const ofNotice of Map.groupBy(hosts, ([, { noticeId }]) => noticeId).values()) {
        await saveSightings(
          queries,
          ofNotice.map(([, noted]) => noted),
        );
        if (isEach) for (const [name] of ofNotice) hosts.delete(name);
      }
    };
    try {
      // One transaction on SQLite, for one disk sync. On PostgreSQL one statement each: locking several rows could deadlock
      // with a capture.
      await (isEach ? save(database.kysely) : inTransaction(database, save));
    } catch (error) {
      this.#putBack(hosts, reads, refusals);
      throw error;
    }
  }

  #putBack(hosts: Hosts, reads: Reads, refusals: Refusals): void {
    for (const [noticeId, refused] of refusals)
      for (const [host, refusedAt] of refused)
        if (!this.#refusals.get(noticeId)?.has(host)) this.#refuse(noticeId, host, refusedAt);
    for (const [name, read] of reads) {
      const later = this.#reads.get(name);
      if (later !== undefined) later.count += read.count;
      else if (this.#reads.size < mostNoted) this.#reads.set(name, read);
    }
    for (const [name, noted] of hosts) {
      const later = this.#hosts.get(name);
      if (later !== undefined) {
        later.readAt ??= noted.readAt;
        later.capturedAt ??= noted.capturedAt;
        later.widgetVersion ??= noted.widgetVersion;
      } else if (this.#hosts.size < mostNoted) this.#hosts.set(name, noted);
    }
  }

  #refuse(noticeId: string, host: string, refusedAt: string): void {
    const refused = this.#refusals.get(noticeId) ?? new Map<string, string>();
    if (refused.has(host) || refused.size < mostRefusedHosts) refused.set(host, refusedAt);
    if (this.#refusals.size < mostNoted) this.#refusals.set(noticeId, refused);
  }

  #note({ tenantId, noticeId, domain }: SeenNotice, origin: string | undefined): SeenHost | undefined {
    const site = readSite(origin);
    if (site === null || !originMatches(site, domain)) return undefined;
    const host = hostOf(site);
    const name = `${noticeId} ${host}`;
    let noted = this.#hosts.get(name);
    if (noted === undefined && this.#hosts.size < mostNoted) {
      noted = { tenantId, noticeId, host, readAt: null, capturedAt: null, widgetVersion: null };
      this.#hosts.set(name, noted);
    }
    if (noted !== undefined) noted.widgetVersion = this.#versions.get(host) ?? noted.widgetVersion;
    return noted;
  }
}

/** Entries between two writes: anyone can make up hosts below a domain. */
const mostNoted = 5000;

/** The scheme, host and port of a page; null for any other text. */
function readSite(origin: string | undefined): string | null {
  // The length first: the header can be long.
  if (origin === undefined || origin.length > 2048) return null;
  return /^https?:\/\/[^/?#]{1,260}/.exec(origin)?.[0] ?? null;
}

const hostOf = (site: string) => site.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
