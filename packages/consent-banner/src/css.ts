/** Marks a text as CSS, which the build tightens. */
export const css = String.raw;
