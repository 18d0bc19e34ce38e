import type { SpokenWords } from './choose-words.ts';

/** The maximum age of fresh data. */
const FRESH_DAYS = 30;

export interface Freshness {
  readonly text: string;
  readonly isFresh: boolean;
}

interface Formatters {
  readonly relative: Intl.RelativeTimeFormat;
  readonly date: Intl.DateTimeFormat;
}

/** Formatters are expensive to create, and a page uses few languages. */
const formatters: Record<string, Formatters> = {};

/**
 * Formats the time of the last update: in days of the visitor's calendar while it is fresh, else as a date. If the clock
 * is up to a day behind, it is "today".
 */
export function describeFreshness(updatedAt: string, now: number, { lang, updated, on }: SpokenWords): Freshness {
  formatters[lang] ??= {
    relative: new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }),
    date: new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }),
  };
  const { relative, date } = formatters[lang];
  const time = Date.parse(updatedAt);
  const days = Math.round((startDay(time) - startDay(now)) / 864e5);
  const isFresh = days < 2 && days >= -FRESH_DAYS;
  return { text: updated + (isFresh ? relative.format(Math.min(0, days), 'day') : on + date.format(time)), isFresh };
}

function startDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
