import { refuseValue } from './report-problem.ts';

/** What each closed attribute may say. The first is what it says by default. */
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

/** Reads what a site chooses from a list. */
export function readChoice<Name extends ChoiceName>(name: Name, value: string | null): Choice<Name> {
  const known: readonly string[] = choices[name];
  const isKnown = known.includes(value ?? '');
  if (value && !isKnown) refuseValue(name, value, `one of ${known}`);
  return (isKnown ? value : known[0]) as Choice<Name>;
}

/** Reads what a site turns on or off; it is on by default. */
export function readFlag(name: string, value: string | null): boolean {
  const isOff = /^(false|0|no|off)$/i.test(`${value}`);
  if (value && !isOff && value !== 'true') refuseValue(name, value, 'true or false');
  return !isOff;
}

/**
 * Reads any CSS colour and nothing else. What also fits a length is no colour but a keyword for any property, or a
 * function such as var() that could stand for anything. `currentcolor` would be that of the text on it.
 */
export function readColour(name: string, value: string | null): string {
  if (!value) return '';
  const isColour = CSS.supports('color', value) && !CSS.supports('top', value) && !/current/i.test(value);
  return isColour ? value : refuseValue(name, value, 'a CSS colour of its own');
}

/** Reads an address that a link may lead to, relative to the page and without credentials. */
export function readAddress(name: string, value: string | null): string {
  if (!value) return '';
  let href = '';
  try {
    href = new URL(value, document.baseURI).href;
  } catch {}
  return /^https?:..[^@/]+[/]/.test(href) ? href : refuseValue(name, value, 'an http(s) address');
}
