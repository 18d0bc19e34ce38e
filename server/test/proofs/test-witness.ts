import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isGrown } from '../../../packages/node-sdk/src/ledger/merkle.ts';

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

/** An answer of the witness: status, body, content type. */
type Answer = readonly [number, string, string?];

/** A witness as C2SP tlog-witness demands, with its own reading of notes; it trusts one log. */
export class TestWitness implements AsyncDisposable {
  /** The size and root that it cosigned last. */
  size = 0;
  root: Buffer = sha256('');
  /** Misbehavior in place of an answer. */
  misbehave: ((response: ServerResponse, cosign: () => string) => void) | null = null;
  /** The seconds between the time of the checkpoint and that of its cosignature. */
  delay = 60;
  readonly statuses: number[] = [];
  readonly vkey: string;
  readonly #name: string;
  readonly #key = generateKeyPairSync('ed25519').privateKey;
  readonly #log: string;
  #url = '';
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(name: string, log: string) {
    this.#name = name;
    this.#log = log;
    this.vkey = writeKey(name, 4, this.#publicBytes());
  }

  /** @param log the verifier key of the log that it trusts. */
  static async start(name: string, log: string): Promise<TestWitness> {
    const witness = new TestWitness(name, log);
    await once(witness.#server.listen(0, '127.0.0.1'), 'listening');
    witness.#url = `http://127.0.0.1:${(witness.#server.address() as AddressInfo).port}/w`;
    return witness;
  }

  get url(): string {
    return this.#url;
  }

  #publicBytes(): Buffer {
    return createPublicKey(this.#key as never)
      .export({ format: 'der', type: 'spki' })
      .subarray(-32);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (this.misbehave !== null) {
      this.misbehave(response, () => this.cosign(body.slice(body.indexOf('\n\n') + 2)));
      return;
    }
    const [status, words, type = 'text/plain'] =
      request.method === 'POST' && request.url === '/w/add-checkpoint' ? this.#add(body) : ([404, ''] as const);
    this.statuses.push(status);
    response.writeHead(status, { 'Content-Type': type }).end(words);
  }

  #add(body: string): Answer {
    const end = body.indexOf('\n\n');
    const [oldLine = '', ...hashes] = body.slice(0, end).split('\n');
    const note = body.slice(end + 2);
    const old = Number(/^old (0|[1-9]\d*)$/.exec(oldLine)?.[1] ?? Number.NaN);
    if (end < 0 || Number.isNaN(old) || hashes.length > 63) return [400, ''];
    const [origin = '', sizeLine, rootLine = ''] = note.split('\n');
    const size = Number(sizeLine);
    const root = Buffer.from(rootLine, 'base64');
    const [name = ''] = this.#log.split('+');
    if (origin !== name) return [404, ''];
    if (!this.#isSigned(note)) return [403, ''];
    if (old > size) return [400, ''];
    if (old !== this.size) return [409, `${this.size}\n`, 'text/x.tlog.size'];
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    const grows =
      old === 0
        ? proof.length === 0
        : isGrown(sha256, { size: old, rootHash: this.root }, { size, rootHash: root }, proof);
    if (!grows || proof.some(({ length }) => length !== 32)) return [422, ''];
    [this.size, this.root] = [size, root];
    return [200, this.cosign(note)];
  }

  #isSigned(note: string): boolean {
    const [, name = '', id = '', key = ''] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(this.#log) ?? [];
    const body = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const line = note.split('\n').find((one) => one.startsWith(`\u2014 ${name} `));
    const bytes = Buffer.from(line?.split(' ')[2] ?? '', 'base64');
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key, 'base64').subarray(1).toString('base64url') };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return bytes.subarray(0, 4).toString('hex') === id && verify(null, Buffer.from(body), publicKey, bytes.subarray(4));
  }

  /** The signature line for a note. @param key another key, for wrong signatures. */
  cosign(note: string, key = this.#key): string {
    const body = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const [, at = '2026-11-21T12:00:00.000Z'] = /\nTimestamp: (\S+)\n/.exec(body) ?? [];
    const seconds = Math.floor(Date.parse(at) / 1000) + this.delay;
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${body}`), key);
    const id = Buffer.from(this.vkey.split('+')[1] as string, 'hex');
    return `\u2014 ${this.#name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A verifier key as text (C2SP signed-note). */
export function writeKey(name: string, type: number, key: Uint8Array): string {
  const typed = Buffer.concat([Buffer.from([type]), key]);
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).subarray(0, 4);
  return `${name}+${id.toString('hex')}+${typed.toString('base64')}`;
}

/** Another key. */
export const newKey = () =>
  createPrivateKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
