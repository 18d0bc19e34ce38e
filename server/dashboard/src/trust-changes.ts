import type { ControlFramework, TrustCenter } from '../../../packages/node-sdk/src/types/api.ts';
import type { TrustContent } from '../../site/trust/trust-center.ts';
import { listChanged } from './conflict.ts';
import type { Texts } from './differences.ts';
import { nameValue } from './format.ts';
import { pageWords } from './preferences.ts';
import { type ListName, readDraft, writeInput } from './trust-draft.ts';
import { listColumns, nameRow } from './trust-form.ts';

/** Saved fields of a trust center: the content, and whether it is public. */
export type Saved = TrustContent & Pick<TrustCenter, 'published'>;

/** The stored trust center, limited to the fields that are edited. */
export function readSaved(stored: TrustCenter): Saved {
  return { ...writeInput(readDraft(stored.draft ?? stored)), published: stored.published };
}

/** The labels of what would change for visitors. */
export function nameChanged(stored: TrustCenter, wanted: Saved): readonly string[] {
  const changes = listChanged(readSaved({ ...stored, draft: null }), wanted);
  return listFields().flatMap(([name, label]) => (Object.hasOwn(changes, name) ? [label] : []));
}

/** Merges the changes of two users: the fields that one changed, into the content that the other saved. */
export function mergeChanges(base: TrustCenter, mine: Saved, theirs: TrustCenter): Saved {
  return { ...readSaved(theirs), ...listChanged(readSaved(base), mine) };
}

/** The saved fields as text, for a comparison. */
export function listTexts(saved: Saved, frameworks: readonly ControlFramework[]): Texts {
  const writeRow = (list: ListName, row: Readonly<Record<string, unknown>>) =>
    listColumns(list)
      .map(({ name, type }) => {
        const value = String(row[name] ?? '');
        if (name === 'code') return nameRow(list, { code: value }, frameworks);
        return type === 'date' ? value.slice(0, 10) : value;
      })
      .filter((text) => text !== '')
      .join(' · ');
  const write = (name: keyof Saved): string => {
    const value = saved[name];
    if (name === 'published') return nameValue(value ? 'published' : 'draft');
    if (typeof value === 'boolean') return value ? pageWords.yes : pageWords.no;
    return Array.isArray(value)
      ? value.map((row) => writeRow(name as ListName, row)).join('\n')
      : ((value as string) ?? '');
  };
  return new Map(listFields().map(([name, label]) => [name, { label, text: write(name) }]));
}

/** The saved fields, with the names that users read. */
function listFields(): readonly (readonly [keyof Saved, string])[] {
  return [
    ['headline', pageWords.headline],
    ['description', pageWords.trustDescription],
    ['contactEmail', pageWords.contactEmail],
    ['securityContact', pageWords.securityContact],
    ['frameworks', pageWords.frameworks],
    ['links', pageWords.links],
    ['subprocessors', pageWords.subprocessors],
    ['showsProof', pageWords.showsProof],
    ['published', pageWords.status],
  ];
}
