import type { TcSignals } from './decide-signals.ts';
import type { TcfSettings } from './settings.ts';
import type { VendorList } from './vendor-list.ts';

export type EventStatus = 'tcloaded' | 'cmpuishown' | 'useractioncomplete';
export type DisplayStatus = 'visible' | 'hidden' | 'disabled';

/** What the API can return at a moment. */
export interface TcfView {
  readonly list: VendorList;
  readonly display: DisplayStatus;
  /** Undefined while there is no TC string. */
  readonly event: EventStatus | undefined;
  readonly tcString: string;
  readonly signals: TcSignals;
}

type Flags = Readonly<Record<string, boolean>>;

/** What `__tcfapi` returns: objects of the IAB's own shape ("CMP API v2", sections "TCData" and "PingReturn"). */
export type TcfAnswer = Readonly<Record<string, unknown>>;

/** The TCData of a moment; without a view the vendor list is on its way, and nothing is granted. */
export function writeTcData(settings: TcfSettings, view: TcfView | undefined, listenerId?: number): TcfAnswer {
  const { cmpId, cmpVersion, gdprApplies, publisherCountry, useNonStandardTexts } = settings;
  const general = { gdprApplies, tcfPolicyVersion: view?.list.policyVersion, cmpId, cmpVersion, listenerId };
  if (!gdprApplies) return general;
  const { signals } = view ?? {};
  const purposes = [...(view?.list.purposes.keys() ?? [])];
  const vendors = signals?.disclosedVendors ?? [];
  return {
    ...general,
    tcString: view?.tcString ?? '',
    eventStatus: view?.event,
    cmpStatus: view ? 'loaded' : 'loading',
    isServiceSpecific: true,
    useNonStandardTexts,
    publisherCC: publisherCountry,
    purposeOneTreatment: false,
    purpose: {
      consents: flag(purposes, signals?.purposeConsents),
      legitimateInterests: flag(purposes, signals?.purposeInterests),
    },
    vendor: {
      consents: flag(vendors, signals?.vendorConsents),
      legitimateInterests: flag(vendors, signals?.vendorInterests),
      disclosedVendors: flag(vendors, vendors),
    },
    specialFeatureOptins: flag([...(view?.list.specialFeatures.keys() ?? [])], signals?.specialFeatures),
    publisher: {
      consents: {},
      legitimateInterests: {},
      customPurpose: { consents: {}, legitimateInterests: {} },
      restrictions: {},
    },
  };
}

function flag(ids: readonly number[], set: readonly number[] = []): Flags {
  const on = new Set(set);
  return Object.fromEntries(ids.map((id) => [id, on.has(id)]));
}
