import { attempt } from './browser.ts';

/** A purpose key, and a name that it maps to. */
export type Mapped = readonly [key: string, name: string];

/** Parses an attribute in the grammar `key: name name; key: name`. Invalid text maps nothing. */
export function readMapping(text: string | null | undefined): readonly Mapped[] {
  return (text ?? '').split(';').flatMap((pair) => {
    const [key, names] = pair.split(':');
    return (names?.match(/\S+/g) ?? []).map((name) => [(key as string).trim(), name] as const);
  });
}

/** The patterns of attribute values. Invalid values are ignored. */
export const AGE = /^(?=.*[1-9])\d+(\.\d+)?$/;
export const CORNER = /^bottom-(left|right)$/;
export const DOMAIN = /^[\w-]+(\.[\w-]+)*$/;

/**
 * The public address of a notice; without an origin if the base is invalid.
 * @param base of the API: absolute or relative, with or without a path or trailing slashes.
 * @param source the address whose origin is the default base.
 */
export function writeAddress(noticeId: string, base: string | null | undefined, source: string): string {
  const url = attempt(() => new URL(base || '/', base ? document.baseURI : source));
  return `${url?.href.match(/^.*[^/]/) ?? ''}/v1/public/consent/${encodeURIComponent(noticeId)}`;
}
