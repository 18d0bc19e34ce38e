import { z } from 'zod';
import { defineRoute, listRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { mapPage } from '../storage/rows.ts';
import {
  DsrChange,
  DsrCompletion,
  DsrConfirmation,
  DsrConfirmationInput,
  DsrConfirmationLink,
  DsrExtension,
  DsrInput,
  DsrView,
  dsrFilters,
  PublicDsr,
  PublicDsrInput,
  viewDsr,
} from './dsr.ts';
import { completeDsr, createDsr, editDsr, extendDsr, listDsrs, requireDsr } from './dsr-store.ts';
import { confirmAddress, createConfirmationLink, submitDsr } from './form-store.ts';

const readingDsr = { tag: 'Data-subject requests', scope: 'dsr:read' } as const;
const writingDsr = { tag: 'Data-subject requests', scope: 'dsr:write', result: DsrView } as const;
const params = z.strictObject({ id: Id });
const pages = { limit: { most: 100, usual: 25 }, place: 'string' } as const;

/** The operations on data-subject requests. */
export function dsrRoutes({ database, hasher }: Installation): readonly Route[] {
  return [
    defineRoute('POST /v1/dsr', {
      operationId: 'createDsr',
      sdkMethod: 'dsr.create',
      ...writingDsr,
      summary: 'Open a data-subject request',
      description:
        'It is due after `dsrDays` days of 24 hours, a setting of the tenant; later changes of that setting do not move the due date. Emits `dsr.created`.',
      body: DsrInput,
      status: 201,
      write: async (call, tx) => viewDsr(await createDsr(tx, call.source(), call.body), tx.now),
    }),
    listRoute('/v1/dsr', {
      operationId: 'listDsrs',
      reads: 'replica',
      sdkMethod: 'dsr.list',
      ...readingDsr,
      ...pages,
      summary: 'List data-subject requests, newest first',
      filters: dsrFilters,
      result: cursorPageOf(DsrView),
      find: async ({ query, queries, principal: { tenantId }, now }, start) =>
        mapPage(await listDsrs(queries, tenantId, query, now, start), (row) => viewDsr(row, now)),
    }),
    defineRoute('GET /v1/dsr/{id}', {
      operationId: 'getDsr',
      sdkMethod: 'dsr.retrieve',
      ...readingDsr,
      summary: 'Get a data-subject request',
      params,
      result: DsrView,
      handle: async ({ params, principal, now }) =>
        viewDsr(await requireDsr(database.kysely, principal.tenantId, params.id), now),
    }),
    defineRoute('PATCH /v1/dsr/{id}', {
      operationId: 'editDsr',
      sdkMethod: 'dsr.update',
      ...writingDsr,
      summary: 'Edit an open data-subject request: who answers it, notes, the check of the identity',
      description:
        'Omitted fields keep their values. `identityCheck` records that the caller checked the identity of the person now; the audit log keeps when, but neither the method nor the notes.',
      params,
      body: DsrChange,
      errors: ['dsr_already_completed'],
      write: async (call, tx) => viewDsr(await editDsr(tx, call.source(), call.params.id, call.body), tx.now),
    }),
    defineRoute('POST /v1/dsr/{id}/extend', {
      operationId: 'extendDsr',
      sdkMethod: 'dsr.extend',
      ...writingDsr,
      summary: 'Extend the period of a data-subject request, once',
      description:
        'Allowed while the period runs. The period triples, up to 90 days after the receipt: 30 days become 90, and so do 45. Repeating the request with the same reason changes nothing.',
      params,
      body: DsrExtension,
      errors: ['dsr_already_completed', 'dsr_extension_not_allowed'],
      write: async (call, tx) => viewDsr(await extendDsr(tx, call.source(), call.params.id, call.body), tx.now),
    }),
    defineRoute('POST /v1/dsr/{id}/complete', {
      operationId: 'completeDsr',
      sdkMethod: 'dsr.complete',
      ...writingDsr,
      summary: 'Complete a data-subject request',
      description:
        'Emits `dsr.completed`. Repeating the request with the same outcome and reason changes nothing and emits nothing.',
      params,
      body: DsrCompletion,
      errors: ['dsr_already_completed'],
      write: async (call, tx) => viewDsr(await completeDsr(tx, call.source(), call.params.id, call.body), tx.now),
    }),
    defineRoute('POST /v1/dsr/{id}/confirmation-link', {
      operationId: 'createDsrConfirmationLink',
      sdkMethod: 'dsr.createConfirmationLink',
      ...writingDsr,
      summary: 'Create the token of a link that confirms the address of a request',
      description:
        'For open requests that were made with the form. Send the person `/privacy/confirm#token` of this server: only a person who reads the mail of the address can open it and confirm. The token is shown only once and works once, within 14 days; earlier ones of the request end. Answers 409 `conflict` if there is no address or it is confirmed.',
      params,
      status: 201,
      result: DsrConfirmationLink,
      showsSecret: true,
      errors: ['dsr_already_completed'],
      write: (call, tx) => createConfirmationLink(tx, call.source(), call.params.id),
    }),
    defineRoute('POST /v1/public/dsr/{slug}', {
      auth: 'anonymous',
      operationId: 'createPublicDsr',
      sdkMethod: 'public.requests.create',
      tag: 'Public',
      summary: 'Make a data-subject request',
      description:
        'Answers 404 unless the tenant has turned its form on (`dsrForm`). The answer never says whether anything is known about the person. Pages of other sites cannot call it. At most 5 requests an hour for each client address, 20 for each IPv6 site (/48), and 100 for each tenant, with as many again for addresses and networks that have sent none. Emits `dsr.created`.',
      // Any text, so that an invalid slug returns 404 too.
      params: z.strictObject({ slug: z.string() }),
      body: PublicDsrInput,
      status: 201,
      result: PublicDsr,
      async write({ params, body, client }, tx) {
        const { id, received_at, due_at } = await submitDsr(tx, hasher, client, params.slug, body);
        return { reference: id, receivedAt: received_at, dueAt: due_at };
      },
    }),
    defineRoute('POST /v1/public/dsr-confirmations', {
      auth: 'anonymous',
      operationId: 'confirmPublicDsr',
      sdkMethod: 'public.requests.confirm',
      tag: 'Public',
      summary: 'Confirm the e-mail address of a data-subject request',
      description: 'With the token of the link that the tenant sent to it. It works once.',
      body: DsrConfirmationInput,
      result: DsrConfirmation,
      write: async ({ body }, tx) => ({
        confirmedAt: await confirmAddress(tx, body.token),
      }),
    }),
  ];
}
