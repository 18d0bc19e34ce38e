import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';

const ed25519 = 1;

/** Signs notes (C2SP signed-note) with a key of its own, made when a server starts. */
export class NoteSigner {
  readonly name: string;
  /** What stands at `/.well-known/svc-ledger-key`, without the line break. */
  readonly publicKey: string;
  readonly #id: Buffer;
  readonly #key: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const bytes = Buffer.concat([Buffer.of(ed25519), raw]);
    this.#key = privateKey;
    this.name = `svc-${hash('sha256', raw).slice(0, 12)}`;
    this.#id = hash('sha256', Buffer.concat([Buffer.from(`${this.name}\n`), bytes]), 'buffer').subarray(0, 4);
    this.publicKey = `${this.name}+${this.#id.toString('hex')}+${bytes.toString('base64')}`;
  }

  /** @param text lines, the last of which ends with a line break too. */
  sign(text: string): string {
    const signature = Buffer.concat([this.#id, sign(null, Buffer.from(text), this.#key)]);
    return `${text}\n— ${this.name} ${signature.toString('base64')}\n`;
  }
}
