import { type Mapped, readMapping } from '../../page/attributes.ts';
import { reportProblem } from '../../page/browser.ts';
import { type MspaMode, mspaModes, rightNames, rights } from './opt-outs.ts';
import { firstUsnat, type SectionForm, sections } from './sections.ts';

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
  /** Whether the region of the visitor decides where it is known. */
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
