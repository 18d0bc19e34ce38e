import type { FindingKind, TrackerPurpose } from './finding.ts';
import { nameAddress } from './list-tags.ts';

/** Placeholder where only the site owner knows the purpose; a tag with it waits forever. */
export const UNKNOWN_PURPOSE = 'your-purpose';

/** What notices call the usual purposes. */
const synonyms: Readonly<Record<TrackerPurpose, readonly string[]>> = {
  necessary: ['necessary', 'essential', 'required'],
  preferences: ['preferences', 'functional', 'functionality', 'comfort', 'external'],
  statistics: ['statistics', 'analytics', 'measurement', 'performance'],
  marketing: ['marketing', 'advertising', 'ads', 'targeting'],
};

/** The key to name for a usual purpose: what this page calls it, as far as that is known. */
export function choosePurpose(purpose: TrackerPurpose | undefined, known: readonly string[]): string {
  if (!purpose) return UNKNOWN_PURPOSE;
  return synonyms[purpose].find((key) => known.includes(key)) ?? purpose;
}

/** An entry for `clear-cookies`; null for a name that its grammar cannot hold. */
export function proposeClearing(pattern: string, purpose: string): string | null {
  return /^[^\s:;]+$/.test(pattern) ? `${purpose}: ${pattern}` : null;
}

/** The same tag, held back: its address and type are put where the browser does not look. */
export function proposeMarkup(tag: HTMLElement, kind: FindingKind, purpose: string): string {
  const address = nameAddress(tag);
  const isScript = kind === 'script';
  const isMoved = (name: string): boolean =>
    name === address || /^(srcset|poster)$/.test(name) || (isScript && name === 'type');
  const kept = [...tag.attributes].filter(({ name }) => !/^(data-svc-purpose|nonce)$/.test(name));
  const attributes: readonly (readonly [name: string, value: string])[] = [
    ...(isScript ? ([['type', 'text/plain']] as const) : []),
    ['data-svc-purpose', purpose],
    ...kept.map(({ name, value }) => [isMoved(name) ? `data-svc-${name}` : name, value] as const),
  ];
  const written = attributes.map(([name, value]) => (value ? ` ${name}="${escapeValue(value)}"` : ` ${name}`));
  const end = /^(link|img|source|embed)$/.test(tag.localName) ? '' : `</${tag.localName}>`;
  return `<${tag.localName}${written.join('')}>${end}`;
}

/**
 * In one line, with nothing that ends an attribute or turns around what a reader sees. References to the controls from U+0080
 * on mean other characters in HTML: those stay.
 */
function escapeValue(value: string): string {
  return value.replace(/(?![ \x80-\x9f])[&\x22<>\s\p{Cc}\p{Cf}]/gu, (char) => `&#${char.codePointAt(0)};`);
}
