import { hash } from 'node:crypto';
import { z } from 'zod';
import { requireTenant } from '../../accounts/tenants/store.ts';
import type { Tenant } from '../../accounts/tenants/tenant.ts';
import { Language } from '../../consent/language.ts';
import { answerWith, ReadyAnswer } from '../../http/answer.ts';
import { requireFound } from '../../http/problem.ts';
import { readOwnAddress } from '../../http/request.ts';
import { defineRoute, type PrincipalCall, type Route } from '../../http/route.ts';
import type { Installation } from '../../installation/installation.ts';
import type { Transaction } from '../../storage/database.ts';
import { chooseBadgeWords } from './badge-words.ts';
import {
  findTrustCenter,
  type PublishedTrust,
  readContent,
  readDraft,
  replaceTrustCenter,
  saveDraft,
  type TrustCenterRow,
  tagTrust,
} from './store.ts';
import {
  listAchievements,
  TrustCenterInput,
  TrustCenterView,
  TrustDraftInput,
  TrustWidget,
  trustPath,
} from './trust-center.ts';

const common = { tag: 'Trust center', headers: ['ETag'], result: TrustCenterView } as const;
const writing = { ...common, scope: 'trust:write', hasPrecondition: true, errors: ['trust_center_changed'] } as const;

/** The operations on the trust center of the caller's tenant, and the data of the badge. */
export function trustRoutes(
  { database, settings: { baseUrl } }: Installation,
  publishedTrust: PublishedTrust,
): readonly Route[] {
  /** @throws {Problem} `validation_failed` for an invalid Host. */
  const view = ({ client }: PrincipalCall, { slug, name }: Tenant, row: TrustCenterRow | undefined) => {
    const publishedAt = row?.published_at ?? null;
    const url = readOwnAddress(baseUrl, client) + trustPath(slug);
    const published = publishedAt !== null;
    const updatedAt = row?.updated_at ?? null;
    const result = { slug, name, url, published, ...readContent(row), publishedAt, updatedAt, draft: readDraft(row) };
    return answerWith(result, { ETag: tagTrust(row) });
  };
  const changeDraft = async (call: PrincipalCall, tx: Transaction, draft: TrustDraftInput | null) => {
    const tenant = await requireTenant(tx.queries, call.principal.tenantId);
    return view(call, tenant, await saveDraft(tx, call.source(), tenant.slug, draft, call.ifMatch));
  };
  return [
    defineRoute('GET /v1/trust', {
      operationId: 'getTrustCenter',
      sdkMethod: 'trust.retrieve',
      ...common,
      summary: 'Get the trust center',
      scope: 'trust:read',
      async handle(call) {
        const tenant = await requireTenant(database.kysely, call.principal.tenantId);
        return view(call, tenant, await findTrustCenter(database.kysely, tenant.id));
      },
    }),
    defineRoute('PUT /v1/trust', {
      operationId: 'replaceTrustCenter',
      sdkMethod: 'trust.replace',
      ...writing,
      summary: 'Replace the trust center; publish or unpublish it',
      description:
        'Omitted fields become empty, and a draft ends. All texts are plain text: markup in them is shown as text. If nothing changes, nothing is written. Send the `ETag` of the trust center as `If-Match` to replace only what you have seen. The limits of all fields together exceed the maximum body of 64 KiB.',
      body: TrustCenterInput,
      async write(call, tx) {
        const tenant = await requireTenant(tx.queries, call.principal.tenantId);
        tx.afterCommit(() => publishedTrust.forget(tenant.slug));
        return view(call, tenant, await replaceTrustCenter(tx, call.source(), tenant.slug, call.body, call.ifMatch));
      },
    }),
    defineRoute('PUT /v1/trust/draft', {
      operationId: 'saveTrustDraft',
      sdkMethod: 'trust.saveDraft',
      ...writing,
      summary: 'Save a draft of the trust center',
      description:
        'What is public stays as it is. Omitted fields become empty. To publish the draft, replace the trust center with its content. Send the `ETag` of the trust center as `If-Match` to replace only what you have seen.',
      body: TrustDraftInput,
      write: (call, tx) => changeDraft(call, tx, call.body),
    }),
    defineRoute('DELETE /v1/trust/draft', {
      operationId: 'discardTrustDraft',
      sdkMethod: 'trust.discardDraft',
      ...writing,
      summary: 'Discard the draft of the trust center',
      description: 'Answers the trust center without it, also if there was none.',
      write: (call, tx) => changeDraft(call, tx, null),
    }),
    defineRoute('GET /v1/public/trust/{slug}/widget', {
      auth: 'public',
      operationId: 'getPublicTrustWidget',
      sdkMethod: 'public.trust.retrieveWidget',
      tag: 'Public',
      summary: 'Get the data of the trust badge',
      description:
        'Answers 404 unless the trust center is published. With `language` it has the words of the badge in that language, or the nearest that there is: the last resort is English. Send the `ETag` back as `If-None-Match` to get a 304 while the data has not changed.',
      // Any text, so that an invalid slug returns 404 too.
      params: z.strictObject({ slug: z.string() }),
      query: z.strictObject({ language: Language.optional() }),
      headers: ['ETag', 'Cache-Control'],
      result: TrustWidget,
      async handle({ params, query: { language }, now }) {
        const center = await publishedTrust.find(params.slug);
        const { name, slug, content, updatedAt } = requireFound(center, 'published trust center');
        const achievedFrameworks = listAchievements(content, now).map(({ framework }) => framework.name);
        const words = language === undefined ? {} : { words: chooseBadgeWords(language) };
        const body = JSON.stringify({ data: { name, slug, achievedFrameworks, updatedAt, ...words } });
        return new ReadyAnswer(200, body, { ETag: `"${hash('sha256', body).slice(0, 16)}"`, 'Cache-Control': caching });
      },
    }),
  ];
}

/** Cached for the pages of a site, and at most a minute old after a trust center is unpublished. */
const caching = 'public, max-age=30, stale-while-revalidate=30';
