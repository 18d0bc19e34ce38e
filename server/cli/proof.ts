import { open, rm } from 'node:fs/promises';
import { z } from 'zod';
import { writeTlogProof } from '../../packages/node-sdk/src/ledger/tlog-proof.ts';
import { Problem } from '../http/problem.ts';
import { openInstallation } from '../installation/installation.ts';
import { findAttestedProof } from '../ledger/attestation-store.ts';
import type { LedgerOf } from '../ledger/entry.ts';
import { ledgerNames } from '../ledger/entry.ts';
import { listRotationNotes } from '../ledger/rotation-store.ts';
import { installationLog } from '../ledger/tree-store.ts';
import { proveInclusion } from '../proofs/routes.ts';
import { systemClock } from '../storage/clock.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import type { Queries } from '../storage/queries.ts';
import { defineCommand, explainUncreated, UsageError } from './command.ts';
import { readNote } from './kept-note.ts';
import { requireDatabase, requireTenant, tenantOption } from './require.ts';

export const proofCreate = defineCommand({
  description: `With --sequence, proves that the newest checkpoint of a ledger covers an entry. With --checkpoint, a checkpoint that
you kept, proves that the log of the installation has it, with the cosignatures of witnesses and, as extra data, the
timestamp for the log. The log has the newest checkpoint of each ledger at each hour, no others.`,
  options: {
    tenant: { ...tenantOption, schema: z.string().optional() },
    ledger: { schema: z.enum(ledgerNames).optional(), meaning: ledgerNames.join(' or ') },
    sequence: {
      schema: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
      meaning: 'the number of the entry',
    },
    checkpoint: { schema: z.string().optional(), meaning: 'a file with a checkpoint (the signed note)', value: 'file' },
    file: { schema: z.string(), meaning: 'the file to write, such as entry.tlog-proof; it must not exist' },
  },
  async run({ settings, options, say, result }) {
    const { tenant, ledger, sequence, checkpoint, file } = options;
    requireDatabase(settings);
    const isOfEntry = tenant !== undefined && ledger !== undefined && sequence !== undefined;
    if (isOfEntry === (checkpoint !== undefined))
      throw new UsageError('proof create needs either --checkpoint, or --tenant, --ledger and --sequence.');
    using _ = lockFolder(settings.dataDir, 'shared');
    await using installation = await openInstallation(settings, systemClock, null);
    const queries = installation.database.kysely;
    const proved = isOfEntry
      ? await proveEntry(queries, { tenantId: (await requireTenant(queries, tenant)).id, ledger }, sequence)
      : await proveCheckpoint(queries, readNote(checkpoint as string));
    if (proved === undefined)
      throw new UsageError('--checkpoint: the log of the installation does not have this checkpoint.');
    const { hash, timestamp, rotations, ...proof } = proved;
    const output = await open(file, 'wx', 0o600).catch(explainUncreated);
    try {
      await output.writeFile(writeTlogProof(proof, timestamp));
    } catch (error) {
      // An incomplete proof must not be mistaken for one.
      await rm(file);
      throw Object.assign(error as Error, { path: file });
    } finally {
      await output.close();
    }
    say(`The proof is in ${file}. Its leaf commits to ${hash}.`);
    const { verifierKey } = installation.signer;
    result({ file, hash, index: proof.index, verifierKey, rotations });
  },
});

async function proveEntry(queries: Queries, of: LedgerOf, sequence: number) {
  const { hash, hashes, checkpoint, rotations } = await proveInclusion(queries, of, { sequence }).catch(
    (error: unknown) => {
      throw error instanceof Problem ? new UsageError(error.message) : error;
    },
  );
  return { hash, index: sequence - 1, hashes, note: checkpoint.note, timestamp: null, rotations };
}

async function proveCheckpoint(queries: Queries, note: string) {
  const proved = await findAttestedProof(queries, note);
  return proved && { ...proved, rotations: await listRotationNotes(queries, installationLog) };
}
