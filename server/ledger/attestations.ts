import { createPublicKey, hash, verify } from 'node:crypto';
import type { LedgerCrypto } from '../../packages/node-sdk/src/ledger/bytes.ts';
import { readCosignature, readWitnessKey } from '../../packages/node-sdk/src/ledger/cosignature.ts';
import { sha256 } from './merkle.ts';
import { openTimestamp } from './timestamp.ts';

/** The functions of Node that the verification of the SDK needs. */
export const ledgerCrypto: LedgerCrypto = {
  sha256: (data) => hash('sha256', data, 'buffer'),
  verifyEd25519: (publicKey, text, signature) => {
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    return verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), signature);
  },
};

/** The text of a note, which is what is signed, cosigned and timestamped. */
export function textOf(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n') + 1);
}

/** A row of what others state about a checkpoint of the log. */
export interface StoredStatement {
  readonly kind: string;
  readonly source: string;
  readonly at: string;
  readonly content: string;
}

/**
 * Verifies a stored statement about a checkpoint.
 * @param authorities the certificates that timestamps must lead to, in PEM; null to verify only their signatures.
 * @returns what is wrong with it; null if it holds.
 */
export async function findStatementFault(
  note: string,
  { kind, source, at, content }: StoredStatement,
  authorities: readonly string[] | null,
): Promise<string | null> {
  if (kind === 'cosignature') {
    const witness = readWitnessKey(sha256, String(source));
    const stated = witness && (await readCosignature(ledgerCrypto, `${textOf(note)}\n${content}\n`, witness));
    return stated === at ? null : 'the cosignature is not one of this witness for this checkpoint and time';
  }
  if (kind !== 'timestamp') return 'it is neither a timestamp nor a cosignature';
  try {
    const response = Buffer.from(String(content), 'base64');
    const stated = await openTimestamp(response, { text: textOf(note), nonce: null, authorities });
    return stated.at === at && stated.source === source ? null : 'the row differs from the token';
  } catch (error) {
    return `the token is invalid: ${(error as Error).message}`;
  }
}
