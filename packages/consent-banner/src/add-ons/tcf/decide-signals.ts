import type { Purposes } from '../../stub/stored-decision.ts';
import type { Mapping, TcfSettings } from './settings.ts';
import type { VendorChoices } from './vendor-choices.ts';
import type { VendorList } from './vendor-list.ts';

/** Who may do what, by ids. */
export interface TcSignals {
  readonly purposeConsents: readonly number[];
  readonly purposeInterests: readonly number[];
  readonly specialFeatures: readonly number[];
  readonly vendorConsents: readonly number[];
  readonly vendorInterests: readonly number[];
  readonly disclosedVendors: readonly number[];
}

export interface SignalsInput {
  readonly list: VendorList;
  readonly settings: Pick<TcfSettings, 'purposes' | 'specialFeatures'>;
  /** The notice's purposes that the visitor could choose, and did; null before a decision. */
  readonly decided: Purposes | null;
  readonly choices: Pick<VendorChoices, 'refused' | 'objected'>;
  /** The vendors disclosed to the visitor. */
  readonly disclosed: readonly number[];
  /** Whether the browser sends Global Privacy Control. */
  readonly hasPrivacySignal: boolean;
}

/** TCF 2.2: these need consent in any case. */
const CONSENT_ONLY = [1, 3, 4, 5, 6];

/**
 * What a visitor's choices mean for each purpose and vendor.
 *
 * Consent is what was granted, nothing before a decision, and nothing before any vendor was disclosed to the visitor: then they
 * have not consented to anything of the TCF. A vendor has it when all the purposes it asks consent for are
 * granted, it was disclosed to the visitor, and they have not switched it off. A legitimate interest holds once it was
 * disclosed to the visitor, unless they object: to the vendor, or by refusing a purpose of the notice that stands for that of the
 * vendor. Global Privacy Control is an objection until there is a decision.
 */
export function decideSignals(input: SignalsInput): TcSignals {
  const { list, settings, decided, choices, disclosed, hasPrivacySignal } = input;
  const isGranted = (keys: readonly string[]): boolean =>
    decided !== null && keys.every((key) => Object.hasOwn(decided, key) && decided[key] === true);
  const select = (mapping: Mapping, holds: (keys: readonly string[], id: number) => boolean): readonly number[] =>
    [...mapping].flatMap(([id, keys]) => (holds(keys, id) ? id : [])).sort((one, other) => one - other);

  const toldIds = new Set(disclosed);
  const refused = new Set(choices.refused);
  const objected = new Set(choices.objected);
  const told = list.vendors.filter(({ id }) => toldIds.has(id));
  const isTold = told.length > 0;
  const known = (id: number): boolean => isTold && list.purposes.has(id);
  const purposeConsents = select(settings.purposes, (keys, id) => known(id) && isGranted(keys));
  const purposeInterests = select(
    settings.purposes,
    (keys, id) => known(id) && !CONSENT_ONLY.includes(id) && (decided ? isGranted(keys) : !hasPrivacySignal),
  );
  return {
    purposeConsents,
    purposeInterests,
    specialFeatures: select(
      settings.specialFeatures,
      (keys, id) => isTold && list.specialFeatures.has(id) && isGranted(keys),
    ),
    vendorConsents: told.flatMap(({ id, purposes }) => {
      const isAllowed = purposes.length > 0 && purposes.every((purpose) => purposeConsents.includes(purpose));
      return isAllowed && !refused.has(id) ? id : [];
    }),
    vendorInterests: told.flatMap(({ id, interests }) => {
      const isAllowed = interests.some((purpose) => purposeInterests.includes(purpose));
      return isAllowed && !objected.has(id) ? id : [];
    }),
    disclosedVendors: told.map(({ id }) => id),
  };
}
