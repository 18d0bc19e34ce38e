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
const PAIRS = /^\s*[^\s:;]+\s*:[^:;]+(;\s*[^\s:;]+\s*:[^:;]+)*(;\s*)?$/;

export interface Attribute {
  /** The only values. */
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  /** The condition of a valid value, for an attribute without a list of values. */
  readonly rule?: string;
}

const mapping = { pattern: PAIRS, rule: 'pairs such as "statistics: one two; marketing: three"' };

/**
 * The attributes of `<svc-consent>`: the inspector, the typings, the custom elements manifest and the tables of the
 * documentation and the README come from here. The comments are what no script contains: descriptions, types and defaults.
 */
export const attributes = {
  /** Id of a published notice, whose `domain` is this site's. Required. */
  'notice-id': {},
  /** Address of the API, with or without a path. Default: the origin this script came from. */
  'api-base': {},
  /** BCP 47 tag of the language to show, such as `de-AT`: the notice's best match. Default: the notice's own language. */
  language: {},
  /** Color scheme. Default: the notice's, else that of the page. */
  scheme: { values: ['page', 'light', 'dark'] },
  /** Layout of the first layer. Default: the notice's, else card. */
  layout: { values: ['card', 'bar', 'center'] },
  /**
   * Place of a card (bottom-end, bottom-start, bottom) or of a bar (bottom, top). Default: the notice's, else bottom-end for a
   * card and bottom for a bar.
   */
  position: { values: ['bottom-end', 'bottom-start', 'bottom', 'top'] },
  /**
   * Region of the visitor (ISO 3166, such as `GB` or `US-CA`), which decides the basis of each purpose. Default: the one that
   * the server's proxy reports; unknown means that every purpose needs consent.
   */
  region: { rule: 'a code of ISO 3166 such as DE or US-CA' },
  /**
   * A floating button that opens the preferences again.
   * @default none
   */
  trigger: { values: ['none', 'bottom-left', 'bottom-right'] },
  /**
   * Days until the banner asks again.
   * @type {number}
   * @default 365
   */
  'max-age': { pattern: AGE, rule: 'a number of days above 0' },
  /**
   * The same for a refusal of everything, at least 183. Default: `max-age`.
   * @type {number}
   */
  'refusal-max-age': { pattern: AGE, rule: 'a number of days, at least 183' },
  /** Domain whose hosts share one decision, kept in a cookie: this host or one above it. */
  'cookie-domain': { pattern: DOMAIN, rule: 'a domain such as example.com' },
  /** Cookies to delete while a purpose is not allowed: `statistics: _ga _ga_*; marketing: _fbp`. */
  'clear-cookies': mapping,
  /** Signals of Google Consent Mode for each purpose: `statistics: analytics_storage`. */
  'consent-mode': mapping,
  /**
   * Name of the array that Consent Mode and the event `svc_consent` go to. Default: the one that the page's Google tag names
   * (`gtm.js?…&l=name`), else dataLayer.
   */
  'data-layer': {},
  /**
   * Reloads the page when consent is withdrawn on it, because a script that ran cannot be undone: `true`, or no value.
   * @type {boolean}
   * @default false
   */
  'reload-on-withdrawal': { values: ['true', 'false'] },
} as const satisfies Readonly<Record<string, Attribute>>;

export type AttributeName = keyof typeof attributes;

/**
 * The public address of a notice; without an origin if the base is invalid.
 * @param base of the API: absolute or relative, with or without a path or trailing slashes.
 * @param source the address whose origin is the default base.
 */
export function writeAddress(noticeId: string, base: string | null | undefined, source: string): string {
  const url = attempt(() => new URL(base || '/', base ? document.baseURI : source));
  return `${url?.href.match(/^.*[^/]/) ?? ''}/v1/public/consent/${encodeURIComponent(noticeId)}`;
}
