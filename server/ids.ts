import { v7 } from 'uuid';

/** A new identifier: UUIDv7 (RFC 9562 section 5.7), later ones of this process sort after earlier ones. */
export function newId(): string {
  return v7();
}
