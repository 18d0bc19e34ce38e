/** A sub-section: its fields in order. `Name*8` is a list of eight, `Name:6` is of six bits, all others are of two. */
export type SubSection = readonly string[];

/** How a section of the Global Privacy Platform is written. */
export interface SectionForm {
  readonly id: number;
  /** The version of its specification, as written in the string. */
  readonly version: number;
  readonly core: SubSection;
  /** Whether a sub-section includes Global Privacy Control. */
  readonly hasGpc: boolean;
}

const OPT_OUTS = 'SaleOptOutNotice TargetedAdvertisingOptOutNotice SaleOptOut TargetedAdvertisingOptOut';
const SENSITIVE = 'SensitiveDataProcessing';
const CHILD = 'KnownChildSensitiveDataConsents';
const EXTRA = 'AdditionalDataProcessingConsent';
const MSPA = 'MspaCoveredTransaction MspaOptOutOptionMode MspaServiceProviderMode';

const national = (sensitive: number, child: number): string =>
  'SharingNotice SaleOptOutNotice SharingOptOutNotice TargetedAdvertisingOptOutNotice ' +
  'SensitiveDataProcessingOptOutNotice SensitiveDataLimitUseNotice SaleOptOut SharingOptOut ' +
  `TargetedAdvertisingOptOut ${SENSITIVE}*${sensitive} ${CHILD}*${child} PersonalDataConsents`;

const california =
  'SaleOptOutNotice SharingOptOutNotice SensitiveDataLimitUseNotice SaleOptOut SharingOptOut ' +
  `${SENSITIVE}*9 ${CHILD}*2 PersonalDataConsents`;

/** Utah and Iowa let the consumer opt out of sensitive data, and name the notice each in a way of its own. */
const optOutOfSensitive = (notice: string): string =>
  `${OPT_OUTS.replace(' SaleOptOut ', ` ${notice} SaleOptOut `)} ${SENSITIVE}*8 ${CHILD}`;

/**
 * The sections for the United States that the published specifications and the reference library write alike:
 * https://github.com/InteractiveAdvertisingBureau/Global-Privacy-Platform/tree/main/Sections
 * (Maryland, Indiana, Kentucky and Rhode Island are covered by `usnat`: the two do not agree on them yet.)
 */
export const sections: Readonly<Record<string, SectionForm>> = {
  usnat: describe(7, national(16, 3), { version: 2 }),
  usca: describe(8, california),
  usva: describe(9, `SharingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD}`, { hasGpc: false }),
  usco: describe(10, `SharingNotice ${OPT_OUTS} ${SENSITIVE}*7 ${CHILD}`),
  usut: describe(11, `SharingNotice ${optOutOfSensitive('SensitiveDataProcessingOptOutNotice')}`, { hasGpc: false }),
  usct: describe(12, `SharingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD}*3`),
  usfl: describe(13, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD}*3 ${EXTRA}`, { hasGpc: false }),
  usmt: describe(14, `SharingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD}*3 ${EXTRA}`),
  usor: describe(15, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*11 ${CHILD}*3 ${EXTRA}`),
  ustx: describe(16, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD} ${EXTRA}`),
  usde: describe(17, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*9 ${CHILD}*5 ${EXTRA}`),
  usia: describe(18, `ProcessingNotice ${optOutOfSensitive('SensitiveDataOptOutNotice')}`),
  usne: describe(19, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD} ${EXTRA}`),
  usnh: describe(20, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD}*3 ${EXTRA}`),
  usnj: describe(21, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*10 ${CHILD}*5 ${EXTRA}`),
  ustn: describe(22, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD} ${EXTRA}`),
  usmn: describe(23, `ProcessingNotice ${OPT_OUTS} ${SENSITIVE}*8 ${CHILD} ${EXTRA}`),
};

/** The first version of `usnat`, for recipients that read no other. */
export const firstUsnat = describe(7, national(12, 2));

interface FormOptions {
  readonly version?: number;
  readonly hasGpc?: boolean;
}

function describe(id: number, fields: string, { version = 1, hasGpc = true }: FormOptions = {}): SectionForm {
  return { id, version, core: `Version:6 ${fields} ${MSPA}`.split(' '), hasGpc };
}
