import { hash } from 'node:crypto';
import { canonicalize } from '../ledger/canonical.ts';
import type { Notice, NoticeChange, NoticeContent, NoticeVersion, PublicNotice } from '../types/api.ts';
import { readDomain } from './conditions.ts';
import { notFound } from './refusal.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

/** The consent notices of the tenant. */
export class Notices {
  readonly #world: World;
  /** Oldest first. */
  readonly #notices = new Map<string, Notice>();
  readonly #versions = new Map<string, readonly NoticeVersion[]>();

  constructor(world: World) {
    this.#world = world;
  }

  find(id: string | undefined): Notice | undefined {
    return this.#notices.get(id ?? '');
  }

  require(id: string | undefined): Notice {
    const notice = this.find(id);
    if (notice === undefined) throw notFound('consent notice');
    return notice;
  }

  /** Newest first. */
  versionsOf(id: string): readonly NoticeVersion[] {
    return this.#versions.get(id) ?? [];
  }

  /** The published notices that ask for a purpose. */
  askingFor(purpose: string): readonly Notice[] {
    return [...this.#notices.values()].filter(
      ({ id, status }) => status === 'published' && this.versionsOf(id)[0]?.purposes.some(({ key }) => key === purpose),
    );
  }

  countRecord(id: string): void {
    const notice = this.require(id);
    this.#notices.set(id, { ...notice, recordCount: notice.recordCount + 1 });
  }

  /** The operations on notices. */
  handlers(): Handlers {
    return {
      listConsentNotices: (call) => this.#list(call),
      createConsentNotice: (call: Call<NoticeContent>) => this.#create(call),
      editConsentNotice: (call: Call<NoticeChange>) => this.#edit(call),
      publishConsentNotice: (call) => this.#publish(call),
      archiveConsentNotice: (call) => this.#archive(call),
      listConsentNoticeVersions: ({ params }) => ({ items: this.versionsOf(this.require(params.id).id) }),
      getPublicConsentNotice: ({ params }) => this.#show(params.noticeId),
    };
  }

  #list({ query }: Call): object {
    const { status, search } = query;
    const domain = query.domain === undefined ? undefined : (readDomain(String(query.domain)) ?? query.domain);
    const wanted = foldText(String(search ?? ''));
    const matching = [...this.#notices.values()]
      .reverse()
      .filter(
        (notice) =>
          (status === undefined || notice.status === status) &&
          (domain === undefined || notice.domain === domain) &&
          foldText([notice.name, notice.controllerName, notice.domain].join('\n')).includes(wanted),
      );
    return pageOf(matching, ({ id }) => id, ['notices', status, domain, search], query);
  }

  #create(call: Call<NoticeContent>): Notice {
    const { now } = call;
    const none = { version: null, publishedAt: null, archivedAt: null } as const;
    const rest = { hasUnpublishedChanges: true, recordCount: 0, createdAt: now, updatedAt: now };
    const notice: Notice = { id: newId(), status: 'draft', ...contentOf(call.body), ...none, ...rest };
    return this.#save(call, notice, 'created', { contentHash: hashContent(notice) });
  }

  #edit(call: Call<NoticeChange>): Notice {
    const before = this.require(call.params.id);
    const given = Object.fromEntries(Object.entries(call.body).filter(([, value]) => value !== undefined));
    const changed = { ...before, ...given, updatedAt: call.now } as Notice;
    if (hashContent(changed) === hashContent(before)) return before;
    const hasUnpublishedChanges = hashContent(changed) !== this.versionsOf(before.id)[0]?.contentHash;
    const pick = (notice: Notice) =>
      Object.fromEntries(Object.keys(given).map((name) => [name, notice[name as 'name']]));
    const diff = { before: pick(before), after: pick(changed) };
    return this.#save(call, { ...changed, hasUnpublishedChanges }, 'edited', diff);
  }

  #publish(call: Call): Notice {
    const { now } = call;
    const before = this.require(call.params.id);
    if (before.status === 'published' && !before.hasUnpublishedChanges) return before;
    const contentHash = hashContent(before);
    let version = before.version ?? 0;
    if (before.hasUnpublishedChanges) {
      version += 1;
      const frozen = { version, ...contentOf(before), contentHash, publishedAt: now };
      this.#versions.set(before.id, [frozen, ...this.versionsOf(before.id)]);
    }
    const times = { publishedAt: now, archivedAt: null, updatedAt: now };
    const after: Notice = { ...before, status: 'published', version, hasUnpublishedChanges: false, ...times };
    const status = { before: before.status, after: 'published' };
    return this.#save(call, after, 'published', { version, contentHash, publishedAt: now, status });
  }

  #archive(call: Call): Notice {
    const before = this.require(call.params.id);
    if (before.status === 'archived') return before;
    const after: Notice = { ...before, status: 'archived', archivedAt: call.now, updatedAt: call.now };
    return this.#save(call, after, 'archived', { status: { before: before.status, after: 'archived' } });
  }

  #show(id: string | undefined): PublicNotice {
    const notice = this.find(id);
    const [latest] = this.versionsOf(notice?.id ?? '');
    if (notice?.status !== 'published' || latest === undefined) throw notFound('published consent notice');
    return { id: notice.id, ...contentOf(latest), version: latest.version };
  }

  #save(call: Call, notice: Notice, verb: string, diff: object): Notice {
    this.#notices.set(notice.id, notice);
    this.#world.record(call, {
      module: 'consent',
      action: `consent_notice.${verb}`,
      targetId: notice.id,
      targetRef: notice.name,
      diff: { ...diff, stateHash: stateHash(notice) },
    });
    if (verb === 'published' || verb === 'archived') {
      const { id: noticeId, name, domain, version, status } = notice;
      this.#world.emit(`consent_notice.${verb}`, { noticeId, name, domain, version, status }, call.now);
    }
    return notice;
  }
}

function contentOf({ name, controllerName, language, domain, purposes }: NoticeContent): NoticeContent {
  return { name, controllerName, language, domain, purposes };
}

function hashContent(content: NoticeContent): string {
  return hash('sha256', canonicalize(contentOf(content)));
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
