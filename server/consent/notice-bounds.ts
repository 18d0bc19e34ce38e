/** Bounds of a notice that its editor needs as well. */

export const mostTrackers = 60;

/** Where each layout can be; the first is the default. */
export const positions = {
  card: ['bottom-end', 'bottom-start', 'bottom'],
  bar: ['bottom', 'top'],
  center: [],
} as const;
