import type {
  NoticeChange,
  NoticeContent,
  NoticeTexts,
  PurposeTranslation,
} from '../../../packages/node-sdk/src/types/api.ts';
import { listChanged } from './conflict.ts';

/** A purpose with its translations, which follow it when it is moved or gets another key. */
export interface DraftPurpose extends Omit<NoticeContent['purposes'][number], 'basis' | 'basisByRegion'> {
  /** Empty for the default, as the field has it. */
  readonly basis?: string | undefined;
  readonly basisByRegion?: Readonly<Record<string, string>> | undefined;
  readonly words: Readonly<Record<string, PurposeTranslation>>;
}

/** The content of a notice as in its form: an empty field is an empty value. */
export interface Draft extends Omit<NoticeContent, 'purposes' | 'translations'> {
  readonly purposes: readonly DraftPurpose[];
  /** The languages besides its own, with the texts of the banner in each. */
  readonly translations: Readonly<Record<string, NoticeTexts>>;
  /** The regions that the form lists, also those where no purpose differs yet. */
  readonly regions: readonly string[];
}

/** The fields of a content that a form edits. */
const contentNames = [
  'name',
  'controllerName',
  'language',
  'domain',
  'purposes',
  'texts',
  'theme',
  'translations',
  'controllerContact',
  'links',
  'rights',
  'jurisdictions',
  'consentDuration',
] as const satisfies readonly (keyof NoticeContent)[];

/** The content of a notice or of a version. What it does not state is absent, as in the answer of the server. */
export function contentOf(notice: NoticeContent): NoticeContent {
  const stated = contentNames.filter((name) => notice[name] !== undefined && notice[name] !== null);
  return Object.fromEntries(stated.map((name) => [name, notice[name]])) as unknown as NoticeContent;
}

/** The draft that changes nothing. */
export function readDraft(notice: NoticeContent): Draft {
  const { purposes, translations = {}, ...content } = contentOf(notice);
  const tags = Object.entries(translations);
  const regions = purposes.flatMap(({ basisByRegion = {} }) => Object.keys(basisByRegion));
  return {
    ...content,
    purposes: purposes.map((purpose) => ({
      ...purpose,
      words: Object.fromEntries(
        tags.flatMap(([tag, translation]) => {
          const words = translation.purposes[purpose.key];
          return words === undefined ? [] : [[tag, words]];
        }),
      ),
    })),
    translations: Object.fromEntries(tags.map(([tag, { texts = {} }]) => [tag, texts])),
    regions: [...new Set(regions)].sort(),
  };
}

/** The content that a draft makes, without what is empty: an empty field states nothing. */
export function writeDraft(draft: Draft): NoticeContent {
  const { name, controllerName, language, domain, purposes, translations, regions: _, ...more } = draft;
  const translated = Object.entries(translations).map(([tag, texts]) => {
    const words = purposes.flatMap((purpose) => {
      const { label = '', description = '' } = purpose.words[tag] ?? {};
      return label === '' && description === '' ? [] : [[purpose.key, { label, description }]];
    });
    return [tag, { ...trim({ texts }), purposes: Object.fromEntries(words) }];
  });
  return {
    name,
    controllerName,
    language,
    domain,
    purposes: purposes.map(writePurpose),
    ...(translated.length > 0 && { translations: Object.fromEntries(translated) }),
    ...trim(more),
  } as NoticeContent;
}

function writePurpose({ words: _, ...purpose }: DraftPurpose): object {
  const { dataCategories, storage, recipients, basis, basisByRegion, trackers, ...texts } = purpose;
  return {
    ...texts,
    ...trim({ dataCategories, storage }),
    // A purpose that cannot be refused has no other basis; what was chosen before stays in the form.
    ...(!texts.required && trim({ basis, basisByRegion })),
    ...(trackers !== undefined && trackers.length > 0 && { trackers }),
    ...(recipients && { recipients: recipients.map(({ name, role, ...rest }) => ({ name, role, ...trim(rest) })) }),
  };
}

function trim(facts: object): object {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => {
      const kept = Array.isArray(value)
        ? value.flatMap((text: string) => text.split(',')).flatMap((text) => text.trim() || [])
        : typeof value === 'object'
          ? trim(value ?? {})
          : value;
      const isEmpty = kept === undefined || kept === '' || (typeof kept === 'object' && Object.keys(kept).length === 0);
      return isEmpty ? [] : [[name, kept]];
    }),
  );
}

/** The fields that the user changed; null for what is removed. */
export function listEdits(stored: NoticeContent, draft: Draft): NoticeChange {
  const [before, after] = [writeDraft(readDraft(stored)), writeDraft(draft)];
  const removed = Object.keys(before).filter((name) => !(name in after));
  return { ...listChanged(before, after), ...Object.fromEntries(removed.map((name) => [name, null])) };
}

/**
 * The draft with the value of an input. Its name is the path of the value in the content, such as
 * `purposes.0.storage.period`, and `data-path` the one in the draft where that differs.
 */
export function putInput(draft: Draft, input: HTMLInputElement): Draft {
  const { name, type, checked, value, dataset } = input;
  const path: readonly string[] = dataset.path === undefined ? name.split('.') : JSON.parse(dataset.path);
  const before = path.reduce<unknown>((part, step) => Object(part)[step], draft);
  const read = () => {
    switch (dataset.kind) {
      case undefined:
        return type === 'checkbox' ? checked : value;
      case 'none':
        return checked ? [] : undefined;
      case 'choice': {
        const others = ((before ?? []) as readonly string[]).filter((one) => one !== value);
        return checked ? [...others, value] : others;
      }
      case 'codes':
        return value.split(', ');
      case 'lifetime':
        return readLifetime(input);
      default:
        return writeDuration({ ...readDuration(String(before ?? '')), [dataset.kind]: value });
    }
  };
  return put(draft, path, read()) as Draft;
}

/** Puts a value at a path of a draft. */
export function put(target: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  const next = put(Object(target)[step], rest, value);
  return Array.isArray(target) ? target.with(Number(step), next) : { ...Object(target), [step]: next };
}

/** The amount of each unit of a duration of ISO 8601 without a time. */
export function readDuration(text: string): Readonly<Record<string, string>> {
  const parts = text.replace(/^P/, '').split(/(?<=[YMD])/);
  return Object.fromEntries(parts.filter((part) => part !== '').map((part) => [part.slice(-1), part.slice(0, -1)]));
}

function writeDuration(amounts: Readonly<Record<string, string>>): string {
  const parts = ['Y', 'M', 'D'].map((unit) => (amounts[unit] ? `${amounts[unit]}${unit}` : '')).join('');
  return parts && `P${parts}`;
}

/** Units of a lifetime in one unit, with what is before and after the amount. */
export const lifetimeUnits = {
  seconds: ['PT', 'S'],
  minutes: ['PT', 'M'],
  hours: ['PT', 'H'],
  days: ['P', 'D'],
  months: ['P', 'M'],
  years: ['P', 'Y'],
} as const;

export type LifetimeUnit = keyof typeof lifetimeUnits;

/** A lifetime as amount and unit; null for `session`, `persistent` and what has several units. */
export function splitLifetime(lifetime: string): { readonly amount: string; readonly unit: LifetimeUnit } | null {
  for (const [unit, [start, end]] of Object.entries(lifetimeUnits)) {
    if (!lifetime.startsWith(start) || !lifetime.endsWith(end)) continue;
    const amount = lifetime.slice(start.length, -end.length);
    if (/^\d*$/.test(amount)) return { amount, unit: unit as LifetimeUnit };
  }
  return null;
}

/** The lifetime that a choice and the amount beside it make. */
function readLifetime(input: HTMLInputElement): string {
  const group = input.closest('fieldset');
  const chosen = group?.querySelector<HTMLSelectElement>('select[data-kind=lifetime]')?.value ?? '';
  if (!Object.hasOwn(lifetimeUnits, chosen)) return chosen;
  const [start, end] = lifetimeUnits[chosen as LifetimeUnit];
  return `${start}${group?.querySelector<HTMLInputElement>('input[data-kind=lifetime]')?.value ?? ''}${end}`;
}
