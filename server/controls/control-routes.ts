import { z } from 'zod';
import { callSource } from '../audit/source.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { findRepeated, Id, list, text } from '../http/schemas.ts';
import { adoptFrameworks } from './adoption-changes.ts';
import { viewDetail } from './assessed-control.ts';
import { findFramework } from './catalogue/catalogue.ts';
import { ControlChange, ControlDetail, Count, NewControl } from './control.ts';
import { createControl, editControl, retireControl } from './control-changes.ts';
import { listCodes } from './mappings.ts';
import { requireControl } from './read-controls.ts';
import type { ControlServices } from './services.ts';
import { transitionText } from './status.ts';

/** A control as paths name it. */
export const ControlId = Id.meta({ description: 'The `controlId` of the control, or its `id`.' });

const ControlParams = z.strictObject({ controlId: ControlId });

const FrameworkCodes = list(text(20), 100)
  .superRefine((codes, context) => {
    const repeated = new Set(findRepeated(codes));
    for (const [index, code] of codes.entries()) {
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: [index], message });
      if (findFramework(code) === undefined) refuse(`is no framework of the catalogue: ${listCodes()}`);
      else if (repeated.has(index)) refuse('is named twice');
    }
  })
  .meta({ description: 'The whole list: a framework that is left out is dropped.' });

/** The operations on the controls of a tenant. */
export function controlRoutes({ database, hasher }: ControlServices): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/control-framework/adopt',
      operationId: 'adoptFrameworks',
      tag: 'Controls',
      summary: 'Set the frameworks that the tenant follows',
      description:
        'Controls that come into force for the first time begin as `not_started`, with the tests of the catalogue. Those that no framework of the list needs rest, and come back with all their history when one does. The same list again takes up controls that the catalogue has gained since. Parts of a framework bind only some companies (its `scopeSummary` says which): set the controls that are mapped to nothing else to `not_applicable`, or they count in the score. SOC 2: the criteria of availability (A), confidentiality (C), processing integrity (PI) and privacy (P) are optional. CCPA: 11 CCR §§ 7120 to 7123 bind only businesses that must have the cybersecurity audit.',
      scope: 'controls:write',
      body: z.strictObject({ frameworks: FrameworkCodes }).meta({ id: 'FrameworkAdoptionInput' }),
      status: 200,
      result: z
        .strictObject({
          frameworks: z.array(z.string()),
          controls: Count.meta({ description: 'Controls in force now, the tenant’s own included.' }),
        })
        .meta({ id: 'FrameworkAdoption' }),
      async change(call, work) {
        const { frameworks, controls } = await adoptFrameworks(work, callSource(call, hasher), call.body.frameworks);
        return { frameworks: [...frameworks], controls };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/control-framework/controls',
      operationId: 'createControl',
      tag: 'Controls',
      summary: 'Create a control of your own',
      description: 'At most 1,000 for a tenant. `getFramework` tells which requirements it may be mapped to.',
      scope: 'controls:write',
      body: NewControl,
      status: 201,
      result: ControlDetail,
      change: async (call, work) => viewDetail(await createControl(work, callSource(call, hasher), call.body)),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/control-framework/controls/{controlId}',
      operationId: 'getControl',
      tag: 'Controls',
      summary: 'Get a control with its details',
      scope: 'controls:read',
      params: ControlParams,
      status: 200,
      result: ControlDetail,
      async handle({ params, principal: { tenantId }, now }) {
        return viewDetail(await requireControl(database.kysely, tenantId, params.controlId, now));
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/control-framework/controls/{controlId}',
      operationId: 'editControl',
      tag: 'Controls',
      summary: 'Change the status, the owner or the cadence of a control',
      description: `What is left out stays as it is; \`title\`, \`description\`, \`domain\` and \`mappings\` are those of your own controls alone. \`overdue\` comes when the day of requested evidence passes, \`needs_review\` when a review is due, an exception ends, or an accepted control loses what its acceptance rests on. A move that time alone brings is told by no webhook; the next event says which status the control had by then. One that evidence or a result brings is told. From each status a control can go to: ${transitionText}. \`evidence_submitted\` needs an item of evidence that counts; \`accepted\` needs current evidence, by the cadence that the control will have, and no test whose latest result is fail. \`implemented\` or \`accepted\` once more is another review: \`reviewedAt\` becomes now.`,
      scope: 'controls:write',
      params: ControlParams,
      body: ControlChange,
      status: 200,
      result: ControlDetail,
      errors: ['control_transition_not_allowed', 'control_evidence_missing', 'control_test_failing'],
      change: async (call, work) =>
        viewDetail(await editControl(work, callSource(call, hasher), call.params.controlId, call.body)),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/control-framework/controls/{controlId}',
      operationId: 'retireControl',
      tag: 'Controls',
      summary: 'Remove a control of your own',
      description:
        'It leaves every list and count, and its code is free again; what is stored of it stays, with its history in the audit log. A control of the catalogue cannot be removed: set it to `not_applicable`.',
      scope: 'controls:write',
      params: ControlParams,
      status: 204,
      result: z.null(),
      async change(call, work) {
        await retireControl(work, callSource(call, hasher), call.params.controlId);
        return null;
      },
    }),
  ];
}
