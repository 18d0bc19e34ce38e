import type { TrustDraft } from '../../../packages/node-sdk/src/types/api.ts';
import type { TrustContent } from '../../site/trust/trust-center.ts';

/** Content of the trust center's form: every value as a field has it, empty for none. */
export interface Draft {
  readonly texts: Readonly<Record<(typeof textNames)[number], string>>;
  readonly lists: Readonly<Record<ListName, readonly Readonly<Record<string, string>>[]>>;
  readonly showsProof: boolean;
}

const textNames = ['headline', 'description', 'contactEmail', 'securityContact'] as const;

const emptyRows = {
  frameworks: { code: '', achievedAt: '', expiresAt: '', reportUrl: '' },
  links: { label: '', url: '' },
  subprocessors: { name: '', purpose: '', country: '', since: '', until: '' },
} as const;

/** The fields of rows that may stay empty. */
const optionalCells: ReadonlySet<string> = new Set(['expiresAt', 'reportUrl', 'since', 'until']);

export type ListName = keyof typeof emptyRows;
const listNames = Object.keys(emptyRows) as ListName[];

/** A new row. @param code of the framework. */
export function emptyRow(list: ListName, code = ''): Readonly<Record<string, string>> {
  return list === 'frameworks' ? { ...emptyRows.frameworks, code } : emptyRows[list];
}

/** The draft that changes nothing. */
export function readDraft(stored: Omit<TrustDraft, 'updatedAt'>): Draft {
  const textsOf = (row: object, empty: object) =>
    Object.fromEntries(Object.keys(empty).map((name) => [name, Reflect.get(row, name) ?? '']));
  return {
    texts: textsOf(stored, Object.fromEntries(textNames.map((name) => [name, '']))) as Draft['texts'],
    lists: Object.fromEntries(
      listNames.map((list) => [list, stored[list].map((row: object) => textsOf(row, emptyRows[list]))]),
    ) as unknown as Draft['lists'],
    showsProof: stored.showsProof,
  };
}

/** Converts a draft to the content that is stored. */
export function writeInput({ texts, lists, showsProof }: Draft): TrustContent {
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
  const fields = Object.fromEntries(textNames.map((name) => [name, orNull(texts[name])]));
  const rows = Object.fromEntries(
    listNames.map((list) => [
      list,
      lists[list].map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, optionalCells.has(name) ? orNull(value) : value.trim()]),
        ),
      ),
    ]),
  );
  return { ...fields, ...rows, showsProof } as unknown as TrustContent;
}
