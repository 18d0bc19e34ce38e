// The entry for browsers and edge platforms; `index.ts` exports the same.
import { sha256 } from './sha256.ts';
import { createLedgerVerifier } from './verifier.ts';

export { canonicalize } from './canonical.ts';
export { LedgerVerificationError } from './error.ts';
export { createLedgerVerifier } from './verifier.ts';

export const {
  openCheckpoint,
  followKey,
  verifyExport,
  verifyInclusion,
  verifyTlogProof,
  verifyConsistency,
  verifyShown,
  verifyRecords,
  verifyEvents,
  verifyLedger,
} = createLedgerVerifier({
  // WebCrypto hashes asynchronously, which costs more than the hash for the small inputs of a tree.
  sha256,
  verifyEd25519: async (publicKey, text, signature) => {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return crypto.subtle.verify('Ed25519', key, signature, new TextEncoder().encode(text));
  },
});
