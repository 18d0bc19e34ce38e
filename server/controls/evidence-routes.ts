import { callSource } from '../audit/source.ts';
import { listRoute } from '../http/list-route.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { cursorPageOf, Id } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { mapPage } from '../storage/page.ts';
import { ControlParams } from './control.ts';
import { requireControl } from './control-store.ts';
import { Evidence, NewEvidence, viewEvidence, Withdrawal } from './evidence.ts';
import { addEvidence, withdrawEvidence } from './evidence-changes.ts';
import { listEvidence, requireEvidence } from './evidence-store.ts';

const EvidenceParams = ControlParams.extend({ evidenceId: Id });

/** The operations on the evidence of a control. */
export function evidenceRoutes({ database, hasher }: Pick<Installation, 'database' | 'hasher'>): readonly Route[] {
  return [
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence', {
      operationId: 'addEvidence',
      tag: 'Controls',
      summary: 'Add an item of evidence to a control',
      description:
        'A control whose evidence was requested, overdue or not, becomes `evidence_submitted`, unless the item has already expired. A control that was accepted and lacked current evidence is accepted again, until its next review.',
      scope: 'controls:write',
      params: ControlParams,
      body: NewEvidence,
      status: 201,
      result: Evidence,
      change: (call, work) => addEvidence(work, callSource(call, hasher), call.params.controlId, call.body),
    }),
    listRoute('/v1/control-framework/controls/{controlId}/evidence', {
      operationId: 'listEvidence',
      tag: 'Controls',
      summary: 'List the evidence of a control, the items added last first',
      description: 'Withdrawn items are included.',
      scope: 'controls:read',
      params: ControlParams,
      limit: { most: 200, usual: 50 },
      result: cursorPageOf(Evidence),
      place: 'string',
      async find({ params, principal: { tenantId }, now }, { after, limit }) {
        const { control } = await requireControl(database.kysely, tenantId, params.controlId, now);
        const page = await listEvidence(database.kysely, tenantId, control.id, after, limit);
        return mapPage(page, (row) => viewEvidence(row, control.controlId, now));
      },
    }),
    defineRoute('GET /v1/control-framework/controls/{controlId}/evidence/{evidenceId}', {
      operationId: 'getEvidence',
      tag: 'Controls',
      summary: 'Get one item of evidence',
      scope: 'controls:read',
      params: EvidenceParams,
      result: Evidence,
      async handle({ params, principal: { tenantId }, now }) {
        const { control } = await requireControl(database.kysely, tenantId, params.controlId, now);
        const row = await requireEvidence(database.kysely, tenantId, control.id, params.evidenceId);
        return viewEvidence(row, control.controlId, now);
      },
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence/{evidenceId}/withdraw', {
      operationId: 'withdrawEvidence',
      tag: 'Controls',
      summary: 'Withdraw an item of evidence: it is kept and no longer counts',
      description:
        'A control that was accepted is in `needs_review` without current evidence; every other status stays. If the item was withdrawn before, nothing changes: the first reason stays.',
      scope: 'controls:write',
      params: EvidenceParams,
      body: Withdrawal,
      result: Evidence,
      change: (call, work) =>
        withdrawEvidence(
          work,
          callSource(call, hasher),
          call.params.controlId,
          call.params.evidenceId,
          call.body.reason,
        ),
    }),
  ];
}
