import { z } from 'zod';
import { cursorPageOf, UtcTime } from '../http/schemas.ts';
import type { LedgerName } from '../ledger/append.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';

const Base64Hash = z.string().meta({ description: 'SHA-256, base64.' });
const size = z.int().min(0);

/** A signed checkpoint as the API returns it. */
export const CheckpointView = z
  .strictObject({
    ledger: z.enum(['audit', 'consent']).meta({ id: 'LedgerName' }),
    size: size.meta({ description: 'The number of entries that it covers: those numbered 1 to this.' }),
    rootHash: Base64Hash.meta({ description: 'Root of the Merkle tree (RFC 6962) over these entries, base64.' }),
    at: UtcTime,
    note: z.string().meta({
      description:
        'The checkpoint with its signature (C2SP tlog-checkpoint, signed-note). Keep it: anyone who has it and the public key can later check whether these entries were changed.',
    }),
  })
  .meta({ id: 'Checkpoint' });
export type CheckpointView = z.output<typeof CheckpointView>;
export const CheckpointPage = cursorPageOf(CheckpointView);

export function presentCheckpoint(ledger: LedgerName, checkpoint: StoredCheckpoint): CheckpointView {
  const { size, rootHash, at, note } = checkpoint;
  return { ledger, size, rootHash, at, note };
}

/** Proof that an entry is included in a checkpoint. */
export const InclusionProof = z
  .strictObject({
    sequence: z.int().min(1).meta({ description: 'The number of the entry; its leaf index is this number minus one.' }),
    hash: z.string().meta({ description: 'The chain hash of the entry, hex. Its 32 bytes are the data of the leaf.' }),
    leafHash: Base64Hash,
    hashes: z.array(Base64Hash).meta({ description: 'The audit path from the leaf upwards (RFC 9162 section 2.1.3).' }),
    checkpoint: CheckpointView,
  })
  .meta({ id: 'InclusionProof' });

/** Proof that a checkpoint extends an earlier one. */
export const ConsistencyProof = z
  .strictObject({
    from: size.meta({ description: 'The size of the earlier checkpoint.' }),
    hashes: z.array(Base64Hash).meta({ description: 'RFC 9162 section 2.1.4.' }),
    checkpoint: CheckpointView,
  })
  .meta({ id: 'ConsistencyProof' });
