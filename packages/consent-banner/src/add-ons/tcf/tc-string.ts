import type { TcSignals } from './decide-signals.ts';

/** The content of a TC string. */
export interface TcModel extends TcSignals {
  readonly cmpId: number;
  readonly cmpVersion: number;
  /** Two letters. */
  readonly language: string;
  readonly publisherCountry: string;
  /** Whether the visitor was asked in other words than the framework's own. */
  readonly useNonStandardTexts: boolean;
  readonly vendorListVersion: number;
  readonly policyVersion: number;
  /** When the visitor's choices last changed, in milliseconds; the string has only the day. */
  readonly updatedAt: number;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const DAY = 86_400_000;
const FORMAT = 2;
const DISCLOSED_VENDORS = 1;
/** More do not fit into the 12 bits of their number. */
const MOST_RANGES = 4095;

/**
 * Writes a TC string of two segments, the core and the disclosed vendors (IAB Tech Lab, "Consent string and vendor list
 * formats v2", sections "TC String Format" and "Disclosed Vendors", as of TCF 2.3). Publisher restrictions are empty, the
 * scope is the service, and both dates are the day of the last change in UTC.
 */
export function writeTcString(model: TcModel): string {
  const day = Math.floor(model.updatedAt / DAY) * (DAY / 100);
  const core = [
    writeNumber(FORMAT, 6),
    writeNumber(day, 36),
    writeNumber(day, 36),
    writeNumber(model.cmpId, 12),
    writeNumber(model.cmpVersion, 12),
    writeNumber(0, 6), // The number of the screen: there is one.
    writeLetters(model.language),
    writeNumber(model.vendorListVersion, 12),
    writeNumber(model.policyVersion, 6),
    '1', // Only of this service.
    writeNumber(Number(model.useNonStandardTexts), 1),
    writeField(new Set(model.specialFeatures), 12),
    writeField(new Set(model.purposeConsents), 24),
    writeField(new Set(model.purposeInterests), 24),
    '0', // Purpose 1 is asked for like the others.
    writeLetters(model.publisherCountry),
    writeVendors(model.vendorConsents),
    writeVendors(model.vendorInterests),
    writeNumber(0, 12), // Publisher restrictions.
  ];
  const disclosed = [writeNumber(DISCLOSED_VENDORS, 3), writeVendors(model.disclosedVendors)];
  return [core, disclosed].map((bits) => encodeBits(bits.join(''))).join('.');
}

function writeNumber(value: number, bits: number): string {
  return value.toString(2).padStart(bits, '0');
}

function writeLetters(letters: string): string {
  return [...letters.toUpperCase()].map((letter) => writeNumber(letter.charCodeAt(0) - 65, 6)).join('');
}

/** A bit for each id from 1 on. */
function writeField(ids: ReadonlySet<number>, length: number): string {
  return Array.from({ length }, (_, index) => (ids.has(index + 1) ? '1' : '0')).join('');
}

/** As a bit for each id, or as ranges of them, whichever is shorter. */
function writeVendors(ids: readonly number[]): string {
  const known = new Set(ids);
  const largest = ids.reduce((one, other) => Math.max(one, other), 0);
  const ranges = listRanges(known, largest);
  const rangeBits = ranges.map(([first, last]) =>
    first === last ? `0${writeNumber(first, 16)}` : `1${writeNumber(first, 16)}${writeNumber(last, 16)}`,
  );
  const asRanges = `1${writeNumber(ranges.length, 12)}${rangeBits.join('')}`;
  const asField = `0${writeField(known, largest)}`;
  const isShorter = asRanges.length < asField.length && ranges.length <= MOST_RANGES;
  return writeNumber(largest, 16) + (isShorter ? asRanges : asField);
}

function listRanges(known: ReadonlySet<number>, largest: number): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (let id = 1; id <= largest; id++) {
    const range = ranges.at(-1);
    if (!known.has(id)) continue;
    if (range?.[1] === id - 1) range[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}

/** Base64url without padding characters: the bits are filled up to whole groups of three bytes. */
function encodeBits(bits: string): string {
  const filled = bits.padEnd(Math.ceil(bits.length / 24) * 24, '0');
  return filled.replace(/.{6}/g, (group) => ALPHABET.charAt(Number.parseInt(group, 2)));
}
