/** Marks a text as CSS, which the build minifies. In a file of its own, because every script has a copy. */
export const css = String.raw;
