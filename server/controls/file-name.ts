import { turningCharacters } from '../http/schemas.ts';

/** Separators of paths, what Windows refuses, controls, and marks that change how the rest is shown. */
const unsafe = new RegExp(`[<>:"|?*%\\p{Cc}\\p{Zl}\\p{Zp}\\u061C\\u200E\\u200F${turningCharacters}]`, 'gu');

const longestName = 200;
const longestEnding = 20;

/** A name that is safe as the name of a file on every system: the last part of a path, without what deceives or harms. */
export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  // A dot in front hides a file; Windows drops dots and spaces at the end.
  const all = [...last.replace(unsafe, '_').replace(/^[\s.]+/, '')];
  const characters = all.slice(0, all.findLastIndex((character) => !/[\s.]/.test(character)) + 1);
  if (characters.length <= longestName) return characters.join('') || 'file';
  const dot = characters.lastIndexOf('.');
  const ending = dot > 0 && characters.length - dot <= longestEnding ? characters.slice(dot) : [];
  return [...characters.slice(0, longestName - ending.length), ...ending].join('');
}

/** Content-Disposition of a download (RFC 6266): the name in ASCII for old clients, and all of it (RFC 8187). */
export function attachFile(name: string): string {
  const fallback = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${fallback}"; filename*=UTF-8''${encoded}`;
}

/** Types that no browser runs. */
const inert: ReadonlySet<string> = new Set([
  'application/json',
  'application/pdf',
  'application/zip',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/plain',
]);

/** The media type of a Content-Type header without its parameters; null for none. */
export function readMediaType(header: string | undefined): string | null {
  const [type = ''] = (header ?? '').toLowerCase().split(';');
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,99}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}$/.test(type.trim()) ? type.trim() : null;
}

/** The type under which a file is sent: whatever an uploader says, no browser may run it on this origin. */
export function serveAs(mediaType: string | null): string {
  return mediaType !== null && inert.has(mediaType) ? mediaType : 'application/octet-stream';
}
