import { hash, randomBytes, X509Certificate } from 'node:crypto';

// Timestamps as in RFC 3161: an authority signs the SHA-256 of a text with the time.

/** A time that an authority signed. */
export interface Timestamp {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** SHA-256 of the certificate that signed, hex. */
  readonly source: string;
}

/** A response without a valid token; the message says why. */
export class InvalidTimestamp extends Error {
  override readonly name = 'InvalidTimestamp';
}

const oids = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  token: '1.2.840.113549.1.9.16.1.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
};
/** The digests that a signature may use: SHA-256, SHA-384 and SHA-512. */
const digests: Readonly<Record<string, string>> = {
  [oids.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

// Loaded only where an authority is configured or a token is verified.
const loadPki = () => import('pkijs');
type Pki = Awaited<ReturnType<typeof loadPki>>;

export interface TimestampRequest {
  readonly body: Buffer;
  /** Eight random bytes, hex, that the response must repeat. */
  readonly nonce: string;
}

/** Makes a request (DER). The response must include the certificates, so that it can be verified without the authority. */
export async function createTimestampRequest(text: string): Promise<TimestampRequest> {
  const { TimeStampReq } = await loadPki();
  const bytes = randomBytes(8);
  // A positive integer without leading zeros, so that it has one form.
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  const nonce = bytes.toString('hex');
  // Built by hand from DER, because the library takes ASN.1 objects of another package.
  const digest = hash('sha256', text, 'buffer');
  const imprint = sequence(
    sequence(Buffer.from('0609608648016503040201', 'hex'), Buffer.from('0500', 'hex')),
    value(4, digest),
  );
  const body = sequence(value(2, Buffer.from([1])), imprint, value(2, bytes), value(1, Buffer.from([255])));
  TimeStampReq.fromBER(body);
  return { body, nonce };
}

const value = (tag: number, bytes: Buffer) => Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
const sequence = (...parts: readonly Buffer[]) => value(0x30, Buffer.concat(parts));

/** How a stored response is verified. */
export interface TimestampCheck {
  readonly text: string;
  /** The nonce of the request; null for a stored response, whose request is gone. */
  readonly nonce: string | null;
  /** The certificates to trust, in PEM; null to verify the signature but not who made it. */
  readonly authorities: readonly string[] | null;
}

/**
 * Verifies a response (TimeStampResp, DER): its status, that it is for this text and this request, its signature, and that a
 * certificate for timestamps made it that a trusted certificate vouches for, at the time of the token.
 * @throws {InvalidTimestamp}
 */
export async function openTimestamp(response: Uint8Array, check: TimestampCheck): Promise<Timestamp> {
  const pki = await loadPki();
  try {
    return await verifyResponse(pki, new Uint8Array(response), check);
  } catch (error) {
    if (error instanceof InvalidTimestamp) throw error;
    // Messages of the library can contain text of the response.
    throw new InvalidTimestamp('the response cannot be read, or its signature or certificate is invalid', {
      cause: error,
    });
  }
}

async function verifyResponse(pki: Pki, bytes: Uint8Array<ArrayBuffer>, { text, nonce, authorities }: TimestampCheck) {
  const require = (holds: boolean, issue: string) => {
    if (!holds) throw new InvalidTimestamp(issue);
  };
  const response = pki.TimeStampResp.fromBER(bytes);
  require([0, 1].includes(response.status.status), 'the authority refused the request');
  const content = response.timeStampToken;
  if (content === undefined || content.contentType !== oids.signedData) throw new InvalidTimestamp('there is no token');
  const signed = new pki.SignedData({ schema: content.content });
  const inner = signed.encapContentInfo;
  const [signer] = signed.signerInfos;
  if (
    inner.eContentType !== oids.token ||
    inner.eContent === undefined ||
    signer === undefined ||
    signed.signerInfos.length !== 1
  )
    throw new InvalidTimestamp('the token is not a timestamp of one authority');
  const info = pki.TSTInfo.fromBER(inner.eContent.getValue());
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  const imprint = Buffer.from(hashedMessage.valueBlock.valueHexView).toString('hex');
  require(hashAlgorithm.algorithmId === oids.sha256 &&
    imprint === hash('sha256', text), 'the imprint of the token is not that of the text');
  const repeated = info.nonce && Buffer.from(info.nonce.valueBlock.valueHexView).toString('hex');
  require(nonce === null || repeated === nonce, 'the nonce of the token is not that of the request');
  const digest = digests[signer.digestAlgorithm.algorithmId];
  const attributes = signer.signedAttrs?.attributes ?? [];
  const read = (type: string) => attributes.filter((one) => one.type === type).flatMap(({ values }) => values);
  const types = read(oids.contentType);
  require(digest !== undefined, 'the token is signed with a weak digest');
  require(types.length === 1 && types[0].valueBlock.toString() === oids.token, 'the signature is for other content');
  const trustedCerts = (authorities ?? []).map((pem) =>
    pki.Certificate.fromBER(new Uint8Array(new X509Certificate(pem).raw)),
  );
  const result = await signed.verify({
    signer: 0,
    data: new TextEncoder().encode(text).buffer,
    checkChain: authorities !== null,
    trustedCerts,
    extendedMode: true,
  });
  const certificate = result.signerCertificate;
  if (result.signatureVerified !== true || !certificate) throw new InvalidTimestamp('the signature is invalid');
  const usage = certificate.extensions?.find(({ extnID }) => extnID === oids.extendedKeyUsage);
  const purposes = (usage?.parsedValue as { keyPurposes?: readonly string[] } | undefined)?.keyPurposes ?? [];
  require(usage?.critical === true &&
    purposes.length === 1 &&
    purposes[0] === oids.timeStamping, 'the certificate is not one for timestamps only');
  const der = Buffer.from(certificate.toSchema(true).toBER());
  requireSigner(der, read(oids.signingCertificate), read(oids.signingCertificateV2));
  return { at: info.genTime.toISOString(), source: hash('sha256', der) };
}

/** The signed attributes name the certificate that signed (RFC 5035), so that no other can take its place. */
function requireSigner(certificate: Buffer, first: readonly AsnValue[], second: readonly AsnValue[]): void {
  const [attribute, algorithm] = second.length > 0 ? [second[0], 'sha256'] : [first[0], 'sha1'];
  const [identifier] = childrenOf(childrenOf(attribute)[0]);
  const parts = childrenOf(identifier);
  const [head] = parts;
  // The algorithm comes first unless it is SHA-256. Its type decides, because a digest can be parsed as a value, too.
  const named = head?.idBlock.tagNumber === sequenceTag ? childrenOf(head)[0]?.valueBlock.toString() : undefined;
  const digest = named === undefined ? algorithm : digests[named];
  const digestValue = named === undefined ? head : parts[1];
  const bytes = digestValue?.valueBlock.valueHexView;
  if (digest === undefined || bytes === undefined || hash(digest, certificate) !== Buffer.from(bytes).toString('hex'))
    throw new InvalidTimestamp('the token does not name the certificate that signed it');
}

/** X.690 section 8.9. */
const sequenceTag = 16;

/** The parts of a parsed value that are read here. */
interface AsnValue {
  readonly idBlock: { readonly tagNumber: number };
  readonly valueBlock: { readonly value?: readonly AsnValue[]; readonly valueHexView?: Uint8Array; toString(): string };
}

function childrenOf(one: AsnValue | undefined): readonly AsnValue[] {
  const { value: values } = one?.valueBlock ?? {};
  return Array.isArray(values) ? values : [];
}
