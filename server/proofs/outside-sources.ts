import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCosignature } from '../../packages/node-sdk/src/ledger/cosignature.ts';
import type { TaskKind } from '../ledger/attestation-store.ts';
import { ledgerCrypto, textOf } from '../ledger/attestations.ts';
import type { LogCheckpoint } from '../ledger/installation-log.ts';
import { createTimestampRequest, openTimestamp } from '../ledger/timestamp.ts';
import { InvalidPolicy, parsePolicy, type Witness, type WitnessPolicy } from '../ledger/witness-policy.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { OutsideFault, postOutside } from './post-outside.ts';

/** What the operator trusts: an authority for timestamps, and witnesses. */
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
        : { url: timestamps.url, certificates: readCertificates(timestamps.authorityFile) },
    policy: witnessPolicy === null ? null : readPolicy(witnessPolicy),
  };
}

function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError(`${name}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

function readCertificates(file: string): readonly string[] {
  const found =
    readSetting('SVC_TIMESTAMP_CA', file).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const pem of found) new X509Certificate(pem);
    if (found.length > 0) return found;
  } catch {
    // Reported below.
  }
  throw new SettingsError(`SVC_TIMESTAMP_CA: ${file} must contain certificates in PEM`);
}

function readPolicy(file: string): WitnessPolicy {
  try {
    return parsePolicy(readSetting('SVC_WITNESS_POLICY', file));
  } catch (error) {
    if (error instanceof InvalidPolicy) throw new SettingsError(`SVC_WITNESS_POLICY: ${file}, ${error.message}`);
    throw error;
  }
}

/** A statement about a checkpoint of the log. */
export interface Statement {
  readonly source: string;
  readonly at: string;
  readonly content: string;
}

/** Who states something about checkpoints of the log. */
export interface OutsideSource {
  readonly kind: TaskKind;
  /** The key of a witness; empty for the authority. */
  readonly name: string;
  /** @throws {OutsideFault} */
  ask(checkpoint: LogCheckpoint, context: AskContext): Promise<Statement>;
}

export interface AskContext {
  readonly signal: AbortSignal;
  /** The size that the witness knows, as far as it is known here. */
  readonly known: number;
  /** Milliseconds until an answer must be there. */
  readonly within?: number;
  /** Notes the size that the witness answered. */
  noteKnown(size: number): void;
  /** Proves that the log of the checkpoint extends that of a size. */
  prove(from: number): Promise<readonly Buffer[]>;
}

/** Those that the configuration names. */
export function listSources({ authority, policy }: Outside): readonly OutsideSource[] {
  const witnesses = (policy?.witnesses ?? []).filter(({ url }) => url !== null).map(cosignBy);
  return authority === null || authority.url === null
    ? witnesses
    : [timestampBy({ url: authority.url, certificates: authority.certificates }), ...witnesses];
}

function timestampBy({
  url,
  certificates,
}: {
  readonly url: string;
  readonly certificates: readonly string[];
}): OutsideSource {
  return {
    kind: 'timestamp',
    name: '',
    async ask({ note }, options) {
      const text = textOf(note);
      const { body, nonce } = await createTimestampRequest(text);
      const answer = await postOutside(url, { ...options, body, type: 'application/timestamp-query' });
      requireAnswer(answer.status === 200, `answered with the status ${answer.status}`);
      requireAnswer(
        answer.type === 'application/timestamp-reply',
        'answered with another content type than application/timestamp-reply',
      );
      const stated = await openTimestamp(answer.body, { text, nonce, authorities: certificates }).catch(
        (error: Error) => {
          throw new OutsideFault(`answered with an invalid timestamp: ${error.message}`, { cause: error });
        },
      );
      return { ...stated, content: answer.body.toString('base64') };
    },
  };
}

function cosignBy(witness: Witness): OutsideSource {
  const { vkey, url } = witness;
  return {
    kind: 'cosignature',
    name: vkey,
    async ask(checkpoint, context) {
      const submit = async (old: number) => {
        const proof = (await context.prove(old)).map((one) => `${one.toString('base64')}\n`).join('');
        const body = `old ${old}\n${proof}\n${checkpoint.note}`;
        return postOutside(`${(url as string).replace(/\/$/, '')}/add-checkpoint`, {
          ...context,
          body,
          type: 'text/plain; charset=utf-8',
        });
      };
      let answer = await submit(Math.min(context.known, checkpoint.size));
      if (answer.status === 409) {
        const known = readSize(answer.body.toString('latin1'), answer.type);
        context.noteKnown(known);
        requireAnswer(
          known <= checkpoint.size,
          `cosigned ${known} leaves before, but the log has ${checkpoint.size}: an older database was put in place, or another server has this key`,
        );
        answer = await submit(known);
      }
      requireAnswer(answer.status !== 422, 'answered that this log is not an extension of the one that it knows (422)');
      requireAnswer(answer.status === 200, `answered with the status ${answer.status}`);
      return pickCosignature(checkpoint.note, answer.body.toString(), witness);
    },
  };
}

/** The size in a response 409 of a witness. */
function readSize(body: string, type: string): number {
  const [, size] = /^(0|[1-9]\d{0,14})\n$/.exec(body) ?? [];
  if (type !== 'text/x.tlog.size' || size === undefined)
    throw new OutsideFault('answered 409 without the size that it knows');
  return Number(size);
}

/** The valid cosignature among the lines of an answer; those of other keys are ignored. */
async function pickCosignature(note: string, answer: string, witness: Witness): Promise<Statement> {
  for (const line of answer.split('\n').slice(0, 32)) {
    const at = await readCosignature(ledgerCrypto, `${textOf(note)}\n${line}\n`, witness);
    if (at !== null) return { source: witness.vkey, at, content: line };
  }
  throw new OutsideFault('answered without a valid cosignature of its key');
}

function requireAnswer(holds: boolean, issue: string): void {
  if (!holds) throw new OutsideFault(issue);
}
