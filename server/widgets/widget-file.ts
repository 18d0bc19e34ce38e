import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** What a file may be sent in, smallest first. */
export const encodings = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof encodings)[number];

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/** One file of a widget. It never changes, so it is compressed once, as well as it goes, when it is first asked for. */
export class WidgetFile {
  readonly type: string;
  readonly identity: Buffer;
  readonly #tag: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(name: string, identity: Buffer) {
    this.type = `${name.endsWith('.js') ? 'text/javascript' : 'application/json'}; charset=utf-8`;
    this.identity = identity;
    this.#tag = hash('sha256', identity).slice(0, 16);
  }

  /** The entity tag of the file in an encoding: other bytes, another tag (RFC 9110, section 8.8.3.3). */
  nameVersion(encoding: Encoding): string {
    return `"${this.#tag}-${encoding}"`;
  }

  /** The bytes in an encoding. */
  encode(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding);
    if (known !== undefined) return known;
    const encoded = this.#compress(encoding);
    this.#encoded.set(encoding, encoded);
    return encoded;
  }

  async #compress(encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return this.identity;
    return encoding === 'br' ? compressors.br(this.identity) : compressors.gzip(this.identity, { level: 9 });
  }
}
