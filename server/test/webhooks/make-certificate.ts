import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface TestCertificate {
  readonly name: string;
  readonly key: string;
  readonly cert: string;
}

export interface CertificateOptions {
  /** The common name, and the one name that it is valid for. */
  readonly name: string;
  /** Signed by this one; by itself without. */
  readonly issuer?: TestCertificate;
  readonly isAuthority?: boolean;
  readonly notBefore?: string;
  readonly notAfter?: string;
}

const ecdsaWithSha256 = object(0x30, Buffer.from('06082a8648ce3d040302', 'hex'));
const commonName = Buffer.from('0603550403', 'hex');
const alternativeName = Buffer.from('0603551d11', 'hex');
const basicConstraints = Buffer.from('0603551d13', 'hex');
let serial = 0;

/** A certificate by RFC 5280, as little of it as TLS needs, with its private key. */
export function makeCertificate(options: CertificateOptions): TestCertificate {
  const { name, issuer, isAuthority = false } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  serial += 1;
  const extensions = [object(0x30, alternativeName, object(0x04, object(0x30, describeName(name))))];
  if (isAuthority) {
    const isCa = object(0x30, object(0x01, Buffer.from([0xff])));
    extensions.push(object(0x30, basicConstraints, object(0x01, Buffer.from([0xff])), object(0x04, isCa)));
  }
  const content = object(
    0x30,
    object(0xa0, object(0x02, Buffer.from([2]))),
    object(0x02, Buffer.from([serial])),
    ecdsaWithSha256,
    distinguishedName(issuer?.name ?? name),
    object(0x30, time(options.notBefore ?? '20200101000000Z'), time(options.notAfter ?? '20990101000000Z')),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    object(0xa3, object(0x30, ...extensions)),
  );
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const signature = object(0x03, Buffer.from([0]), sign('sha256', content, signer));
  const der = object(0x30, content, ecdsaWithSha256, signature);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    name,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function distinguishedName(name: string): Buffer {
  return object(0x30, object(0x31, object(0x30, commonName, object(0x0c, Buffer.from(name)))));
}

function describeName(name: string): Buffer {
  return isIPv4(name) ? object(0x87, Buffer.from(name.split('.').map(Number))) : object(0x82, Buffer.from(name));
}

function time(text: string): Buffer {
  return object(0x18, Buffer.from(text));
}

/** Tag, length and content of one object in DER (X.690 section 8.1). */
function object(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
