import { hash } from 'node:crypto';
import { html, type Insertable } from '../../http/html.ts';
import { feedPath, listChanges, type SubprocessorChange } from './page-markup.ts';
import type { PublishedTrustCenter } from './store.ts';
import { keySubprocessor, trustPath } from './trust-center.ts';

/** The Atom feed (RFC 4287) of the dated changes of the subprocessors. @param baseUrl null if none is set. */
export function writeFeed(center: PublishedTrustCenter, baseUrl: string | null): string {
  const { id, slug, publishedAt } = center;
  const name = cleanText(center.name);
  const changes = listChanges(center.content);
  const updated = changes
    .map(({ changedAt }) => changedAt)
    .reduce((one, other) => (one > other ? one : other), publishedAt);
  const page = `${baseUrl ?? ''}${trustPath(slug)}`;
  return `${html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>urn:uuid:${id}</id>
<title>Subprocessors of ${name}</title>
<updated>${updated}</updated>
<author><name>${name}</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl ?? ''}${feedPath(slug)}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${changes.map((change) => writeEntry(id, page, change))}</feed>
`}`;
}

function writeEntry(centerId: string, page: string, change: SubprocessorChange): Insertable {
  const { kind, subprocessor, at, announcedAt, changedAt } = change;
  const [name, purpose, country] = [subprocessor.name, subprocessor.purpose, subprocessor.country].map(cleanText);
  const day = at.slice(0, 10);
  const title = kind === 'added' ? `Added from ${day}: ${name}` : `Ends on ${day}: ${name}`;
  return html`<entry>
<id>urn:uuid:${nameEntry(`${centerId} ${kind} ${keySubprocessor(subprocessor)}`)}</id>
<title>${title}</title>
<published>${announcedAt}</published>
<updated>${changedAt}</updated>
<link rel="alternate" type="text/html" href="${page}#subprocessors"/>
<summary>Purpose: ${purpose ?? ''}. Location: ${country ?? ''}. In force: ${day}.</summary>
</entry>
`;
}

/** An id that stays the same for the same change: a UUID version 8 (RFC 9562 section 5.8) from a hash. */
function nameEntry(text: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hash('sha256', text)) ?? [];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

/** Removes what XML 1.0 cannot hold, and what turns the direction of the text around it. */
function cleanText(text: string): string {
  return text.replace(/[\p{Cc}\uFFFE\uFFFF\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}
