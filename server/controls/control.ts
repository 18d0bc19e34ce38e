import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id, namedObject, Time, text, textLine, UtcTime, visibleText } from '../http/schemas.ts';
import type { Tables } from '../storage/tables.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { Mappings } from './framework.ts';
import { cadences, controlStatuses, freshnesses, resultStatuses, settableStatuses } from './status.ts';

export type ControlRow = Selectable<Tables['tenant_controls']>;

/** A control as it is stored, with the facts that the freshness of its evidence follows from. */
export interface StoredControl extends ControlRow {
  /** The number of items that were not withdrawn. */
  readonly evidence_count: number;
  /** When the latest valid item was collected; null without any. */
  readonly latest_evidence: string | null;
}

export const CadenceName = z.enum(cadences).meta({
  id: 'ControlCadence',
  description: 'How often the control is reviewed and tested; `event_driven`: when something happens.',
});
const ControlStatusName = z.enum(controlStatuses).meta({ id: 'ControlStatus' });
const FreshnessName = z.enum(freshnesses).meta({ id: 'EvidenceFreshness' });
export const ResultStatusName = z.enum(resultStatuses).meta({ id: 'TestResultStatus' });
const SettableStatus = z
  .enum(settableStatuses)
  .meta({ id: 'SettableControlStatus', description: 'A status that a user can set.' });
export const Count = z.int().min(0);

/** The parameters of paths below a control. */
export const ControlParams = z.strictObject({
  controlId: Id.meta({ description: 'The `controlId` of the control, or its `id`.' }),
});

/** Why something was done; it is kept in the audit log. */
export const Reason = visibleText(500);

const MappedFramework = namedObject('MappedFramework', {
  code: z.string(),
  name: z.string(),
  requirements: z.array(z.string()),
});

/** spec.md "Control (item of the control list)". */
export const Control = namedObject('Control', {
  id: Id.meta({ description: 'The id of the control in this tenant.' }),
  controlId: Id.meta({
    description: 'For a control of the catalogue the same on every installation; otherwise the `id`.',
  }),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  domain: z.string(),
  status: ControlStatusName.meta({
    description:
      'The status that was set last, with two exceptions: `overdue` after the due date of requested evidence, and `needs_review` from the moment that a review is due or an exception ends. An accepted control stays accepted until the next review, as long as its evidence is current and no test fails; otherwise it is in `needs_review` until that is fixed.',
  }),
  cadence: CadenceName,
  ownerUserId: Id.nullable(),
  evidenceFreshness: FreshnessName.meta({
    description:
      '`current` for one cadence after the latest valid item was collected, `stale` for one more, then `expired`; `missing` without any item. With `event_driven`, current as long as an item is valid.',
  }),
  latestResultStatus: ResultStatusName.nullable().meta({
    description: 'The worst of the latest results of its tests.',
  }),
  lastTestedAt: UtcTime.nullable(),
  nextReviewAt: UtcTime.nullable().meta({
    description: 'One cadence after it was set to implemented or accepted; when its exception ends.',
  }),
  mappedFrameworks: z.array(MappedFramework).meta({ description: 'The adopted frameworks that it is mapped to.' }),
  evidenceCount: Count.meta({ description: 'Items of evidence that were not withdrawn.' }),
  testCount: Count.meta({ description: 'Tests in use.' }),
  resultCount: Count.meta({ description: 'Results of these tests.' }),
});
export type Control = z.output<typeof Control>;

/** A control with the fields that the list leaves out. */
export const ControlDetail = namedObject('ControlDetail', {
  ...Control.shape,
  mappings: z.record(z.string(), z.array(z.string())).meta({
    description: 'All requirements that it is mapped to, by the code of the framework, adopted or not.',
  }),
  guidance: z.string().nullable().meta({ description: 'How to do it; null for custom controls.' }),
  evidenceExamples: z.array(z.string()),
  reason: z.string().nullable().meta({ description: 'Why it is excepted or does not apply.' }),
  exceptionEndsAt: UtcTime.nullable(),
  evidenceDueAt: UtcTime.nullable(),
  reviewedAt: UtcTime.nullable().meta({
    description: 'When it was last set to implemented or accepted, or confirmed as such.',
  }),
  allowedStatuses: z.array(SettableStatus).meta({ description: 'The statuses that it can change to.' }),
  createdAt: UtcTime,
  updatedAt: UtcTime,
});

/** The data of the webhook events about controls. */
export const controlEvents = {
  'control.status_changed': namedObject('ControlStatusChangedEventData', {
    controlId: Id,
    code: z.string(),
    from: ControlStatusName,
    to: ControlStatusName,
  }),
  'control.test_failed': namedObject('ControlTestFailedEventData', {
    controlId: Id,
    code: z.string(),
    testId: Id,
    resultId: Id,
  }),
};

/** The form of the codes of the catalogue, including future and retired ones. */
const catalogueForm = new RegExp(`^(?:${catalogue.codeLetters.join('|')})-\\d{2,3}$`, 'i');

const ControlCode = text(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, 'must be 1 to 32 of A-Z a-z 0-9 . _ -, a letter or digit first')
  .refine(
    (code) => !catalogueForm.test(code),
    'must not look like a code of the catalogue, such as AC-01: the letters of its domains and two or three digits',
  );

const definitionFields = {
  title: textLine(200),
  description: visibleText(2000),
  domain: textLine(80),
  mappings: Mappings,
};

/** A custom control. */
export const NewControl = namedObject('ControlInput', {
  code: ControlCode.meta({
    description: 'Unique in the tenant, ignoring case, and not of the form of the catalogue’s codes.',
  }),
  ...definitionFields,
  mappings: Mappings.default({}),
  cadence: CadenceName,
  ownerUserId: Id.nullable().default(null),
});
export type NewControl = z.output<typeof NewControl>;

/** The definition of a custom control; stored as canonical JSON. */
export type CustomDefinition = Pick<NewControl, 'code' | 'title' | 'description' | 'domain' | 'mappings'>;

/** A change of a control; omitted fields stay as they are. */
export const ControlChange = z
  .strictObject({
    status: SettableStatus,
    ownerUserId: Id.nullable().meta({ description: 'A member who may sign in; null for no owner.' }),
    cadence: CadenceName,
    reason: Reason.meta({
      description:
        'Why; allowed with another status or a review, and kept in the audit log. Required for not_applicable and excepted, where the control keeps it.',
    }),
    exceptionEndsAt: Time.meta({ description: 'Required for excepted: in the future, at most two years ahead.' }),
    evidenceDueAt: Time.meta({
      description: 'For evidence_requested: in the future, at most two years ahead; 30 days by default.',
    }),
    ...definitionFields,
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change at least one field')
  .meta({ id: 'ControlChange' });
export type ControlChange = z.output<typeof ControlChange>;

/** The fields that can be changed for custom controls only. */
export const definitionNames = Object.keys(definitionFields) as readonly (keyof typeof definitionFields)[];
