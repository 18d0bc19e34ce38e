import type { Mapped } from '../../stub/mapping.ts';
import type { Purposes } from '../../stub/stored-decision.ts';

/** What visitors in the United States can refuse. */
export type Right = 'sale' | 'sharing' | 'targeted-advertising' | 'sensitive-data' | 'additional-processing';

/** The fields that tell of each. */
export const rights: Readonly<Record<Right, readonly string[]>> = {
  sale: ['SaleOptOut'],
  sharing: ['SharingOptOut'],
  'targeted-advertising': ['TargetedAdvertisingOptOut'],
  'sensitive-data': ['SensitiveDataProcessing'],
  'additional-processing': ['PersonalDataConsents', 'AdditionalDataProcessingConsent'],
};

/** As the fields have it: the site does no such thing; opted out or no consent; not opted out or consent. */
export type Choice = 0 | 1 | 2;

export type Choices = Readonly<Record<Right, Choice>>;

/** What the site says of the transaction under IAB's Multi-State Privacy Agreement. */
export const mspaModes = ['no', 'opt-out-option-mode', 'service-provider-mode'] as const;

export type MspaMode = (typeof mspaModes)[number];

export const rightNames = Object.keys(rights) as readonly Right[];

/** What the notices about a right are called, and the right. */
const notices: Readonly<Record<string, Right>> = {
  SaleOptOutNotice: 'sale',
  SharingOptOutNotice: 'sharing',
  TargetedAdvertisingOptOutNotice: 'targeted-advertising',
  SensitiveDataProcessingOptOutNotice: 'sensitive-data',
  SensitiveDataOptOutNotice: 'sensitive-data',
  SensitiveDataLimitUseNotice: 'sensitive-data',
};

const fields: Readonly<Record<string, Right>> = Object.fromEntries(
  rightNames.flatMap((right) => rights[right].map((field) => [field, right])),
);

/**
 * What the visitor chose about each right. One that purposes are mapped to is opted out unless all of them are granted;
 * one that nothing is said about is opted out for good.
 */
export function chooseRights(
  mapping: readonly Mapped[],
  notApplicable: readonly string[],
  purposes: Purposes,
): Choices {
  const choose = (right: Right): Choice => {
    const keys = mapping.flatMap(([key, name]) => (name === right ? [key] : []));
    if (keys.length === 0) return notApplicable.includes(right) ? 0 : 1;
    return keys.every((key) => purposes[key] === true) ? 2 : 1;
  };
  return Object.fromEntries(rightNames.map((right) => [right, choose(right)])) as Choices;
}

export interface FieldContext {
  readonly version: number;
  readonly choices: Choices;
  /** Whether the site knows that it processes data of children; a banner can take no parent's consent. */
  readonly hasChildren: boolean;
  readonly mspa: MspaMode;
}

/** The value of a field of any section. The banner is the notice: it is shown to whoever has not decided. */
export function chooseField(name: string, { version, choices, hasChildren, mspa }: FieldContext): number {
  const right = fields[name];
  const notice = notices[name];
  if (right) return choices[right];
  if (notice) return Math.min(choices[notice], 1);
  const isCovered = mspa !== 'no';
  switch (name) {
    case 'Version':
      return version;
    case 'KnownChildSensitiveDataConsents':
      return hasChildren ? 1 : 0;
    case 'MspaCoveredTransaction':
      return isCovered ? 1 : 2;
    case 'MspaOptOutOptionMode':
      return isCovered ? (mspa === 'opt-out-option-mode' ? 1 : 2) : 0;
    case 'MspaServiceProviderMode':
      return isCovered ? (mspa === 'service-provider-mode' ? 1 : 2) : 0;
    default: // SharingNotice, ProcessingNotice: of any of it.
      return choices.sale || choices.sharing || choices['targeted-advertising'] ? 1 : 0;
  }
}
