import { hash } from 'node:crypto';
import { findUnstorable } from './body.ts';
import { Problem } from './problem.ts';

/**
 * An opaque place in a list: the sort key of the last item seen, bound to the list and its filters.
 * @param list what names the list: tenant, operation and filters, in a fixed order.
 */
export function writeCursor(list: readonly unknown[], position: string | number): string {
  return Buffer.from(JSON.stringify([position, bind(list)])).toString('base64url');
}

/** The longest position is a text of 256 characters, each of up to six bytes in JSON; base64 makes it a third longer. */
const longestCursor = 4096;

/**
 * Reads a cursor that `writeCursor` made for the same list.
 * @throws {Problem} `invalid_cursor` for anything else.
 */
export function readCursor<Position extends 'string' | 'number'>(
  list: readonly unknown[],
  cursor: string,
  type: Position,
): Position extends 'string' ? string : number {
  const refused = () => new Problem('invalid_cursor', 'Use the nextCursor of an earlier page, with the same filters.');
  if (cursor.length > longestCursor) throw refused();
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding skips characters that base64url does not have.
  if (bytes.toString('base64url') !== cursor) throw refused();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw refused();
  }
  const [position, binding] = Array.isArray(value) ? value : [];
  const fits =
    type === 'string'
      ? typeof position === 'string' && findUnstorable(position) === null
      : Number.isSafeInteger(position);
  if (!fits || binding !== bind(list)) throw refused();
  return position;
}

function bind(list: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, 12);
}
