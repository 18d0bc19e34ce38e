/**
 * A random id that starts with the time, so that the ids of new visitors are adjacent in the ledger's index. The time reveals
 * nothing new, because the record contains it. `crypto.randomUUID` is missing on plain http, `getRandomValues` is not.
 */
export function createRandomId(): string {
  return [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join('-');
}
