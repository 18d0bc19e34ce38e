/**
 * A random UUID, version 7: it starts with the time, so that the ids of new visitors are adjacent in the ledger's index. The
 * time reveals nothing new, because the record contains it. `crypto.randomUUID` is missing on plain http,
 * `getRandomValues` is not.
 */
export function createRandomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const time = Date.now().toString(16).padStart(12, '0');
  const variant = '89ab'.charAt((bytes[9] ?? 0) & 3);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}
