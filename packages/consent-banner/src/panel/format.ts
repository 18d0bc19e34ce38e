import type { Messages } from './messages.ts';

/** A duration of ISO 8601 in the words of a language, such as "13 months"; any other text as it is. */
export function writeDuration(duration: string, language: string): string {
  const [, ...amounts] = DURATION.exec(duration) ?? [];
  const parts = units.flatMap((unit, index) => {
    const amount = amounts[index];
    if (amount === undefined) return [];
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(Number(amount));
  });
  return parts.join(' ') || duration;
}

/** Formats "A, B and C" by the pattern of the language. */
export function listNames(names: readonly string[], { list }: Messages): string {
  const [, comma = ', ', and = ', '] = (list ?? '').split(/\{\w+\}/);
  // Isolates the writing direction of each name.
  const isolated = names.map((name) => `\u2068${name}\u2069`);
  const last = isolated.pop() ?? '';
  return isolated.length ? isolated.join(comma) + and + last : last;
}

/** The units of ISO 8601 in the order in which a duration has them; `M` is a month before the `T` and a minute after it. */
const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
