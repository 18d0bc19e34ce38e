import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCosignature } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import type { Attestation, TaskKind } from '../ledger/attestation-store.ts';
import { isTooEarly, ledgerCrypto } from '../ledger/attestations.ts';
import type { LogCheckpoint } from '../ledger/installation-log.ts';
import { textOf } from '../ledger/signed-note.ts';
import { createTimestampRequest, openTimestamp } from '../ledger/timestamp.ts';
import { InvalidPolicy, parsePolicy, type Witness, type WitnessPolicy } from '../ledger/witness-policy.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { OutsideFault, type PostOptions, postOutside } from './post-outside.ts';

/** The external parties that the operator trusts: an authority for timestamps, and witnesses. */
export interface Outside {
  /** Null if none is configured. The certificates are those that its tokens must lead to, in PEM. */
  readonly authority: { readonly url: string | null; readonly certificates: readonly string[] } | null;
  readonly policy: WitnessPolicy | null;
}

/** Reads the files that the settings name. @throws {SettingsError} */
export function readOutside({ timestamps, witnessPolicy }: Pick<Settings, 'timestamps' | 'witnessPolicy'>): Outside {
  return {
    authority:
      timestamps.authorityFile === null
        ? null
        : { url: timestamps.url, certificates: readCertificates('SVC_TIMESTAMP_CA', timestamps.authorityFile) },
    policy: witnessPolicy === null ? null : readPolicy('SVC_WITNESS_POLICY', witnessPolicy),
  };
}

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError(`${name}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Reads certificates in PEM. @param name of the setting. @throws {SettingsError} */
export function readCertificates(name: string, file: string): readonly string[] {
  const found = readSetting(name, file).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
    if (found.length > 0) return found;
  } catch {
    // Reported below.
  }
  throw new SettingsError(`${name}: ${file} must contain certificates in PEM`);
}

/** Reads a policy. @param name of the setting. @throws {SettingsError} */
export function readPolicy(name: string, file: string): WitnessPolicy {
  try {
    return parsePolicy(readSetting(name, file));
  } catch (error) {
    if (error instanceof InvalidPolicy) throw new SettingsError(`${name}: ${file}, ${error.message}`);
    throw error;
  }
}

/** A timestamp or a cosignature of a checkpoint of the log. */
export type NewAttestation = Pick<Attestation, 'source' | 'at' | 'content'>;

/** A timestamp authority or a witness. */
export interface OutsideSource {
  readonly kind: TaskKind;
  /** The key of a witness; empty for the authority. */
  readonly name: string;
  /** @throws {OutsideFault} */
  request(checkpoint: LogCheckpoint, context: RequestContext): Promise<NewAttestation>;
}

export interface RequestContext extends Pick<PostOptions, 'signal' | 'within'> {
  /** The size of the newest checkpoint that the witness is known to have cosigned. */
  readonly knownSize: number;
  /** Is called with the size that the witness returned with 409. */
  onKnownSize(size: number): void;
  /** Proves that the log of the checkpoint extends that of a size. */
  prove(from: number): Promise<readonly Buffer[]>;
}

/** The authority and the witnesses with an address. */
export function listSources({ authority, policy }: Outside): readonly OutsideSource[] {
  const witnesses = (policy?.witnesses ?? []).filter(({ url }) => url !== null).map(createWitnessSource);
  return authority === null || authority.url === null
    ? witnesses
    : [createTimestampSource(authority.url, authority.certificates), ...witnesses];
}

function createTimestampSource(url: string, authorities: readonly string[]): OutsideSource {
  return {
    kind: 'timestamp',
    name: '',
    async request({ note, at }, options) {
      const text = textOf(note);
      const { body, nonce } = await createTimestampRequest(text);
      const response = await postOutside(url, { ...options, body, type: 'application/timestamp-query' });
      requireResponse(response.status === 200, `responded with the status ${response.status}`);
      requireResponse(
        response.type === 'application/timestamp-reply',
        'responded with a content type other than application/timestamp-reply',
      );
      const token = await openTimestamp(response.body, { text, nonce, authorities }).catch((error: Error) => {
        throw new OutsideFault(`responded with an invalid timestamp: ${error.message}`, { cause: error });
      });
      requireResponse(!isTooEarly(token.at, at), tooEarly);
      return { ...token, content: response.body.toString('base64') };
    },
  };
}

function createWitnessSource(witness: Witness): OutsideSource {
  const { vkey, url } = witness;
  return {
    kind: 'cosignature',
    name: vkey,
    async request(checkpoint, context) {
      const submit = async (old: number) => {
        const proof = (await context.prove(old)).map((one) => `${one.toString('base64')}\n`).join('');
        const body = `old ${old}\n${proof}\n${checkpoint.note}`;
        return postOutside(`${(url as string).replace(/\/$/, '')}/add-checkpoint`, {
          ...context,
          body,
          type: 'text/plain; charset=utf-8',
        });
      };
      let response = await submit(Math.min(context.knownSize, checkpoint.size));
      if (response.status === 409) {
        const known = readSize(response.body.toString('latin1'), response.type);
        context.onKnownSize(known);
        requireResponse(
          known <= checkpoint.size,
          `has cosigned a checkpoint of ${known} leaves, but the log has ${checkpoint.size}: the database was rolled back, or a server with another database has this key`,
        );
        response = await submit(known);
      }
      requireResponse(
        response.status !== 422,
        'rejected the consistency proof (422): this log does not extend the checkpoint that it cosigned before',
      );
      requireResponse(response.status === 200, `responded with the status ${response.status}`);
      const cosignature = await pickCosignature(checkpoint.note, response.body.toString(), witness);
      requireResponse(!isTooEarly(cosignature.at, checkpoint.at), tooEarly);
      return cosignature;
    },
  };
}

/** The size in a response 409 of a witness. */
function readSize(body: string, type: string): number {
  const [, size] = /^(0|[1-9]\d{0,14})\n$/.exec(body) ?? [];
  if (type !== 'text/x.tlog.size' || size === undefined)
    throw new OutsideFault('responded with 409, but without the size that it cosigned');
  return Number(size);
}

/** The valid cosignature among the lines of a response; those of other keys are ignored. */
async function pickCosignature(note: string, response: string, witness: Witness): Promise<NewAttestation> {
  for (const line of response.split('\n').slice(0, 32)) {
    const at = await readCosignature(ledgerCrypto, `${textOf(note)}\n${line}\n`, witness);
    if (at !== null) return { source: witness.vkey, at, content: line };
  }
  throw new OutsideFault('responded without a valid cosignature of its key');
}

const tooEarly =
  'responded with a time before that of the checkpoint: the clock of this server is ahead, or that of the source is behind';

function requireResponse(holds: boolean, issue: string): void {
  if (!holds) throw new OutsideFault(issue);
}
