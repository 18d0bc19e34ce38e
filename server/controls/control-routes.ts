import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { text } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { adoptFrameworks } from './adoption.ts';
import { viewDetail } from './assess-control.ts';
import { catalogue, findFramework } from './catalogue/catalogue.ts';
import { ControlChange, ControlDetail, ControlParams, Count, NewControl } from './control.ts';
import { createControl, editControl, retireControl } from './control-changes.ts';
import { readControls, requireControl } from './control-store.ts';
import { FrameworkCodes, FrameworkDetail, FrameworkView, viewFramework } from './framework.ts';
import { ControlList, Readiness, rateReadiness, rateTestHealth, summarizeControls, TestHealth } from './overview.ts';
import { transitions } from './status.ts';

const transitionText = Object.entries(transitions)
  .map(([from, to]) => `\`${from}\` → ${to.map((status) => `\`${status}\``).join(', ')}`)
  .join('; ');

/** The operations of spec.md "Control framework", and those on single frameworks and controls. */
export function controlRoutes({ database, hasher }: Pick<Installation, 'database' | 'hasher'>): readonly Route[] {
  return [
    defineRoute('GET /v1/control-framework', {
      operationId: 'listControls',
      tag: 'Controls',
      summary: 'List the controls of the tenant, by their codes',
      description:
        'The controls of the adopted frameworks, and custom controls. Everything that depends on time is derived from dates at the time of the request.',
      scope: 'controls:read',
      result: ControlList,
      async handle({ principal: { tenantId }, now }) {
        return summarizeControls(await readControls(database.kysely, tenantId, now));
      },
    }),
    defineRoute('GET /v1/control-framework/frameworks', {
      operationId: 'listFrameworks',
      tag: 'Controls',
      summary: 'List the frameworks of the catalogue, with what may be claimed',
      scope: 'controls:read',
      // spec.md "Control framework (item)": without a cursor.
      result: z.strictObject({ items: z.array(FrameworkView) }).meta({ id: 'ControlFrameworkList' }),
      handle: async () => ({ items: catalogue.frameworks.map(viewFramework) }),
    }),
    defineRoute('GET /v1/control-framework/frameworks/{code}', {
      operationId: 'getFramework',
      tag: 'Controls',
      summary: 'Get a framework, with the requirements that controls may be mapped to',
      scope: 'controls:read',
      params: z.strictObject({ code: text(20).meta({ description: 'The `code` of the framework.' }) }),
      result: FrameworkDetail,
      async handle({ params }) {
        const framework = findFramework(params.code);
        if (framework === undefined) throw notFound('framework');
        return framework;
      },
    }),
    defineRoute('GET /v1/control-framework/readiness', {
      operationId: 'getReadiness',
      tag: 'Controls',
      summary: 'Get the readiness of the tenant, overall and for each framework and domain',
      description:
        'Of the controls that apply (status other than `not_applicable`): score = floor(100 × accepted ÷ total), 0 without any control. A control counts as accepted while its status is `accepted`: a user accepted it, its next review is not due, its evidence is current, and the latest result of none of its tests is `fail`. If any of these ends, it leaves the score at that moment.',
      scope: 'controls:read',
      result: Readiness,
      async handle({ principal: { tenantId }, now }) {
        return rateReadiness(await readControls(database.kysely, tenantId, now));
      },
    }),
    defineRoute('GET /v1/control-framework/test-health', {
      operationId: 'getTestHealth',
      tag: 'Controls',
      summary: 'Get the health of tests and evidence',
      description:
        'Of the controls that apply. totalControls = failing + warning + passing + unknown = currentEvidence + staleEvidence + expiredEvidence + missingEvidence.',
      scope: 'controls:read',
      result: TestHealth,
      async handle({ principal: { tenantId }, now }) {
        return rateTestHealth((await readControls(database.kysely, tenantId, now)).controls, now);
      },
    }),
    defineRoute('POST /v1/control-framework/adopt', {
      operationId: 'adoptFrameworks',
      tag: 'Controls',
      summary: 'Set the frameworks that the tenant follows',
      description:
        'Controls that come into force for the first time start as `not_started`, with the tests of the catalogue. Controls that no framework of the list needs leave all lists and counts, and return with their history when one does. Sending the same list again adds controls that the catalogue has gained since. Parts of a framework bind only some companies (see its `scopeSummary`): set the controls that are mapped to nothing else to `not_applicable`, or they count in the score. SOC 2: the criteria of availability (A), confidentiality (C), processing integrity (PI) and privacy (P) are optional. CCPA: 11 CCR §§ 7120 to 7123 bind only businesses that must have the cybersecurity audit.',
      scope: 'controls:write',
      body: z.strictObject({ frameworks: FrameworkCodes }).meta({ id: 'FrameworkAdoptionInput' }),
      result: z
        .strictObject({
          frameworks: z.array(z.string()),
          controls: Count.meta({ description: 'Controls in force now, custom ones included.' }),
        })
        .meta({ id: 'FrameworkAdoption' }),
      change: (call, work) => adoptFrameworks(work, callSource(call, hasher), call.body.frameworks),
    }),
    defineRoute('POST /v1/control-framework/controls', {
      operationId: 'createControl',
      tag: 'Controls',
      summary: 'Create a custom control',
      description: 'At most 1,000 for a tenant. `getFramework` lists the requirements that it may be mapped to.',
      scope: 'controls:write',
      body: NewControl,
      status: 201,
      result: ControlDetail,
      change: async (call, work) => viewDetail(await createControl(work, callSource(call, hasher), call.body)),
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}', {
      operationId: 'getControl',
      tag: 'Controls',
      summary: 'Get a control with its details',
      scope: 'controls:read',
      params: ControlParams,
      result: ControlDetail,
      async handle({ params, principal: { tenantId }, now }) {
        return viewDetail(await requireControl(database.kysely, tenantId, params.controlId, now));
      },
    }),
    defineRoute('PATCH /v1/control-framework/controls/{controlId}', {
      operationId: 'editControl',
      tag: 'Controls',
      summary: 'Change the status, the owner or the cadence of a control',
      description: `Omitted fields stay as they are; \`title\`, \`description\`, \`domain\` and \`mappings\` can be changed for custom controls only. A control becomes \`overdue\` after the due date of requested evidence, and \`needs_review\` when a review is due, an exception ends, or an accepted control lacks current evidence or passing tests. A status that changes by time only sends no webhook; the next event says which status the control had by then. A status that evidence or a test result changes sends one. Allowed changes: ${transitionText}. \`evidence_submitted\` needs a valid item of evidence; \`accepted\` needs current evidence, by the cadence that the control will have, and no test whose latest result is fail. Setting \`implemented\` or \`accepted\` again is another review: \`reviewedAt\` becomes now.`,
      scope: 'controls:write',
      params: ControlParams,
      body: ControlChange,
      result: ControlDetail,
      errors: ['control_transition_not_allowed', 'control_evidence_missing', 'control_test_failing'],
      change: async (call, work) =>
        viewDetail(await editControl(work, callSource(call, hasher), call.params.controlId, call.body)),
    }),
    defineRoute('DELETE /v1/control-framework/controls/{controlId}', {
      operationId: 'retireControl',
      tag: 'Controls',
      summary: 'Remove a custom control',
      description:
        'It leaves all lists and counts, and its code becomes free; its data and its history in the audit log are kept. A control of the catalogue cannot be removed: set it to `not_applicable`.',
      scope: 'controls:write',
      params: ControlParams,
      result: z.null(),
      async change(call, work) {
        await retireControl(work, callSource(call, hasher), call.params.controlId);
        return null;
      },
    }),
  ];
}
