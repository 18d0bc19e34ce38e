import { Readable } from 'node:stream';
import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import { linkQuery, requireLinkOwner } from '../http/authorize.ts';
import { Problem, requireFound } from '../http/problem.ts';
import { defineRoute, listRoute, type PrincipalCall, type Route } from '../http/route.ts';
import { cursorPageOf, listOf, namedObject, text } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { mapPage } from '../storage/rows.ts';
import { adoptFrameworks } from './adoption.ts';
import { viewDetail } from './assess-control.ts';
import { catalogue, findFramework } from './catalogue/catalogue.ts';
import { ControlChange, ControlDetail, ControlParams, Count, NewControl } from './control.ts';
import { createControl, editControl, retireControl } from './control-changes.ts';
import { ControlTest, NewResult, NewTest, TestParams, TestResult, viewResult, viewTest } from './control-test.ts';
import {
  Evidence,
  EvidenceParams,
  EvidenceUsage,
  FileBody,
  FileDescription,
  NewEvidence,
  viewEvidence,
  Withdrawal,
} from './evidence.ts';
import { attachFile, serveAs } from './file-name.ts';
import { receiveFile, sendFile, sumSizes } from './file-store.ts';
import { FrameworkCodes, FrameworkDetail, FrameworkView } from './framework.ts';
import { ControlList, Readiness, rateReadiness, rateTestHealth, summarizeControls, TestHealth } from './overview.ts';
import {
  addEvidence,
  addTest,
  checkEvidenceTimes,
  recordResult,
  retireTest,
  withdrawEvidence,
} from './part-changes.ts';
import { transitions } from './status.ts';
import {
  listEvidence,
  listResults,
  listTests,
  readControls,
  requireControl,
  requireEvidence,
  requireTest,
} from './store.ts';

const reading = { tag: 'Controls', scope: 'controls:read' } as const;
const writing = { tag: 'Controls', scope: 'controls:write' } as const;
const readingControl = { ...reading, params: ControlParams } as const;
const writingControl = { ...writing, params: ControlParams } as const;
const readingTest = { ...reading, params: TestParams } as const;
const writingTest = { ...writing, params: TestParams } as const;
const pages = { limit: { most: 200, usual: 50 }, place: 'string' } as const;

const transitionText = Object.entries(transitions)
  .map(([from, to]) => `\`${from}\` → ${to.map((status) => `\`${status}\``).join(', ')}`)
  .join('; ');

/** The operations of spec.md "Control framework", and those on single frameworks, controls, evidence and tests. */
export function controlRoutes({ database, settings }: Installation): readonly Route[] {
  const readAll = ({ principal, now, queries }: PrincipalCall) => readControls(queries, principal.tenantId, now);
  const find = ({ params, principal, now, queries }: PrincipalCall<{ readonly controlId: string }>) =>
    requireControl(queries, principal.tenantId, params.controlId, now);
  return [
    defineRoute('GET /v1/control-framework', {
      operationId: 'listControls',
      reads: 'replica',
      sdkMethod: 'controls.list',
      ...reading,
      summary: 'List the controls of the tenant, by their codes',
      description:
        'The controls of the adopted frameworks, and custom controls. Everything that depends on time is derived from dates at the time of the request.',
      result: ControlList,
      handle: async (call) => summarizeControls(await readAll(call)),
    }),
    defineRoute('GET /v1/control-framework/frameworks', {
      operationId: 'listFrameworks',
      sdkMethod: 'controls.frameworks.list',
      ...reading,
      summary: 'List the frameworks of the catalogue, with what may be claimed',
      // spec.md "Control framework (item)": without a cursor.
      result: namedObject('ControlFrameworkList', { items: z.array(FrameworkView) }),
      handle: async () => ({ items: catalogue.frameworks.map(({ requirements: _, ...framework }) => framework) }),
    }),
    defineRoute('GET /v1/control-framework/frameworks/{code}', {
      operationId: 'getFramework',
      sdkMethod: 'controls.frameworks.retrieve',
      ...reading,
      summary: 'Get a framework, with the requirements that controls may be mapped to',
      params: z.strictObject({ code: text(20).meta({ description: 'The `code` of the framework.' }) }),
      result: FrameworkDetail,
      handle: async ({ params }) => requireFound(findFramework(params.code), 'framework'),
    }),
    defineRoute('GET /v1/control-framework/readiness', {
      operationId: 'getReadiness',
      reads: 'replica',
      sdkMethod: 'controls.retrieveReadiness',
      ...reading,
      summary: 'Get the readiness of the tenant, overall and for each framework and domain',
      description:
        'Of the controls that apply (status other than `not_applicable`): score = floor(100 × accepted ÷ total), 0 without any control. A control counts as accepted while its status is `accepted`: a user accepted it, its next review is not due, its evidence is current, and the latest result of none of its tests is `fail`. If any of these ends, it leaves the score at that moment.',
      result: Readiness,
      handle: async (call) => rateReadiness(await readAll(call)),
    }),
    defineRoute('GET /v1/control-framework/test-health', {
      operationId: 'getTestHealth',
      reads: 'replica',
      sdkMethod: 'controls.retrieveTestHealth',
      ...reading,
      summary: 'Get the health of tests and evidence',
      description:
        'Of the controls that apply. totalControls = failing + warning + passing + unknown = currentEvidence + staleEvidence + expiredEvidence + missingEvidence.',
      result: TestHealth,
      handle: async (call) => rateTestHealth((await readAll(call)).controls, call.now),
    }),
    defineRoute('GET /v1/control-framework/evidence-usage', {
      operationId: 'getEvidenceUsage',
      reads: 'replica',
      sdkMethod: 'controls.evidence.usage',
      ...reading,
      summary: 'Get the space that evidence files take, and how much they may take',
      description: 'An upload that does not fit is refused: `evidence_quota_exceeded`.',
      result: EvidenceUsage,
      handle: async ({ principal, queries }) => ({
        used: await sumSizes(queries, principal.tenantId),
        quota: settings.evidenceQuota,
      }),
    }),
    defineRoute('POST /v1/control-framework/adopt', {
      operationId: 'adoptFrameworks',
      sdkMethod: 'controls.frameworks.adopt',
      ...writing,
      summary: 'Set the frameworks that the tenant follows',
      description:
        'Controls that come into force for the first time start as `not_started`, with the tests of the catalogue. Controls that no framework of the list needs leave all lists and counts, and return with their history when one does. Sending the same list again adds controls that the catalogue has gained since. Parts of a framework bind only some companies (see its `scopeSummary`): set the controls that are mapped to nothing else to `not_applicable`, or they count in the score. SOC 2: the criteria of availability (A), confidentiality (C), processing integrity (PI) and privacy (P) are optional. CCPA: 11 CCR §§ 7120 to 7123 bind only businesses that must have the cybersecurity audit.',
      body: namedObject('FrameworkAdoptionInput', { frameworks: FrameworkCodes }),
      result: namedObject('FrameworkAdoption', {
        frameworks: z.array(z.string()),
        controls: Count.meta({ description: 'Controls in force now, custom ones included.' }),
      }),
      write: (call, tx) => adoptFrameworks(tx, call.source(), call.body.frameworks),
    }),
    defineRoute('POST /v1/control-framework/controls', {
      operationId: 'createControl',
      sdkMethod: 'controls.create',
      ...writing,
      summary: 'Create a custom control',
      description:
        'At most 1,000 for a tenant. `getFramework` lists the requirements that it may be mapped to. Answers 409 `conflict` for a code that another control has.',
      body: NewControl,
      status: 201,
      result: ControlDetail,
      write: async (call, tx) => viewDetail(await createControl(tx, call.source(), call.body)),
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}', {
      operationId: 'getControl',
      sdkMethod: 'controls.retrieve',
      ...readingControl,
      summary: 'Get a control with its details',
      result: ControlDetail,
      handle: async (call) => viewDetail(await find(call)),
    }),
    defineRoute('PATCH /v1/control-framework/controls/{controlId}', {
      operationId: 'editControl',
      sdkMethod: 'controls.update',
      ...writingControl,
      summary: 'Change the status, the owner or the cadence of a control',
      description: `Omitted fields stay as they are; \`title\`, \`description\`, \`domain\` and \`mappings\` can be changed for custom controls only. A control becomes \`overdue\` after the due date of requested evidence, and \`needs_review\` when a review is due, an exception ends, or an accepted control lacks current evidence or passing tests. A status that changes by time only sends no webhook; the next event says which status the control had by then. A status that evidence or a test result changes sends one. Allowed changes: ${transitionText}. \`evidence_submitted\` needs a valid item of evidence; \`accepted\` needs current evidence, by the cadence that the control will have, and no test whose latest result is fail. Setting \`implemented\` or \`accepted\` again is another review: \`reviewedAt\` becomes now.`,
      body: ControlChange,
      result: ControlDetail,
      errors: ['control_transition_not_allowed', 'control_evidence_missing', 'control_test_failing'],
      write: async (call, tx) => viewDetail(await editControl(tx, call.source(), call.params.controlId, call.body)),
    }),
    defineRoute('DELETE /v1/control-framework/controls/{controlId}', {
      operationId: 'retireControl',
      sdkMethod: 'controls.retire',
      ...writingControl,
      summary: 'Remove a custom control',
      description:
        'It leaves all lists and counts, and its code becomes free; its data and its history in the audit log are kept. A control of the catalogue cannot be removed: set it to `not_applicable`.',
      result: z.null(),
      write: (call, tx) => retireControl(tx, call.source(), call.params.controlId).then(() => null),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence', {
      operationId: 'addEvidence',
      sdkMethod: 'controls.evidence.add',
      ...writingControl,
      summary: 'Add an item of evidence to a control',
      description:
        'A control whose evidence was requested, overdue or not, becomes `evidence_submitted`, unless the item has already expired. A control that was accepted and lacked current evidence is accepted again, until its next review.',
      body: NewEvidence,
      status: 201,
      result: Evidence,
      write: (call, tx) => addEvidence(tx, call.source(), call.params.controlId, call.body),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence/files', {
      operationId: 'uploadEvidenceFile',
      sdkMethod: 'controls.evidence.upload',
      ...writingControl,
      summary: 'Upload a file as an item of evidence of a control',
      description:
        'The body is the file itself, of 1 byte to 25 MiB, with any `Content-Type`; what describes it is in the query. The server computes its SHA-256 while it arrives and writes it into the audit log. An upload that breaks off leaves nothing. The files of a tenant may have 5 GiB in all, unless this server is configured otherwise. A retry with the same `Idempotency-Key` sends the file again: with the same bytes it gets the first answer, with others `idempotency_key_reused`. Otherwise like `addEvidence`.',
      query: FileDescription,
      bodyType: 'application/octet-stream',
      body: FileBody,
      status: 201,
      result: Evidence,
      errors: ['evidence_quota_exceeded'],
      receive: ({ params, query, principal: { tenantId }, now }, request) =>
        receiveFile(database, request, {
          tenantId,
          now,
          quota: settings.evidenceQuota,
          check: async ({ queries }) => {
            await requireControl(queries, tenantId, params.controlId, now);
            checkEvidenceTimes(query, now, 'query');
          },
        }),
      write({ params, query, body, source }, tx) {
        const { name, ...item } = query;
        const file = { name, received: body };
        return addEvidence(tx, source(), params.controlId, { ...item, url: null, sha256: null }, file);
      },
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}/evidence/{evidenceId}/file', {
      operationId: 'downloadEvidenceFile',
      sdkMethod: 'controls.evidence.download',
      ...reading,
      summary: 'Download the file of an item of evidence',
      description:
        'Its bytes as they were uploaded, for saving: `Content-Disposition: attachment` with the name of the file. `Content-Type` is `application/octet-stream` except for a few types that no browser runs. The file of a withdrawn item is kept. `not_found` for an item without a file.',
      params: EvidenceParams,
      query: z.strictObject(linkQuery),
      isBare: true,
      isStreamed: true,
      answerType: 'application/octet-stream',
      errors: ['evidence_erased'],
      headers: ['Content-Disposition', 'Content-Security-Policy'],
      result: z.string().meta({ description: 'The bytes of the file.', format: 'binary' }),
      async handle(call) {
        const { tenantId } = call.principal;
        requireLinkOwner(call.principal, call.query);
        const { id } = (await find(call)).control;
        const item = await requireEvidence(call.queries, tenantId, id, call.params.evidenceId);
        const fileId = requireFound(item.file_id ?? undefined, 'file');
        const size = item.file_size as number;
        if (item.erased_at !== null) throw new Problem('evidence_erased', `The file was erased at ${item.erased_at}.`);
        return new ReadyAnswer(200, Readable.from(sendFile(database.kysely, tenantId, fileId, size)), {
          'Content-Type': serveAs(item.media_type),
          'Content-Length': String(size),
          'Content-Disposition': attachFile(item.file_name ?? 'file'),
          'Content-Security-Policy': 'sandbox',
        });
      },
    }),
    listRoute('/v1/control-framework/controls/{controlId}/evidence', {
      operationId: 'listEvidence',
      reads: 'replica',
      sdkMethod: 'controls.evidence.list',
      ...readingControl,
      summary: 'List the evidence of a control, the items added last first',
      description: 'Withdrawn items are included.',
      ...pages,
      result: cursorPageOf(Evidence),
      async find(call, start) {
        const { control } = await find(call);
        const page = await listEvidence(call.queries, call.principal.tenantId, control.id, start);
        return mapPage(page, (row) => viewEvidence(row, control.controlId, call.now));
      },
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}/evidence/{evidenceId}', {
      operationId: 'getEvidence',
      sdkMethod: 'controls.evidence.retrieve',
      ...reading,
      summary: 'Get one item of evidence',
      params: EvidenceParams,
      result: Evidence,
      async handle(call) {
        const { id, controlId } = (await find(call)).control;
        const row = await requireEvidence(call.queries, call.principal.tenantId, id, call.params.evidenceId);
        return viewEvidence(row, controlId, call.now);
      },
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence/{evidenceId}/withdraw', {
      operationId: 'withdrawEvidence',
      sdkMethod: 'controls.evidence.withdraw',
      ...writing,
      summary: 'Withdraw an item of evidence: it is kept and no longer counts',
      description:
        'A control that was accepted is in `needs_review` without current evidence; every other status stays. If the item was withdrawn before, nothing changes: the first reason stays.',
      params: EvidenceParams,
      body: Withdrawal,
      result: Evidence,
      write: (call, tx) => withdrawEvidence(tx, call.source(), call.params, call.body.reason),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/tests', {
      operationId: 'addControlTest',
      sdkMethod: 'controls.tests.add',
      ...writingControl,
      summary: 'Add a test to a control',
      description: 'It is due at once. At most 200 per control, retired ones included.',
      body: NewTest,
      status: 201,
      result: ControlTest,
      write: (call, tx) => addTest(tx, call.source(), call.params.controlId, call.body),
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}/tests', {
      operationId: 'listControlTests',
      reads: 'replica',
      sdkMethod: 'controls.tests.list',
      ...readingControl,
      summary: 'List the tests of a control, the oldest first',
      query: z.strictObject({
        status: z
          .enum(['in_use', 'retired'])
          .default('in_use')
          .meta({ description: 'Tests in use count; retired ones do not.' }),
      }),
      result: listOf(ControlTest),
      async handle(call) {
        const { control } = await find(call);
        const isRetired = call.query.status === 'retired';
        const tests = (await listTests(call.queries, call.principal.tenantId, control.id))
          .filter(({ retired_at }) => (retired_at !== null) === isRetired)
          .map((row) => viewTest(row, control, call.now));
        return { items: tests, nextCursor: null };
      },
    }),
    defineRoute('DELETE /v1/control-framework/controls/{controlId}/tests/{testId}', {
      operationId: 'retireControlTest',
      sdkMethod: 'controls.tests.retire',
      ...writingTest,
      summary: 'Retire a test: it is kept with its results, and no longer counts',
      description: 'If it was retired before, nothing changes.',
      result: ControlTest,
      write: (call, tx) => retireTest(tx, call.source(), call.params),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/tests/{testId}/results', {
      operationId: 'recordTestResult',
      sdkMethod: 'controls.tests.recordResult',
      ...writingTest,
      summary: 'Record a test result',
      description:
        'The latest result of a test counts: the one with the latest time; of several with the same time, the one recorded last. While it is `fail`, a control that was accepted is in `needs_review`; every other status stays. Answers 409 `conflict` for a retired test.',
      body: NewResult,
      status: 201,
      result: TestResult,
      write: (call, tx) => recordResult(tx, call.source(), call.params, call.body),
    }),
    listRoute('/v1/control-framework/controls/{controlId}/tests/{testId}/results', {
      operationId: 'listTestResults',
      reads: 'replica',
      sdkMethod: 'controls.tests.listResults',
      ...readingTest,
      summary: 'List the results of a test, the latest first',
      ...pages,
      result: cursorPageOf(TestResult),
      async find(call, start) {
        const { tenantId } = call.principal;
        const { testId } = call.params;
        await requireTest(call.queries, tenantId, (await find(call)).control.id, testId);
        return mapPage(await listResults(call.queries, tenantId, testId, start), viewResult);
      },
    }),
  ];
}
