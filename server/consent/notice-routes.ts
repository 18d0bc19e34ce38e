import { z } from 'zod';
import { answerWith, ReadyAnswer } from '../http/answer.ts';
import { requireFound } from '../http/problem.ts';
import { defineRoute, listRoute, type Route, readCursor, writeCursor } from '../http/route.ts';
import { Cursor, cursorPageOf, Id, pageOf, queryInteger, text } from '../http/schemas.ts';
import { Language } from './language.ts';
import { loadMessages } from './messages/messages.ts';
import {
  Notice,
  NoticeChange,
  NoticeContent,
  NoticeStatus,
  NoticeVersion,
  normalizeDomain,
  tagContent,
} from './notice.ts';
import { archiveNotice, createNotice, deleteNotice, editNotice, publishNotice } from './notice-changes.ts';
import { findNotice, findShownTexts, listNotices, listVersions } from './notice-store.ts';
import { NoticeWords, PublicNotice } from './public-notice.ts';
import type { ConsentServices } from './record-routes.ts';

const NoticeParams = z.strictObject({ id: Id });

const reading = { tag: 'Consent notices', scope: 'consent:read' } as const;

const common = { tag: 'Consent notices', scope: 'consent:write', result: Notice, headers: ['ETag'] } as const;

const guarded = { ...common, hasPrecondition: true, errors: ['consent_notice_changed'] } as const;

/** A notice with the entity tag of its content. */
function present(notice: Notice, status = 200) {
  return answerWith(notice, { ETag: tagContent(notice) }, status);
}

/** The operations on notices. */
export function noticeRoutes({ database, noticeCache }: ConsentServices): readonly Route[] {
  return [
    defineRoute('GET /v1/consent', {
      operationId: 'listConsentNotices',
      reads: 'replica',
      sdkMethod: 'consent.notices.list',
      ...reading,
      summary: 'List consent notices, newest first',
      query: z.strictObject({
        status: NoticeStatus.optional(),
        domain: text(253).optional().meta({ description: 'Notices of exactly this site.' }),
        search: text(200)
          .optional()
          .meta({ description: 'Part of the name, the controller or the domain, in any case.' }),
        cursor: Cursor,
        limit: queryInteger(1, 100, 25),
      }),
      result: pageOf(Notice),
      errors: ['invalid_cursor'],
      async handle({ query, queries, principal: { tenantId } }) {
        const { cursor = null, limit, status, search } = query;
        // A text that is no domain at all is kept, and matches nothing.
        const domain = query.domain === undefined ? undefined : (normalizeDomain(query.domain) ?? query.domain);
        const list = ['notices', tenantId, status, domain, search];
        const before = cursor === null ? null : readCursor(list, cursor, 'string');
        const filter = { status, domain, search };
        const { rows, total, next } = await listNotices(queries, tenantId, filter, before, limit);
        const nextCursor = next === null ? null : writeCursor(list, next);
        return { data: rows, page: { cursor, nextCursor, limit, total } };
      },
    }),
    defineRoute('POST /v1/consent/notices', {
      operationId: 'createConsentNotice',
      sdkMethod: 'consent.notices.create',
      ...common,
      summary: 'Create a consent notice as a draft',
      body: NoticeContent,
      status: 201,
      write: async (call, tx) => present(await createNotice(tx, call.source(), call.body), 201),
    }),
    defineRoute('PATCH /v1/consent/{id}', {
      operationId: 'editConsentNotice',
      sdkMethod: 'consent.notices.update',
      ...guarded,
      summary: 'Edit the content of a consent notice',
      description:
        'What is published stays public as it is until the notice is published again. Send the `ETag` of the notice as `If-Match` to change only the content that you have seen.',
      params: NoticeParams,
      body: NoticeChange,
      write: async (call, tx) => present(await editNotice(tx, call.source(), call.params.id, call.body, call.ifMatch)),
    }),
    defineRoute('DELETE /v1/consent/{id}', {
      operationId: 'deleteConsentNotice',
      sdkMethod: 'consent.notices.delete',
      ...guarded,
      headers: [],
      summary: 'Delete a consent notice that was never published',
      description: 'A notice with a published version can only be archived: its records refer to it.',
      params: NoticeParams,
      errors: ['consent_notice_changed', 'consent_notice_versioned'],
      result: z.null(),
      async write(call, tx) {
        await deleteNotice(tx, call.source(), call.params.id, call.ifMatch);
        return null;
      },
    }),
    defineRoute('POST /v1/consent/{id}/publish', {
      operationId: 'publishConsentNotice',
      sdkMethod: 'consent.notices.publish',
      ...guarded,
      summary: 'Publish the content of a consent notice as its next version',
      description:
        'Nothing happens when nothing changed since the latest version. Visitors are asked again if the controller, the links, or the keys, words, `required`, basis or trackers of the purposes changed, or with `asksAgain`. Send the `ETag` of the notice as `If-Match` to publish only the content that you have seen.',
      params: NoticeParams,
      body: z
        .strictObject({
          asksAgain: z.boolean().optional().meta({
            description: 'Whether everyone is asked again, whatever changed: then there is a next version in any case.',
          }),
        })
        .optional()
        .meta({ id: 'NoticePublication' }),
      async write({ params: { id }, body, ifMatch, source }, tx) {
        tx.afterCommit(() => noticeCache.forgetForms(id));
        return present(await publishNotice(tx, source(), id, { ifMatch, asksAgain: body?.asksAgain ?? false }));
      },
    }),
    defineRoute('POST /v1/consent/{id}/archive', {
      operationId: 'archiveConsentNotice',
      sdkMethod: 'consent.notices.archive',
      ...common,
      summary: 'Archive a consent notice: no more captures',
      params: NoticeParams,
      async write(call, tx) {
        tx.afterCommit(() => noticeCache.forgetForms(call.params.id));
        return present(await archiveNotice(tx, call.source(), call.params.id));
      },
    }),
    defineRoute('GET /v1/consent/notices/words', {
      operationId: 'getConsentNoticeWords',
      sdkMethod: 'consent.notices.retrieveWords',
      ...reading,
      summary: 'Get the default words of the banner in a language',
      description: 'What the banner says where the notice has no text of its own.',
      query: z.strictObject({
        language: Language.optional().meta({
          description: 'BCP 47. English without it, and where the server has no words.',
        }),
      }),
      result: NoticeWords,
      async handle({ query: { language = 'en' } }) {
        const { messages, language: found } = await loadMessages(language);
        return { language: found, texts: { ...messages } };
      },
    }),
    defineRoute('GET /v1/consent/{id}/shown/{hash}', {
      operationId: 'getConsentNoticeShown',
      sdkMethod: 'consent.notices.retrieveShown',
      ...reading,
      summary: 'Get what visitors saw of a published version in one language',
      description: 'The bytes of the answer are those that visitors got: their SHA-256 is `hash`.',
      params: NoticeParams.extend({
        hash: text(64).meta({ description: 'SHA-256 in hex: one of `shown` of a version.' }),
      }),
      result: PublicNotice,
      async handle({ params: { id, hash }, principal: { tenantId } }) {
        const texts = await findShownTexts(database.kysely, tenantId, id, [hash]);
        return new ReadyAnswer(200, requireFound(texts.get(hash), 'published text'));
      },
    }),
    listRoute('/v1/consent/{id}/versions', {
      operationId: 'listConsentNoticeVersions',
      reads: 'replica',
      sdkMethod: 'consent.notices.listVersions',
      ...reading,
      summary: 'List the published versions of a consent notice, newest first',
      params: NoticeParams,
      limit: { most: 100, usual: 25 },
      result: cursorPageOf(NoticeVersion),
      place: 'number',
      async find({ params: { id }, principal, queries }, { after, limit }) {
        requireFound(await findNotice(queries, principal.tenantId, id), 'consent notice');
        return listVersions(queries, principal.tenantId, id, after, limit);
      },
    }),
  ];
}
