import { adoptFrameworks } from '../../controls/adoption.ts';
import type { AssessedControl } from '../../controls/assess-control.ts';
import { type ControlChange, NewControl } from '../../controls/control.ts';
import { createControl, editControl } from '../../controls/control-changes.ts';
import { NewEvidence } from '../../controls/evidence.ts';
import { addEvidence, addTest, recordResult } from '../../controls/part-changes.ts';
import type { ResultStatus } from '../../controls/status.ts';
import { readControls } from '../../controls/store.ts';
import type { AuditSource } from '../../http/principal.ts';
import { addTime, dayMilliseconds, type Transaction } from '../../storage/database.ts';

/** The number of controls with a history; the others are not started. */
const startedControls = 64;
/** Before the first event of any history. */
const adoptedDaysAgo = 430;

const ownControls = [
  {
    code: 'DEMO-01',
    title: 'Support staff see only the customer data that a request needs',
    description: 'The help desk hides data that a request is not about; access to it is logged.',
    domain: 'Customer support',
    cadence: 'monthly',
    mappings: { GDPR: ['Art. 25'], SOC2: ['CC6.1'] },
  },
  {
    code: 'DEMO-02',
    title: 'Visitors of the office are accompanied',
    description: 'Visitors are met at the door and do not walk through the office by themselves.',
    domain: 'Reception',
    cadence: 'quarterly',
    mappings: { ISO27001: ['A.7.2'], SOC2: ['CC6.4'] },
  },
];

/** An event in the history of a control. */
interface DemoEvent {
  readonly daysAgo: number;
  /** @param owner whom a change makes the owner, if it does. */
  write(tx: Transaction, source: AuditSource, control: AssessedControl, owner: ControlChange): Promise<unknown>;
}

/** The histories of the controls, in the order of their codes, repeated after the last. */
function writeHistories(inDays: (days: number) => string): readonly (readonly DemoEvent[])[] {
  /** Adds an item of evidence; null if it does not expire. */
  const collect = (daysAgo: number, expiresAt: string | null = null): DemoEvent => ({
    daysAgo,
    write(tx, source, { row, template }) {
      const title = template?.evidence[0] ?? 'Notes of the review';
      const url = 'https://www.example.com/evidence';
      const item = { title, kind: 'document', url, collectedAt: tx.now, expiresAt };
      return addEvidence(tx, source, row.id, NewEvidence.parse(item));
    },
  });
  const test = (daysAgo: number, status: ResultStatus): DemoEvent => ({
    daysAgo,
    async write(tx, source, { row, tests: [test] }) {
      const place = test && { controlId: row.id, testId: test.id };
      if (place !== undefined) await recordResult(tx, source, place, { status, notes: null, url: null });
    },
  });
  const change = (daysAgo: number, change: ControlChange): DemoEvent => ({
    daysAgo,
    write: (tx, source, { row }, owner) => editControl(tx, source, row.id, { ...change, ...owner }),
  });
  const set = (daysAgo: number, status: 'in_progress' | 'evidence_submitted' | 'implemented' | 'accepted') =>
    change(daysAgo, { status });
  const request = (daysAgo: number, dueIn: number) =>
    change(daysAgo, { status: 'evidence_requested', evidenceDueAt: inDays(dueIn) });
  const exception = 'The old system is replaced in spring; until then two people check by hand.';
  const accepted = [collect(21), test(20, 'pass'), set(19, 'evidence_submitted'), set(17, 'accepted')];
  const implemented = [collect(26), set(12, 'implemented'), test(12, 'pass')];
  const submitted = [request(16, 14), collect(3)];
  const requested = [request(9, 12)];
  const overdue = [set(60, 'in_progress'), request(40, -8)];
  const failing = [collect(34), set(30, 'implemented'), test(5, 'fail')];
  const warning = [collect(34), set(20, 'implemented'), test(6, 'warning')];
  const outOfDate = [collect(401), test(398, 'pass'), set(397, 'evidence_submitted'), set(395, 'accepted')];
  const expired = [collect(90, inDays(-4)), set(88, 'implemented')];
  const excepted = [change(31, { status: 'excepted', reason: exception, exceptionEndsAt: inDays(120) })];
  const notApplicable = [change(100, { status: 'not_applicable', reason: 'The demo company has no such process.' })];
  const started = [set(8, 'in_progress')];
  return [
    ...[accepted, accepted, implemented, accepted, requested, accepted, failing, accepted],
    ...[submitted, accepted, accepted, outOfDate, implemented, overdue, accepted, started],
    ...[accepted, warning, accepted, excepted, accepted, notApplicable, implemented, accepted],
    ...[requested, accepted, expired, accepted, submitted, started, accepted, overdue],
    ...[accepted, implemented, outOfDate, accepted, failing, accepted, started, accepted],
  ];
}

/** Fills the controls of the demo tenant with ordinary changes that are dated before the present. */
export async function seedControls(tx: Transaction, source: AuditSource, ownerUserId: string): Promise<void> {
  const inDays = (days: number) => addTime(tx.now, days * dayMilliseconds);
  // Rows have the earlier time; events have the time at which they are written.
  const goBack = (daysAgo: number): Transaction => ({ ...tx, now: inDays(-daysAgo) });
  const start = goBack(adoptedDaysAgo);
  await adoptFrameworks(start, source, ['GDPR', 'ISO27001', 'SOC2']);
  for (const control of ownControls) {
    const { row } = await createControl(start, source, NewControl.parse({ ...control, ownerUserId }));
    await addTest(start, source, row.id, { title: 'Review a sample', procedure: null, cadence: null });
  }
  const { controls } = await readControls(tx.queries, source.tenantId, start.now);
  const histories = writeHistories(inDays);
  for (const [index, control] of controls.slice(0, startedControls).entries()) {
    const owner = index % 3 === 0 ? { ownerUserId } : {};
    for (const { daysAgo, write } of histories[index % histories.length] ?? [])
      await write(goBack(daysAgo), source, control, owner);
  }
}
