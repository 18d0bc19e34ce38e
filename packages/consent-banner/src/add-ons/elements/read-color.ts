/** Red, green, blue and opacity, each from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/**
 * Reads a colour as a computed style has it (CSS Color 4, section 15).
 * @returns of a notation by lightness the grey that is as light; null where it is not understood.
 */
export function readColor(text: string): Color | null {
  const [, notation = '', rest = ''] = /^([a-z]+)\((.*)\)$/.exec(text) ?? [];
  const [first, second, third, alpha = 1] = rest
    .replace(/^[a-z][\w-]* /, '')
    .split(/[\s,/]+/)
    .map(Number);
  if (first === undefined || second === undefined || third === undefined) return null;
  if (![first, second, third, alpha].every(Number.isFinite)) return null;
  if (/^rgba?$/.test(notation)) return [first / 255, second / 255, third / 255, alpha];
  if (/^color$/.test(notation)) return /^(srgb|display-p3) /.test(rest) ? [first, second, third, alpha] : null;
  const luminance = /^ok/.test(notation) ? first ** 3 : ((first + 16) / 116) ** 3;
  const grey = luminance <= 0.0031308 ? luminance * 12.92 : 1.055 * luminance ** (1 / 2.4) - 0.055;
  return /^(ok)?(lab|lch)$/.test(notation) ? [grey, grey, grey, alpha] : null;
}

/** A colour with an opaque one behind it. */
export function blend([red, green, blue, alpha]: Color, behind: Color): Color {
  const mix = (above: number, below: number): number => above * alpha + below * (1 - alpha);
  return [mix(red, behind[0]), mix(green, behind[1]), mix(blue, behind[2]), 1];
}

/** The contrast ratio of two opaque colours: 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function measureContrast(one: Color, other: Color): number {
  const [dark, light] = [readLuminance(one), readLuminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function readLuminance([red, green, blue]: Color): number {
  const [r, g, b] = [red, green, blue].map((one) =>
    one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
