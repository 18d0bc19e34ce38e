/**
 * The attributes of the element, which are also its properties. The comments are their descriptions, types and defaults: the
 * typings, the custom elements manifest and the tables of the documentation and the README come from here.
 */
export const attributes = [
  /** Slug of the tenant. Required. */
  'tenant',
  /**
   * Address of the API, with or without a path; a query is ignored. Default: the origin this script came from; a page without
   * an origin (a file, a sandboxed frame) needs the attribute.
   */
  'api-base',
  /** Layout of the badge. */
  'variant',
  /** Color scheme; `auto` follows the `color-scheme` of the page around it. */
  'theme',
  /**
   * Any CSS color, for the shield, which has no text.
   * @type {color}
   * @default #C58A2A
   */
  'accent',
  /** Corners: 22px, 12px, 16px, or round. */
  'radius',
  /** Scales type and spacing. */
  'size',
  /** Corner of the window, for `floating` only. Left and right do not depend on the writing direction. */
  'position',
  /**
   * Shows the names of the frameworks.
   * @type {boolean}
   * @default true
   */
  'show-frameworks',
  /**
   * Shows when the data was updated (all but `mini`).
   * @type {boolean}
   * @default true
   */
  'show-updated',
  /**
   * Shows "Powered by Svc" (`card`, `floating`, `full`).
   * @type {boolean}
   * @default true
   */
  'show-powered-by',
  /**
   * BCP 47 tag, for words and dates. Default: the `lang` of the nearest element around the badge, else the browser's language,
   * read when the badge is rendered: after a change, set `locale` or add the badge again.
   */
  'locale',
  /**
   * Target of its links: an http or https URL, absolute or relative, without user name and password. Default: the tenant's
   * public trust page.
   */
  'trust-url',
] as const;

/** The values of each enumerated attribute. The first is the default. */
export const choices = {
  variant: ['compact', 'mini', 'card', 'status', 'floating', 'full'],
  theme: ['light', 'dark', 'auto'],
  radius: ['lg', 'sm', 'md', 'pill'],
  size: ['md', 'sm', 'lg'],
  position: ['bottom-right', 'bottom-left', 'top-left', 'top-right'],
} as const;

export type ChoiceName = keyof typeof choices;
export type Choice<Name extends ChoiceName> = (typeof choices)[Name][number];
export type Variant = Choice<'variant'>;
export type Theme = Choice<'theme'>;
export type Radius = Choice<'radius'>;
export type Size = Choice<'size'>;
export type Position = Choice<'position'>;

/** Reads an enumerated attribute. */
export function readChoice<Name extends ChoiceName>(name: Name, value: string | null): Choice<Name> {
  const known: readonly string[] = choices[name];
  const isKnown = known.includes(value ?? '');
  if (value && !isKnown) refuseValue(name, value, `one of ${known}`);
  return (isKnown ? value : known[0]) as Choice<Name>;
}

/** Reads a boolean attribute, which is on by default. */
export function readFlag(name: string, value: string | null): boolean {
  const isOff = /^(false|0|no|off)$/i.test(`${value}`);
  if (value && !isOff && value !== 'true') refuseValue(name, value, 'true or false');
  return !isOff;
}

/**
 * Reads a CSS color. A value that is also valid as a length is rejected: it is a CSS-wide keyword or a function such as
 * var() that could be anything.
 */
export function readColour(name: string, value: string | null): string {
  if (!value) return '';
  return CSS.supports('color', value) && !CSS.supports('top', value) ? value : refuseValue(name, value, 'a CSS color');
}

/** Reads a link target, relative to the page and without credentials. */
export function readAddress(name: string, value: string | null): string {
  if (!value) return '';
  let href = '';
  try {
    href = new URL(value, document.baseURI).href;
  } catch {}
  return /^https?:..[^@/]+[/]/.test(href) ? href : refuseValue(name, value, 'an http(s) address');
}

const reported = new Set<string>();

/** Logs an integration problem and its solution in the console, once per page and problem. */
export function reportProblem(problem: string): void {
  if (reported.has(problem)) return;
  reported.add(problem);
  console.error(`<svc-trust-badge>: ${problem}`);
}

/** Logs that an attribute has an invalid value; the badge then uses the default. */
export function refuseValue(name: string, value: string | null, rule: string): '' {
  reportProblem(`${name}="${value ?? ''}" must be ${rule}`);
  return '';
}
