/** The attributes of the element, which are also its properties. */
export const attributes = [
  'tenant',
  'api-base',
  'variant',
  'theme',
  'accent',
  'radius',
  'size',
  'position',
  'show-frameworks',
  'show-updated',
  'show-powered-by',
  'locale',
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
