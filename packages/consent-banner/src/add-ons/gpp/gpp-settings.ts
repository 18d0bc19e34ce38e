import type { Purposes } from '../../decision/stored-decision.ts';
import { type Mapped, readMapping } from '../../page/attributes.ts';
import { reportProblem } from '../../page/browser.ts';

/** The site's settings, in the words of the attributes: `data-opt-outs` is `optOuts`. */
export interface GppOptions {
  /** Prefixes of sections, the one in force first: `usnat usca`. Default: `usnat`. */
  readonly sections?: string | undefined;
  /** Purposes to rights: `marketing: sale sharing targeted-advertising`. */
  readonly optOuts?: string | undefined;
  /** Rights that need no choice, because the site does no such thing: `sensitive-data additional-processing`. */
  readonly notApplicable?: string | undefined;
  /** Prefixes of the sections in force, or `none`. Default: that of the visitor's region, else the first of `sections`. */
  readonly applicableSections?: string | undefined;
  /** The number that IAB assigned to the operator of the consent platform. Default: 0. */
  readonly cmpId?: string | undefined;
  /** `no`, `opt-out-option-mode` or `service-provider-mode`, under IAB's Multi-State Privacy Agreement. */
  readonly mspa?: string | undefined;
  /** `yes` where the site knows that it processes data of children. */
  readonly knownChild?: string | undefined;
  /** `1` or `2`, the version of `usnat`. Default: 2. */
  readonly usnatVersion?: string | undefined;
  /** `wait` until the visitor decides, or `opted-out`: ready at once, with every opt-out. Default: `wait`. */
  readonly undecided?: string | undefined;
}

/** The valid part of that. */
export interface GppSettings {
  readonly forms: readonly (readonly [name: string, form: SectionForm])[];
  readonly mapping: readonly Mapped[];
  readonly notApplicable: readonly string[];
  /** The ids that the site names, else the first. */
  readonly applicableSections: readonly number[];
  /** True if the region of the visitor decides where it is known. */
  readonly isRegional: boolean;
  readonly cmpId: number;
  readonly mspa: MspaMode;
  readonly hasChildren: boolean;
  readonly isReadyUndecided: boolean;
}

/** Reads the site's settings. Invalid ones are logged, and never count as an opt-in. */
export function readSettings(options: GppOptions): GppSettings {
  const { cmpId = '0', mspa = 'no', knownChild = 'no', usnatVersion = '2', undecided = 'wait' } = options;
  const names = readNames('data-sections', options.sections ?? 'usnat', Object.keys(sections));
  const chosen = names.length > 0 ? names : ['usnat'];
  const forms = chosen
    .map((name) => [name, name === 'usnat' && usnatVersion === '1' ? firstUsnat : sections[name]] as const)
    .filter((pair): pair is [string, SectionForm] => pair[1] !== undefined)
    .sort(([, one], [, other]) => one.id - other.id);
  check('data-cmp-id', cmpId, /^\d{1,4}$/, 'the number that IAB assigned');
  readNames('data-mspa', mspa, mspaModes);
  check('data-known-child', knownChild, /^(yes|no)$/, 'yes or no');
  check('data-usnat-version', usnatVersion, /^[12]$/, '1 or 2');
  check('data-undecided', undecided, /^(wait|opted-out)$/, 'wait or opted-out');
  const mapping = readMapping(options.optOuts);
  const notApplicable = readNames('data-not-applicable', options.notApplicable ?? '', rightNames);
  readNames('data-opt-outs', mapping.map(([, name]) => name).join(' '), rightNames);
  checkRights(forms, [...mapping.map(([, name]) => name), ...notApplicable]);
  return {
    forms,
    mapping,
    notApplicable,
    applicableSections: readApplicable(options.applicableSections, chosen),
    isRegional: !options.applicableSections,
    cmpId: /^\d{1,4}$/.test(cmpId) ? Number(cmpId) : 0,
    mspa: mspaModes.find((mode) => mode === mspa) ?? 'no',
    hasChildren: knownChild !== 'no',
    isReadyUndecided: undecided === 'opted-out',
  };
}

/** The known words of a list; the others are logged. */
function readNames(attribute: string, text: string, known: readonly string[]): readonly string[] {
  const words: readonly string[] = text.match(/[^\s,]+/g) ?? [];
  for (const word of words) {
    if (!known.includes(word)) reportProblem(`${attribute}: there is no ${word}. There are ${known.join(', ')}.`);
  }
  return words.filter((word, at) => known.includes(word) && words.indexOf(word) === at);
}

function check(attribute: string, value: string, rule: RegExp, wanted: string): void {
  if (!rule.test(value)) reportProblem(`${attribute}="${value}" is not understood. It must be ${wanted}.`);
}

/** The sections in force must be among those provided; -1 means none. */
function readApplicable(text: string | undefined, chosen: readonly string[]): readonly number[] {
  const names = readNames('data-applicable-sections', text ?? '', ['none', ...chosen]);
  if (names.includes('none')) return [-1];
  return (names.length > 0 ? names : chosen.slice(0, 1)).flatMap((name) => sections[name]?.id ?? []);
}

/**
 * The ids of the sections in force: those that the site names; in a known region that of the state or of the nation; -1 for
 * none.
 * @param region ISO 3166; null for unknown.
 */
export function findApplicable(settings: GppSettings, region: string | null): readonly number[] {
  const { applicableSections, isRegional, forms } = settings;
  if (!isRegional || region === null) return applicableSections;
  if (!/^US\b/.test(region)) return [-1];
  const state = `us${region.slice(3).toLowerCase()}`;
  const [, form] = forms.find(([name]) => name === state) ?? forms.find(([name]) => name === 'usnat') ?? [];
  return [form?.id ?? -1];
}

/** Logs the rights that the sections have a field for and the site says nothing about. */
function checkRights(forms: GppSettings['forms'], named: readonly string[]): void {
  const fields = new Set(forms.flatMap(([, { core }]) => core.map((field) => field.replace(/[*:].*/, ''))));
  const missing = rightNames.filter((right) => !named.includes(right) && rights[right].some((one) => fields.has(one)));
  if (missing.length === 0) return;
  reportProblem(
    `data-opt-outs says nothing about ${missing.join(', ')}: every visitor is opted out of it. Name the purpose that allows it, or name it in data-not-applicable if the site does no such thing.`,
  );
}

/** Processing that visitors in the United States can refuse. */
type Right = 'sale' | 'sharing' | 'targeted-advertising' | 'sensitive-data' | 'additional-processing';

/** The fields for each. */
const rights: Readonly<Record<Right, readonly string[]>> = {
  sale: ['SaleOptOut'],
  sharing: ['SharingOptOut'],
  'targeted-advertising': ['TargetedAdvertisingOptOut'],
  'sensitive-data': ['SensitiveDataProcessing'],
  'additional-processing': ['PersonalDataConsents', 'AdditionalDataProcessingConsent'],
};

/** As the fields have it: the site does no such thing; opted out or no consent; not opted out or consent. */
type Choice = 0 | 1 | 2;

/** The state of a right. */
interface RightState {
  readonly choice: Choice;
  /** Status of the notice: the site does no such thing; given; not given. */
  readonly notice: 0 | 1 | 2;
}

type RightStates = Readonly<Record<Right, RightState>>;

/** Declarations of the site about the transaction under IAB's Multi-State Privacy Agreement. */
const mspaModes = ['no', 'opt-out-option-mode', 'service-provider-mode'] as const;

type MspaMode = (typeof mspaModes)[number];

export const rightNames = Object.keys(rights) as readonly Right[];

/** Names of the notices about a right, and the right. */
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
 * Returns the choice of the visitor about each right. One that purposes are mapped to is opted out unless all of them are
 * granted; one that nothing is said about is opted out for good, and no notice was given of it.
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

interface FieldContext {
  readonly version: number;
  readonly states: RightStates;
  /** True if the site knows that it processes data of children; a banner can take no parent's consent. */
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

/** A sub-section: its fields in order. `Name*8` is a list of eight, `Name:6` is of six bits, all others are of two. */
export type SubSection = readonly string[];

/** How a section of the Global Privacy Platform is written. */
interface SectionForm {
  readonly id: number;
  /** The version of its specification, as written in the string. */
  readonly version: number;
  readonly core: SubSection;
  /** True if a sub-section includes Global Privacy Control. */
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
const firstUsnat = describe(7, national(12, 2));

interface FormOptions {
  readonly version?: number;
  readonly hasGpc?: boolean;
}

function describe(id: number, fields: string, { version = 1, hasGpc = true }: FormOptions = {}): SectionForm {
  return { id, version, core: `Version:6 ${fields} ${MSPA}`.split(' '), hasGpc };
}
