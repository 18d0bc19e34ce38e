import { z } from 'zod';
import { Id, Time, text, UtcTime, visibleText } from '../http/schemas.ts';
import { textLine } from '../http/text-line.ts';
import { cadences } from './cadence.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { freshnesses } from './freshness.ts';
import { Mappings } from './mappings.ts';
import { controlStatuses, settableStatuses } from './status.ts';
import { resultStatuses } from './test-schedule.ts';

export const CadenceName = z.enum(cadences).meta({
  id: 'ControlCadence',
  description: 'How often the control is reviewed and tested; `event_driven`: when something happens.',
});
export const ControlStatusName = z.enum(controlStatuses).meta({ id: 'ControlStatus' });
export const FreshnessName = z.enum(freshnesses).meta({ id: 'EvidenceFreshness' });
export const ResultStatusName = z.enum(resultStatuses).meta({ id: 'TestResultStatus' });
const SettableStatus = z
  .enum(settableStatuses)
  .meta({ id: 'SettableControlStatus', description: 'A status that a user can set.' });
export const Count = z.int().min(0);

/** Why something was done; it stands in the audit log. */
export const Reason = visibleText(500);

export const MappedFramework = z
  .strictObject({ code: z.string(), name: z.string(), requirements: z.array(z.string()) })
  .meta({ id: 'MappedFramework' });

const fields = {
  id: Id.meta({ description: 'The id of the control in this tenant.' }),
  controlId: Id.meta({ description: 'For a control of the catalogue the same on every installation; else the id.' }),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  domain: z.string(),
  status: ControlStatusName.meta({
    description:
      'As it was set, but `overdue` once the day of requested evidence has passed, and `needs_review` from the moment that a review is due or an exception ends. An acceptance holds until the next review as long as the evidence is current and no test fails; otherwise the control is in `needs_review` until that is mended.',
  }),
  cadence: CadenceName,
  ownerUserId: Id.nullable(),
  evidenceFreshness: FreshnessName.meta({
    description:
      '`current` for one cadence after the latest item that counts was collected, `stale` for one more, then `expired`; `missing` without any item. With `event_driven`, current as long as an item counts.',
  }),
  latestResultStatus: ResultStatusName.nullable().meta({
    description: 'The worst among the latest results of its tests.',
  }),
  lastTestedAt: UtcTime.nullable(),
  nextReviewAt: UtcTime.nullable().meta({
    description: 'One cadence after it was set to implemented or accepted; when its exception ends.',
  }),
  mappedFrameworks: z.array(MappedFramework).meta({ description: 'The adopted frameworks that it is mapped to.' }),
  evidenceCount: Count.meta({ description: 'Items of evidence that were not withdrawn.' }),
  testCount: Count.meta({ description: 'Tests in use.' }),
  resultCount: Count.meta({ description: 'Results of these tests.' }),
};

/** spec.md "Control (item of the control list)". */
export const Control = z.strictObject(fields).meta({ id: 'Control' });
export type Control = z.output<typeof Control>;

/** One control with what the list leaves out. */
export const ControlDetail = z
  .strictObject({
    ...fields,
    mappings: z.record(z.string(), z.array(z.string())).meta({
      description: 'All requirements that it is mapped to, by the code of the framework, adopted or not.',
    }),
    guidance: z.string().nullable().meta({ description: 'How to do it; null for controls of your own.' }),
    evidenceExamples: z.array(z.string()),
    reason: z.string().nullable().meta({ description: 'Why it is excepted or does not apply.' }),
    exceptionEndsAt: UtcTime.nullable(),
    evidenceDueAt: UtcTime.nullable(),
    reviewedAt: UtcTime.nullable().meta({
      description: 'When it was last set to implemented or accepted, or set to that again.',
    }),
    allowedStatuses: z.array(SettableStatus).meta({ description: 'Where it may go from its status.' }),
    createdAt: UtcTime,
    updatedAt: UtcTime,
  })
  .meta({ id: 'ControlDetail' });
export type ControlDetail = z.output<typeof ControlDetail>;

/** The data of the webhook events about controls. */
export const controlEvents = {
  'control.status_changed': z
    .strictObject({ controlId: Id, code: z.string(), from: ControlStatusName, to: ControlStatusName })
    .meta({ id: 'ControlStatusChangedEventData' }),
  'control.test_failed': z
    .strictObject({ controlId: Id, code: z.string(), testId: Id, resultId: Id })
    .meta({ id: 'ControlTestFailedEventData' }),
};

/** What codes of the catalogue look like, those to come and those that were retired included. */
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

/** A control of the tenant's own. */
export const NewControl = z
  .strictObject({
    code: ControlCode.meta({
      description: 'Unlike every other code of the tenant, in any case, and not of the form of the catalogue’s.',
    }),
    ...definitionFields,
    mappings: Mappings.default({}),
    cadence: CadenceName,
    ownerUserId: Id.nullable().default(null),
  })
  .meta({ id: 'ControlInput' });
export type NewControl = z.output<typeof NewControl>;

/** What a control of the tenant's own is; stored as canonical JSON. */
export type OwnDefinition = Pick<NewControl, 'code' | 'title' | 'description' | 'domain' | 'mappings'>;

/** A change of a control; what is left out stays as it is. */
export const ControlChange = z
  .strictObject({
    status: SettableStatus,
    ownerUserId: Id.nullable().meta({ description: 'A member who may sign in; null for nobody.' }),
    cadence: CadenceName,
    reason: Reason.meta({
      description:
        'Why; goes with another status or a review, and stands in the audit log. Needed for not_applicable and excepted, whose control keeps it.',
    }),
    exceptionEndsAt: Time.meta({ description: 'Needed for excepted: in the future, two years ahead at most.' }),
    evidenceDueAt: Time.meta({
      description: 'For evidence_requested: in the future, two years ahead at most; 30 days by default.',
    }),
    ...definitionFields,
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change at least one field')
  .meta({ id: 'ControlChange' });
export type ControlChange = z.output<typeof ControlChange>;

/** The fields that only controls of the tenant's own may change. */
export const definitionNames = Object.keys(definitionFields) as readonly (keyof typeof definitionFields)[];
