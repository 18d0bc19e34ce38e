/** The backgrounds of the banner, in both colour schemes. */
export const backgrounds = { light: '#ffffff', dark: '#161a23' } as const;

/** How an accent contrasts with what is around and on it. */
export interface JudgedAccent {
  /** The colour that the banner gives to the text on it. */
  readonly text: 'black' | 'white';
  readonly textContrast: number;
  /** The contrast with the background of each colour scheme. */
  readonly background: Readonly<Record<keyof typeof backgrounds, number>>;
}

/** @param accent `#1d2a4d`; null is returned for anything else. */
export function judgeAccent(accent: string): JudgedAccent | null {
  if (!/^#[0-9a-f]{6}$/i.test(accent)) return null;
  const luminance = measureLuminance(accent);
  // The rule of the banner: at this luminance, both have a contrast of 4.58 : 1.
  const text = luminance < 0.179 ? 'white' : 'black';
  const contrast = (other: number) => (Math.max(luminance, other) + 0.05) / (Math.min(luminance, other) + 0.05);
  return {
    text,
    textContrast: contrast(text === 'white' ? 1 : 0),
    background: {
      light: contrast(measureLuminance(backgrounds.light)),
      dark: contrast(measureLuminance(backgrounds.dark)),
    },
  };
}

/** Relative luminance (WCAG 2.2). */
function measureLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
