import { createHash } from 'node:crypto';

/** The namespace of our control codes. Changing it would give every control of every installation another id. */
const namespace = '2195f33c-c272-4525-abca-1e349cbe1f63';

/** The id of a control: the same on every installation, since it follows from the code alone. */
export function createControlId(code: string): string {
  return createNameUuid(namespace, code);
}

/** A UUID version 5: SHA-1 over the namespace and the name (RFC 9562 section 5.5). */
export function createNameUuid(space: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(space.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
