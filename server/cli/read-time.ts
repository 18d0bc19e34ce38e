import { Time } from '../http/schemas.ts';
import { type OptionValues, UsageError } from './command.ts';

/**
 * Reads an option that is a time.
 * @returns null where it was not given.
 * @throws {UsageError}
 */
export function readTime(name: string, value: OptionValues[string]): string | null {
  if (value === undefined) return null;
  const time = Time.safeParse(value);
  if (time.success) return time.data;
  throw new UsageError(`--${name}: must be a time such as 2026-11-21T00:00:00Z`);
}
