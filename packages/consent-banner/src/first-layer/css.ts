/** Marks a text as CSS, which the build minifies. */
export const css = String.raw;
