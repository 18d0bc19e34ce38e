import { attempt } from '../../stub/attempt.ts';

/** A purpose, feature or category of data as the list explains it. */
export interface Term {
  readonly name: string;
  readonly description: string;
  /** Examples of what it means in practice. */
  readonly illustrations: readonly string[];
}

export type Terms = ReadonlyMap<number, Term>;

/** What the vendors' declarations mean, in one language. */
export interface Vocabulary {
  readonly purposes: Terms;
  readonly specialPurposes: Terms;
  readonly features: Terms;
  readonly specialFeatures: Terms;
  readonly dataCategories: Terms;
}

export interface VendorUrl {
  /** Two letters. */
  readonly language: string;
  readonly policy: string | undefined;
  /** Where the vendor says what its legitimate interest is. */
  readonly interest: string | undefined;
}

/** What one vendor has declared. */
export interface Vendor {
  readonly id: number;
  readonly name: string;
  /** What it asks consent for. */
  readonly purposes: readonly number[];
  /** What it claims a legitimate interest in. */
  readonly interests: readonly number[];
  readonly specialPurposes: readonly number[];
  readonly features: readonly number[];
  readonly specialFeatures: readonly number[];
  readonly dataCategories: readonly number[];
  readonly urls: readonly VendorUrl[];
  /** Days that data is kept: for a purpose, for a special purpose, or where nothing else is said. */
  readonly retention: {
    readonly usual: number | undefined;
    readonly purposes: ReadonlyMap<number, number>;
    readonly specialPurposes: ReadonlyMap<number, number>;
  };
  /** Undefined where it sets no cookies. */
  readonly cookieMaxAgeSeconds: number | undefined;
  readonly isCookieRefreshed: boolean;
  readonly hasOtherStorage: boolean;
  readonly storageUrl: string | undefined;
}

export interface VendorList extends Vocabulary {
  readonly version: number;
  readonly policyVersion: number;
  readonly vendors: readonly Vendor[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Far beyond any text of the real list. */
const LONGEST_TEXT = 4000;
const LARGEST_ID = 99;
const LARGEST_DAYS = 36_500;
/** Policy 2.2: a legitimate interest is not enough for these. */
const CONSENT_ONLY = [1, 3, 4, 5, 6];

/**
 * Reads the global vendor list (IAB Tech Lab, "Consent string and vendor list formats v2", format 3): its terms, and of its
 * vendors those that the site works with.
 * @param onProblem called for each of them that is not in the list, has left it, or is invalid.
 * @throws Error that names the first thing wrong with the list as a whole.
 */
export function parseVendorList(
  value: unknown,
  ids: readonly number[],
  onProblem: (problem: string) => void,
): VendorList {
  const list = readObject(value, 'the list');
  if (list.gvlSpecificationVersion !== 3) throw new Error('gvlSpecificationVersion must be 3');
  const version = readCount(list.vendorListVersion, 4095, 'vendorListVersion');
  const policyVersion = readCount(list.tcfPolicyVersion, 63, 'tcfPolicyVersion');
  const all = readObject(list.vendors, 'vendors');
  const vendors = ids.flatMap((id) => {
    try {
      if (!Object.hasOwn(all, id)) throw new Error('is not in the vendor list');
      return parseVendor(readObject(all[id], 'its entry'), id);
    } catch (cause) {
      onProblem(`vendor ${id} ${(cause as Error).message}. It is left out.`);
      return [];
    }
  });
  return { version, policyVersion, vendors, ...parseVocabulary(value) };
}

/** Reads the terms of a vendor list, or of a translation of them. What is no term is left out. */
export function parseVocabulary(value: unknown): Vocabulary {
  const { purposes, specialPurposes, features, specialFeatures, dataCategories } = readObject(value, 'the list');
  return {
    purposes: readTerms(purposes),
    specialPurposes: readTerms(specialPurposes),
    features: readTerms(features),
    specialFeatures: readTerms(specialFeatures),
    dataCategories: readTerms(dataCategories),
  };
}

function parseVendor(entry: Fields, id: number): Vendor {
  if (entry.id !== id || !readText(entry.name)) throw new Error('has no id or name');
  if (entry.deletedDate !== undefined && entry.deletedDate !== null) throw new Error('has left the vendor list');
  const { cookieMaxAgeSeconds, dataRetention } = entry;
  const retention = Object(dataRetention) as Fields;
  const urls = Array.isArray(entry.urls) ? entry.urls.slice(0, 50) : [];
  return {
    id,
    name: readText(entry.name).slice(0, 200),
    purposes: readIds(entry, 'purposes'),
    interests: readIds(entry, 'legIntPurposes').filter((purpose) => !CONSENT_ONLY.includes(purpose)),
    specialPurposes: readIds(entry, 'specialPurposes'),
    features: readIds(entry, 'features'),
    specialFeatures: readIds(entry, 'specialFeatures'),
    dataCategories: readIds(entry, 'dataDeclaration'),
    urls: urls.map((one: unknown) => {
      const { langId, privacy, legIntClaim } = Object(one) as Fields;
      return { language: readText(langId), policy: readUrl(privacy), interest: readUrl(legIntClaim) };
    }),
    retention: {
      usual: readDays(retention.stdRetention),
      purposes: readAllDays(retention.purposes),
      specialPurposes: readAllDays(retention.specialPurposes),
    },
    cookieMaxAgeSeconds:
      entry.usesCookies === true && Number.isFinite(cookieMaxAgeSeconds) ? (cookieMaxAgeSeconds as number) : undefined,
    isCookieRefreshed: entry.cookieRefresh === true,
    hasOtherStorage: entry.usesNonCookieAccess === true,
    storageUrl: readUrl(entry.deviceStorageDisclosureUrl),
  };
}

/** A declaration that cannot be read may hide a purpose that was never granted, so the whole vendor is out. */
function readIds(entry: Fields, field: string): readonly number[] {
  const value = entry[field] ?? [];
  const isList = Array.isArray(value) && value.length <= LARGEST_ID && value.every((id) => isCount(id, LARGEST_ID));
  if (!isList) throw new Error(`has ${field} that are no list of ids`);
  return [...new Set(value as number[])];
}

function readTerms(value: unknown): Terms {
  const terms = Object.entries(Object(value) as Fields).flatMap(([key, entry]) => {
    const { name, description, illustrations } = Object(entry) as Fields;
    const texts = Array.isArray(illustrations) ? illustrations.slice(0, 9).map(readText).filter(Boolean) : [];
    const term = { name: readText(name), description: readText(description), illustrations: texts };
    return isCount(Number(key), LARGEST_ID) && term.name ? [[Number(key), term] as const] : [];
  });
  return new Map(terms);
}

function readAllDays(value: unknown): ReadonlyMap<number, number> {
  const days = Object.entries(Object(value) as Fields).map(([key, one]) => [Number(key), readDays(one)] as const);
  return new Map(days.filter((entry): entry is [number, number] => entry[1] !== undefined));
}

function readDays(value: unknown): number | undefined {
  return value === 0 || isCount(value, LARGEST_DAYS) ? (value as number) : undefined;
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : '';
}

/** Whatever is no address of the web could do something when it is pressed. */
function readUrl(value: unknown): string | undefined {
  const url = typeof value === 'string' ? attempt(() => new URL(value)) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function readCount(value: unknown, largest: number, field: string): number {
  if (!isCount(value, largest)) throw new Error(`${field} must be 1 to ${largest}`);
  return value;
}

function isCount(value: unknown, largest: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= largest;
}

function readObject(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) throw new Error(`${what} must be an object`);
  return value as Fields;
}
