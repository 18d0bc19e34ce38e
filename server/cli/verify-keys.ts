import { deriveSecrets, findSecret } from '../installation/secrets.ts';
import { isSealed, type LedgerName, type SealedHead } from '../ledger/append.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import type { NoteVerifier } from '../ledger/signed-note.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { Database, Queries, RowSeal } from '../storage/database.ts';
import type { Findings } from './findings.ts';

/** The keys for the signatures and seals of an installation. */
export interface VerifyKeys {
  readonly verifier: NoteVerifier;
  readonly seal: RowSeal;
}

const consequence =
  'the signatures of checkpoints and the seals of the chain heads are not checked, so all of it could have been rewritten.';

/**
 * Finds the keys. Without the secret of this database, nothing that is signed can be trusted.
 * @returns null unless the secret is proven to be that of this database.
 */
export async function findKeys(
  { kysely }: Database,
  settings: Settings,
  findings: Findings,
): Promise<VerifyKeys | null> {
  const installation = await kysely.selectFrom('installation').select('secret_hash').executeTakeFirst();
  const isUsed = (await kysely.selectFrom('chain_heads').select('ledger').limit(1).execute()).length > 0;
  const secret = readSecret(settings, findings);
  if (secret === undefined) return null;
  if (secret === null) {
    if (installation === undefined && !isUsed) return null;
    findings.add('unchecked', 'secret', `The secret of this installation is missing: ${consequence}`);
    return null;
  }
  const { hasher, signer, seal } = deriveSecrets(secret);
  const keys = { verifier: signer.verifier, seal };
  if (installation?.secret_hash === hasher.fingerprint || (installation === undefined && !isUsed)) return keys;
  if (!(await wroteSomething(kysely, keys))) {
    const issue = `The secret is not the one of this database: ${consequence}`;
    findings.add('unchecked', 'secret', issue);
    return null;
  }
  const issue =
    installation === undefined
      ? 'The row of the table installation was removed'
      : 'installation.secret_hash was changed: it is not the hash of the secret of this database';
  findings.add('tampered', 'secret', `${issue}. A server with another secret could be started on it.`);
  return keys;
}

/** @returns undefined if the file of the secret cannot be used. */
function readSecret(settings: Settings, findings: Findings): string | null | undefined {
  try {
    return findSecret(settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    findings.add('unchecked', 'secret', `${error.message} Until then ${consequence}`);
    return undefined;
  }
}

/** Whether anything in the database was signed or sealed with these keys. */
async function wroteSomething(queries: Queries, { verifier, seal }: VerifyKeys): Promise<boolean> {
  const heads = await queries
    .selectFrom('chain_heads')
    .select(['tenant_id', 'ledger', 'sequence', 'hash', 'at', 'key_id as keyId', 'mac'])
    .execute();
  if (heads.some((head) => isSealed(seal, head.tenant_id, head.ledger as LedgerName, head as SealedHead))) return true;
  const checkpoints = await queries.selectFrom('checkpoints').select('note').limit(100).execute();
  return checkpoints.some(({ note }) => typeof note === 'string' && openCheckpoint(note, verifier) !== null);
}
