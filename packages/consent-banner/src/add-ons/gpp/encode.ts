import type { Purposes } from '../../decision/stored-decision.ts';
import { chooseField, describeRights, type GppSettings, type SubSection } from './gpp-settings.ts';

/** The values of a sub-section by the names of its fields; a list has its value in every place. */
export type FieldValues = Readonly<Record<string, number | readonly number[] | boolean>>;

/** A section that is written, ready to be asked for. */
export interface WrittenSection {
  readonly id: number;
  /** Its prefix in the API, such as `usnat`. */
  readonly name: string;
  readonly subSections: readonly FieldValues[];
  readonly text: string;
}

const HEADER = 3;
const HEADER_VERSION = 1;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The GPP string of sections, in the order of their ids: header, then each section, https://github.com/InteractiveAdvertisingBureau/Global-Privacy-Platform/blob/main/Core/Consent%20String%20Specification.md. */
export function writeGppString(sections: readonly WrittenSection[]): string {
  const header = writeInteger(HEADER, 6) + writeInteger(HEADER_VERSION, 6) + writeRange(sections.map(({ id }) => id));
  return [writeBase64(header), ...sections.map(({ text }) => text)].join('~');
}

/** The values of a sub-section from what each field shall have, and the text that is made of them. */
function writeSubSection(fields: SubSection, choose: (name: string) => number): readonly [FieldValues, string] {
  const values: Record<string, number | readonly number[]> = {};
  let bits = '';
  for (const field of fields) {
    const [, name = '', count, size = '2'] = /^(\w+?)(?:\*(\d+))?(?::(\d+))?$/.exec(field) ?? [];
    const value = choose(name);
    values[name] = count ? Array<number>(Number(count)).fill(value) : value;
    bits += writeInteger(value, Number(size)).repeat(Number(count ?? 1));
  }
  return [values, writeBase64(bits)];
}

/** The sub-section for Global Privacy Control. */
function writeGpc(isOn: boolean): readonly [FieldValues, string] {
  return [{ SubsectionType: 1, Gpc: isOn }, writeBase64(`01${isOn ? 1 : 0}`)];
}

function writeInteger(value: number, size: number): string {
  return value.toString(2).padStart(size, '0');
}

/** Whole bytes first, then whole characters: so the reference library writes and reads it. */
function writeBase64(bits: string): string {
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  const whole = bytes.padEnd(Math.ceil(bytes.length / 6) * 6, '0');
  return whole.replace(/.{6}/g, (one) => ALPHABET.charAt(Number.parseInt(one, 2)));
}

/** Ascending numbers as a Fibonacci range: groups of neighbors, each by its distance from the one before. */
function writeRange(numbers: readonly number[]): string {
  const groups: [first: number, last: number][] = [];
  for (const one of numbers) {
    const group = groups.at(-1);
    if (group && group[1] === one - 1) group[1] = one;
    else groups.push([one, one]);
  }
  let bits = writeInteger(groups.length, 12);
  let before = 0;
  for (const [first, last] of groups) {
    bits +=
      first === last
        ? `0${writeFibonacci(first - before)}`
        : `1${writeFibonacci(first - before)}${writeFibonacci(last - first)}`;
    before = last;
  }
  return bits;
}

/** A number above 0 as a sum of Fibonacci numbers, the smallest first, and a 1 behind. */
function writeFibonacci(value: number): string {
  const parts = [1, 2];
  while ((parts.at(-1) as number) < value) parts.push((parts.at(-1) as number) + (parts.at(-2) as number));
  let rest = value;
  let bits = '';
  for (const part of parts.reverse()) {
    const isIn = part <= rest;
    if (isIn) rest -= part;
    bits = `${isIn ? 1 : 0}${bits}`;
  }
  return `${bits.replace(/(?<!0)0+$/, '')}1`;
}

/**
 * The sections that the site wants, for what is granted; nothing granted means opted out of everything.
 * @param purposes what the visitor could refuse, and whether it is granted.
 * @param hasGpc whether the browser sends Global Privacy Control.
 */
export function writeSections(
  { forms, mapping, notApplicable, hasChildren, mspa }: GppSettings,
  purposes: Purposes,
  hasGpc: boolean,
): readonly WrittenSection[] {
  const states = describeRights(mapping, notApplicable, purposes);
  return forms.map(([name, form]) => {
    const context = { version: form.version, states, hasChildren, mspa };
    const written = [writeSubSection(form.core, (field) => chooseField(field, context))];
    if (form.hasGpc) written.push(writeGpc(hasGpc));
    return {
      id: form.id,
      name,
      subSections: written.map(([values]) => values),
      text: written.map(([, text]) => text).join('.'),
    };
  });
}
