import { z } from 'zod';
import { anchorFile } from '../ledger/anchor-log.ts';
import { erasureFile } from '../ledger/erasure-log.ts';
import { exitCodes, Findings } from '../proofs/findings.ts';
import { Unverifiable, verifyInstallation } from '../proofs/verify-database.ts';
import { changingTables } from '../proofs/verify-tenant.ts';
import { grantTables } from '../storage/secrets.ts';
import { defineCommand, texts, UsageError } from './command.ts';
import { exitCodeHelp, readNote } from './kept-note.ts';
import { requireDatabase } from './require.ts';

export const verify = defineCommand({
  description: `Recomputes the consent ledger and the audit log of each tenant; compares them with the signed checkpoints, the Merkle
trees, the log of the installation, the seals of the chain heads and ${anchorFile}; compares the published notice versions
and every row of
${changingTables}
with the audit log; checks the seals of the rows that grant access, in
${grantTables.join(', ')};
compares the erasures with ${erasureFile}; and compares the tables, and the triggers that reject changes,
with those that Svc creates. May run while the server runs, and on a backup, even on read-only storage.

The seal of the head detects changes of the newest entries. ${anchorFile} detects a roll-back of the whole database to
before its newest entry, which the output names for each ledger. --checkpoint, with a checkpoint that you kept elsewhere,
detects it even if the attacker controls the whole machine.

Working state is not checked: stored answers for retries (idempotency_keys), counts of requests (rate_limits,
dsr_form_uses), of consent by day (consent_days), of deliveries by hour (webhook_hours) and of failed sign-ins
(sign_in_failures), where notices were seen (consent_sightings), other spellings of subjects (consent_spellings), webhook events and their
deliveries (webhook_events, webhook_deliveries, webhook_attempts, webhook_redeliveries), the state of webhooks
(webhook_health) and their rates (webhook_rates), the progress of proofs (merkle_trees, log_tasks) and of erasures
(erasure_jobs, user_erasures), the history of moves and imports (transfers), the latest backups (backup_tasks),
verifications by the server (verification_runs, verifications), what callers wrote last (read_positions), when keys and tokens were last used and users signed in, and the list of
migrations.

${exitCodeHelp}`,
  options: {
    tenant: { schema: z.string().optional(), meaning: 'only this tenant, by id or slug' },
    checkpoint: {
      schema: texts,
      meaning: 'a file with a checkpoint that you kept: the ledger must contain it; can be repeated',
      value: 'file',
    },
  },
  async run(context) {
    const { settings, options, clock, say, result } = context;
    requireDatabase(settings);
    const notes = (options.checkpoint ?? []).map((file) => [file, readNote(file)] as const);
    const findings = new Findings(say);
    const order = { settings, now: clock(), only: options.tenant, notes: new Map(notes), progress: context };
    const found = await verifyInstallation(order, findings).catch((error: unknown) => {
      throw error instanceof Unverifiable ? new UsageError(error.message) : error;
    });
    say(conclusions[findings.exitCode] ?? '');
    result({ ...findings.report(), ...found });
    return findings.exitCode;
  },
});

const conclusions: Readonly<Record<number, string>> = {
  [exitCodes.holds]: 'Everything is as it was written.',
  [exitCodes.tampered]: 'Something was changed. Keep this database and compare it with a backup.',
  [exitCodes.unchecked]: 'No change was found, but not everything could be checked: see the lines with ?.',
  [exitCodes.unreadable]: 'The database could not be read, so nothing is known about its contents.',
};
