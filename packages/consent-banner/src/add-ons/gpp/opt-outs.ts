import type { Purposes } from '../../decision/stored-decision.ts';
import type { Mapped } from '../../page/attributes.ts';

/** What visitors in the United States can refuse. */
export type Right = 'sale' | 'sharing' | 'targeted-advertising' | 'sensitive-data' | 'additional-processing';

/** The fields for each. */
export const rights: Readonly<Record<Right, readonly string[]>> = {
  sale: ['SaleOptOut'],
  sharing: ['SharingOptOut'],
  'targeted-advertising': ['TargetedAdvertisingOptOut'],
  'sensitive-data': ['SensitiveDataProcessing'],
  'additional-processing': ['PersonalDataConsents', 'AdditionalDataProcessingConsent'],
};

/** As the fields have it: the site does no such thing; opted out or no consent; not opted out or consent. */
export type Choice = 0 | 1 | 2;

/** The state of a right. */
export interface RightState {
  readonly choice: Choice;
  /** Whether notice was given: the site does no such thing; given; not given. */
  readonly notice: 0 | 1 | 2;
}

export type RightStates = Readonly<Record<Right, RightState>>;

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
 * one that nothing is said about is opted out for good, and no notice was given of it.
 * @param purposes what could be refused, and whether it was granted.
 */
export function describeRights(
  mapping: readonly Mapped[],
  notApplicable: readonly string[],
  purposes: Purposes,
): RightStates {
  const describe = (right: Right): RightState => {
    const keys = mapping.flatMap(([key, name]) => (name === right ? [key] : []));
    if (keys.length > 0) return { choice: keys.every((key) => purposes[key] === true) ? 2 : 1, notice: 1 };
    return notApplicable.includes(right) ? { choice: 0, notice: 0 } : { choice: 1, notice: 2 };
  };
  return Object.fromEntries(rightNames.map((right) => [right, describe(right)])) as RightStates;
}

export interface FieldContext {
  readonly version: number;
  readonly states: RightStates;
  /** Whether the site knows that it processes data of children; a banner can take no parent's consent. */
  readonly hasChildren: boolean;
  readonly mspa: MspaMode;
}

/** The value of a field of any section. The banner is the notice: it is shown to every visitor who has not decided. */
export function chooseField(name: string, { version, states, hasChildren, mspa }: FieldContext): number {
  const right = fields[name];
  const notice = notices[name];
  if (right) return states[right].choice;
  if (notice) return states[notice].notice;
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
    default: {
      // SharingNotice, ProcessingNotice: of any of it, and given only if it was given of each.
      const given = [states.sale, states.sharing, states['targeted-advertising']].map((state) => state.notice);
      return Math.max(...given);
    }
  }
}
