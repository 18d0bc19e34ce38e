import type { Finding, FindingStatus, PageFindings } from './finding.ts';

/** What a status means to a reader. */
export const statusNames: Readonly<Record<FindingStatus, string>> = {
  early: 'before consent',
  refused: 'though refused',
  unassigned: 'not assigned',
  granted: 'granted',
  held: 'held back',
  necessary: 'usually necessary',
};

/** Whose it is, as far as that is known. */
export function nameOwner({ tracker }: Finding): string {
  return tracker ? `${tracker.name} (${tracker.owner}), usually ${tracker.purpose}` : 'unknown';
}

/** When it came. */
export function nameMoment({ firstSeen }: Finding): string {
  return firstSeen === null ? '-' : `${(firstSeen / 1000).toFixed(1)} s`;
}

/** What it is, with what asked for it and how often. */
export function nameKind({ kind, initiator, count }: Finding): string {
  return `${kind.replace('-', ' ')}${initiator ? ` by ${initiator}` : ''}${count > 1 ? ` x ${count}` : ''}`;
}

/** The findings as a table in Markdown and a list of changes. Names from the page are escaped, whatever they contain. */
export function writeMarkdown({ page, inspectedAt, findings, warnings, clearCookies }: PageFindings): string {
  const rows = findings.map((finding) => [
    nameKind(finding),
    finding.name,
    nameOwner(finding),
    statusNames[finding.status],
    nameMoment(finding),
    finding.purposes.join(' ') || '-',
    finding.writtenBy ?? '-',
  ]);
  const head = ['What', 'Name', 'Belongs to', 'Status', 'First seen', 'Held by', 'Written by'];
  const changes = findings.flatMap(({ kind, proposal }) => (proposal && kind !== 'cookie' ? proposal : []));
  return [
    `# What ${escapeText(page)} does`,
    '',
    inspectedAt,
    '',
    writeRow(head),
    writeRow(head.map(() => '---')),
    ...rows.map((row) => writeRow(row.map(escapeText))),
    '',
    ...(warnings.length
      ? ['To fix in the set-up of the banner:', '', ...warnings.map((one) => `- ${escapeText(one)}`), '']
      : []),
    ...(clearCookies ? ['The value for `clear-cookies`:', '', `    ${oneLine(clearCookies)}`, ''] : []),
    ...(changes.length ? ['The tags, held back:', '', ...changes.map((change) => `    ${oneLine(change)}`), ''] : []),
  ].join('\n');
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Every mark that Markdown knows is ASCII punctuation, and a backslash makes each of them text. */
function escapeText(text: string): string {
  return oneLine(text).replace(/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/g, '\\$&');
}

/** Without line breaks, and without the marks that change what a reader sees. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
