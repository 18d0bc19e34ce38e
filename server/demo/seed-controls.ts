import type { AuditSource } from '../audit/source.ts';
import { adoptFrameworks } from '../controls/adoption.ts';
import type { AssessedControl } from '../controls/assess-control.ts';
import { type ControlChange, NewControl } from '../controls/control.ts';
import { createControl, editControl } from '../controls/control-changes.ts';
import { readControls } from '../controls/control-store.ts';
import { NewEvidence } from '../controls/evidence.ts';
import { addEvidence } from '../controls/evidence-changes.ts';
import { addTest, recordResult } from '../controls/test-changes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { controlStories, type DemoEvent } from './control-stories.ts';

const day = 24 * 60 * 60_000;
/** How many controls have a story; the others are not started. */
const begunControls = 64;
/** Before anything that the stories tell of. */
const adoptedDaysAgo = 430;

const ownControls = [
  {
    code: 'DEMO-01',
    title: 'Support staff see no more of a customer than the request needs',
    description: 'The help desk hides what a request is not about; looking at it leaves a trace.',
    domain: 'Customer support',
    cadence: 'monthly',
    mappings: { GDPR: ['Art. 25'], SOC2: ['CC6.1'] },
  },
  {
    code: 'DEMO-02',
    title: 'Visitors of the office are met at the door',
    description: 'Nobody walks through the office alone who does not work there.',
    domain: 'Reception',
    cadence: 'quarterly',
    mappings: { ISO27001: ['A.7.2'], SOC2: ['CC6.4'] },
  },
];

/** Fills the control framework of the demo tenant, with dates before the present and ordinary changes. */
export async function seedControls(work: UnitOfWork, source: AuditSource, ownerUserId: string): Promise<void> {
  const begin = goBack(work, adoptedDaysAgo);
  await adoptFrameworks(begin, source, ['GDPR', 'ISO27001', 'SOC2']);
  for (const control of ownControls) {
    const { row } = await createControl(begin, source, NewControl.parse({ ...control, ownerUserId }));
    await addTest(begin, source, row.id, { title: 'Look at it', procedure: null, cadence: null });
  }
  const { controls } = await readControls(work.transaction, source.tenantId, begin.now);
  for (const [index, control] of controls.slice(0, begunControls).entries()) {
    const story = controlStories[index % controlStories.length] ?? [];
    const owner = index % 3 === 0 ? ownerUserId : undefined;
    for (const event of story) await happen(goBack(work, event.daysAgo), source, control, event, inDays(work), owner);
  }
}

/** The same unit of work at an earlier time, which rows carry; its events keep the time at which they are written. */
function goBack(work: UnitOfWork, days: number): UnitOfWork {
  return { ...work, now: inDays(work)(-days) };
}

function inDays({ now }: UnitOfWork): (days: number) => string {
  return (days) => new Date(Date.parse(now) + days * day).toISOString();
}

async function happen(
  work: UnitOfWork,
  source: AuditSource,
  { row: { id }, template, tests: [test] }: AssessedControl,
  event: DemoEvent,
  inDays: (days: number) => string,
  ownerUserId: string | undefined,
): Promise<void> {
  if (event.evidence !== undefined) {
    const { expiresIn } = event.evidence;
    const item = {
      title: template?.evidence[0] ?? 'A note of how it was done',
      kind: 'document',
      url: 'https://www.example.com/evidence',
      collectedAt: work.now,
      expiresAt: expiresIn === null ? null : inDays(expiresIn),
    };
    await addEvidence(work, source, id, NewEvidence.parse(item));
  }
  if (event.result !== undefined && test !== undefined)
    await recordResult(work, source, id, test.id, { status: event.result, notes: null, url: null });
  const change = describeMove(event, inDays);
  if (change !== null) await editControl(work, source, id, { ...change, ...(ownerUserId && { ownerUserId }) });
}

function describeMove(
  { status, dueIn, exception, notApplicable }: DemoEvent,
  inDays: (days: number) => string,
): ControlChange | null {
  if (dueIn !== undefined) return { status: 'evidence_requested', evidenceDueAt: inDays(dueIn) };
  if (exception !== undefined)
    return { status: 'excepted', reason: exception.reason, exceptionEndsAt: inDays(exception.endsIn) };
  if (notApplicable !== undefined) return { status: 'not_applicable', reason: notApplicable };
  return status === undefined ? null : { status };
}
