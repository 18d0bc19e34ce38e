import { reportProblem } from '../../report-problem.ts';
import { attempt } from '../../stub/attempt.ts';
import { readMapping } from '../../stub/mapping.ts';

/** What a site says about itself as part of IAB Europe's Transparency and Consent Framework (TCF). */
export interface TcfOptions {
  /** The number that IAB Europe has given to the consent management platform (CMP): only a registered one has it. */
  readonly cmpId: number;
  /** The version of that platform. Default: 1. */
  readonly cmpVersion?: number | undefined;
  /** Where the publisher is established: ISO 3166-1 alpha-2. */
  readonly publisherCountry: string;
  /** The address of the site's own copy of the global vendor list, format 3. */
  readonly vendorList: string;
  /** The vendors that the site works with, by their ids in that list. */
  readonly vendors: readonly number[];
  /** Purposes of the notice and the TCF purposes and special features they stand for: `marketing: 1 2 3 4; location: s1`. */
  readonly purposes: string;
  /** Whether the GDPR applies to the visitors of this page. Default: true. */
  readonly gdprApplies?: boolean | undefined;
  /** BCP 47 tag of the words. Default: the banner's `language`, or the page's. */
  readonly language?: string | undefined;
  /** The address of a copy of the IAB's `purposes-{language}.json`: the texts of the list in that language. */
  readonly purposeTexts?: string | undefined;
  /**
   * Whether the texts that ask are the site's own, as those of a notice are, and not the framework's own stacks and
   * illustrations word for word: `UseNonStandardTexts` in the TC string. Default: true.
   */
  readonly useNonStandardTexts?: boolean | undefined;
}

/** Which purposes of the notice stand for a TCF purpose or special feature: all of them have to be granted. */
export type Mapping = ReadonlyMap<number, readonly string[]>;

/** Options that have been checked. */
export interface TcfSettings extends Omit<TcfOptions, 'purposes'> {
  readonly cmpVersion: number;
  readonly gdprApplies: boolean;
  readonly useNonStandardTexts: boolean;
  readonly purposes: Mapping;
  readonly specialFeatures: Mapping;
}

/** Numbers that have 12 bits in a TC string. */
const LARGEST = 4095;
const LARGEST_PURPOSE = 24;
const LARGEST_FEATURE = 12;
const LARGEST_VENDOR = 65_535;

/** Reads the options from the `data-…` attributes of a script tag. What is missing is found by `checkOptions`. */
export function readTagOptions(dataset: DOMStringMap): TcfOptions {
  const { cmpVersion, gdprApplies, useNonStandardTexts } = dataset;
  return {
    cmpId: readNumber(dataset.cmpId),
    cmpVersion: cmpVersion === undefined ? undefined : readNumber(cmpVersion),
    publisherCountry: dataset.publisherCountry ?? '',
    vendorList: dataset.vendorList ?? '',
    vendors: (dataset.vendors?.match(/[^\s,]+/g) ?? []).map(readNumber),
    purposes: dataset.purposes ?? '',
    gdprApplies: gdprApplies !== 'false',
    language: dataset.language,
    purposeTexts: dataset.purposeTexts,
    useNonStandardTexts: useNonStandardTexts !== 'false',
  };
}

/**
 * Checks options; problems are logged.
 * @returns null when no TC string can be given out with them.
 */
export function checkOptions(options: TcfOptions): TcfSettings | null {
  const { cmpId, cmpVersion = 1, vendors, gdprApplies = true, useNonStandardTexts = true } = options;
  const publisherCountry = String(options.publisherCountry).toUpperCase();
  const vendorList = readAddress(options.vendorList);
  const wrong = [
    !isWithin(cmpId, 2, LARGEST) &&
      'cmp-id is missing. Only an organisation that IAB Europe has registered as a CMP has one; see https://iabeurope.eu/tcf-for-cmps/',
    !isWithin(cmpVersion, 0, LARGEST) && `cmp-version must be 0 to ${LARGEST}`,
    !/^[A-Z]{2}$/.test(publisherCountry) && 'publisher-country must be two letters, such as DE',
    !vendorList && 'vendor-list must be the http(s) address of your copy of the global vendor list',
    !vendors.length && 'vendors must name the vendors you work with by their ids',
  ].filter((problem) => problem !== false);
  for (const problem of wrong) reportProblem(`TCF: ${problem}. No TC string is given out.`);
  if (wrong.length || !vendorList) return null;
  return {
    ...options,
    cmpVersion,
    gdprApplies,
    useNonStandardTexts,
    publisherCountry,
    vendorList,
    vendors: [...new Set(vendors)].filter((id) => checkVendor(id)).sort((one, other) => one - other),
    ...readPurposes(options.purposes),
    purposeTexts: options.purposeTexts && readAddress(options.purposeTexts),
  };
}

function checkVendor(id: number): boolean {
  const isValid = isWithin(id, 1, LARGEST_VENDOR);
  if (!isValid)
    reportProblem(`TCF: vendors has something that is no id of a vendor. Write ids alone, such as "12 755".`);
  return isValid;
}

function readPurposes(text: string): Pick<TcfSettings, 'purposes' | 'specialFeatures'> {
  const purposes = new Map<number, string[]>();
  const specialFeatures = new Map<number, string[]>();
  for (const [key, name] of readMapping(text)) {
    const [, letter, digits] = /^(s?)(\d+)$/.exec(name) ?? [];
    const id = Number(digits);
    const map = letter ? specialFeatures : purposes;
    if (!isWithin(id, 1, letter ? LARGEST_FEATURE : LARGEST_PURPOSE)) {
      reportProblem(
        `TCF: purposes maps "${key}" to "${name}". Write the number of a purpose, or s1 for a special feature.`,
      );
    } else map.set(id, [...(map.get(id) ?? []), key]);
  }
  if (!purposes.size)
    reportProblem('TCF: purposes maps nothing, so nothing is ever granted. Write "marketing: 1 2 3 4".');
  return { purposes, specialFeatures };
}

function readNumber(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
}

function isWithin(value: number, least: number, largest: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= largest;
}

function readAddress(text: string): string | undefined {
  const url = text ? attempt(() => new URL(text, document.baseURI)) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
