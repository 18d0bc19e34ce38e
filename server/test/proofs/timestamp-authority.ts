import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

const openssl = (folder: string, ...words: readonly string[]) =>
  execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

const config = `
[req]
distinguished_name = dn
prompt = no
[dn]
CN = test
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[tsa]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[ts]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
`;

/** A timestamp authority for tests: the openssl program behind HTTP. */
export class TestAuthority implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-tsa-'));
  /** Misbehavior for a request, in place of an answer. */
  misbehave: ((request: Buffer, response: ServerResponse) => void) | null = null;
  requests = 0;
  #url = '';
  readonly #server = createServer(async (request, response) => {
    this.requests += 1;
    const body = await buffer(request);
    if (this.misbehave !== null) this.misbehave(body, response);
    else response.setHeader('Content-Type', 'application/timestamp-reply').end(this.reply(body));
  });

  private constructor() {
    writeFileSync(join(this.folder, 'config'), config);
    writeFileSync(join(this.folder, 'serial'), '01\n');
    this.makeAuthority('ca');
    this.makeSigner('ca', 'tsa', 'tsa');
  }

  static async start(): Promise<TestAuthority> {
    const authority = new TestAuthority();
    await once(authority.#server.listen(0, '127.0.0.1'), 'listening');
    authority.#url = `http://127.0.0.1:${(authority.#server.address() as AddressInfo).port}/`;
    return authority;
  }

  get url(): string {
    return this.#url;
  }

  /** The certificate that its tokens lead to. */
  get caFile(): string {
    return join(this.folder, 'ca.pem');
  }

  makeAuthority(name: string): void {
    openssl(
      this.folder,
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650'],
      ...[
        '-subj',
        `/CN=${name}`,
        '-config',
        'config',
        '-extensions',
        'ca',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.pem`,
      ],
    );
  }

  /** @param section of the configuration with the extensions of the certificate. */
  makeSigner(ca: string, name: string, section: string): void {
    openssl(
      this.folder,
      ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-config', 'config'],
      ...['-keyout', `${name}.key`, '-out', `${name}.csr`],
    );
    openssl(
      this.folder,
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-days', '3650'],
      ...['-extfile', 'config', '-extensions', section, '-out', `${name}.pem`],
    );
  }

  /** A response for a request, DER. */
  reply(request: Buffer, signer = 'tsa'): Buffer {
    writeFileSync(join(this.folder, 'request'), request);
    openssl(
      this.folder,
      ...['ts', '-reply', '-config', 'config', '-section', 'ts', '-queryfile', 'request'],
      ...['-signer', `${signer}.pem`, '-inkey', `${signer}.key`, '-out', 'reply'],
    );
    return readFileSync(join(this.folder, 'reply'));
  }

  /** Verifies a response as anyone can. @throws if openssl refuses it. */
  verify(response: Buffer, text: string): string {
    writeFileSync(join(this.folder, 'answer'), response);
    writeFileSync(join(this.folder, 'text'), text);
    return openssl(this.folder, 'ts', '-verify', '-data', 'text', '-in', 'answer', '-CAfile', 'ca.pem').toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true });
  }
}
