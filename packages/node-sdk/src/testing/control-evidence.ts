import type { Evidence, EvidenceInput } from '../types/api.ts';
import { type AssessedControl, isValid, type StoredEvidence } from './control-state.ts';
import type { Controls } from './controls.ts';
import { invalidValues, notFound, requirePast } from './refusal.ts';
import { type Call, type Handlers, newId, slicePage } from './world.ts';

type FullEvidence = { readonly [Name in keyof EvidenceInput]-?: Exclude<EvidenceInput[Name], undefined | Date> };

/** The operations on the evidence of controls. */
export function evidenceHandlers(controls: Controls): Handlers {
  const itemsOf = ({ stored }: AssessedControl) => controls.state.evidence.get(stored.id) ?? [];
  const view = (item: StoredEvidence, { control }: AssessedControl, now: string): Evidence => ({
    ...{ ...item, controlId: control.controlId, isValid: isValid(item, now) },
  });
  const find = (call: Call, control: AssessedControl): StoredEvidence => {
    const item = itemsOf(control).find(({ id }) => id === call.params.evidenceId);
    if (item === undefined) throw notFound('item of evidence');
    return item;
  };
  return {
    addEvidence(call: Call<FullEvidence>) {
      const { now, body } = call;
      const before = controls.require(call);
      const { control } = before;
      requirePast('body.collectedAt', body.collectedAt, now);
      if (body.expiresAt !== null && body.expiresAt <= body.collectedAt)
        throw invalidValues([{ path: 'body.expiresAt', issue: 'must be after collectedAt' }]);
      const item = { id: newId(), ...body, createdAt: now, withdrawnAt: null, withdrawalReason: null };
      controls.state.evidence.set(control.id, [item, ...itemsOf(before)]);
      const { kind, collectedAt, expiresAt } = body;
      const diff = { controlId: control.controlId, kind, collectedAt, expiresAt };
      controls.record(call, 'control_evidence.added', { targetId: item.id, targetRef: control.code }, diff);
      const isAsked = control.status === 'evidence_requested' || control.status === 'overdue';
      if (isAsked && isValid(item, now))
        controls.save(call, controls.require(call), { status: 'evidence_submitted', evidenceDueAt: null });
      else controls.tellMove(call, before);
      return view(item, before, now);
    },
    listEvidence(call) {
      const control = controls.require(call);
      const list = ['evidence', control.stored.id];
      const { items, nextCursor } = slicePage(itemsOf(control), ({ id }) => id, list, call.query);
      return { items: items.map((item) => view(item, control, call.now)), nextCursor };
    },
    getEvidence(call) {
      const control = controls.require(call);
      return view(find(call, control), control, call.now);
    },
    withdrawEvidence(call: Call<{ readonly reason: string }>) {
      const { now, body } = call;
      const before = controls.require(call);
      const item = find(call, before);
      if (item.withdrawnAt !== null) return view(item, before, now);
      const withdrawn = { ...item, withdrawnAt: now, withdrawalReason: body.reason };
      const items = itemsOf(before).map((one) => (one === item ? withdrawn : one));
      controls.state.evidence.set(before.stored.id, items);
      const diff = { controlId: before.control.controlId, withdrawnAt: now };
      const target = { targetId: item.id, targetRef: before.control.code };
      controls.record(call, 'control_evidence.withdrawn', target, diff, body.reason);
      controls.tellMove(call, before);
      return view(withdrawn, before, now);
    },
  };
}
