import { verifyVersions } from '../consent/verify-notices.ts';
import { openInstallation } from '../installation.ts';
import { type LedgerName, ledgerTables } from '../ledger/append.ts';
import { verifyChain } from '../ledger/verify.ts';
import { checkIntegrity } from '../storage/integrity.ts';
import { findTenant, listTenants } from '../tenants/store.ts';
import { type Command, UsageError } from './command.ts';

export const verify: Command = {
  name: 'verify',
  summary: 'recompute every hash chain and name the first row that was changed',
  description: 'Ends with 1 when something is not as it was written. May run beside the server.',
  options: { tenant: { type: 'string', meaning: 'only this tenant, by id or slug' } },
  async run({ settings, options, json, say, result }) {
    await using installation = await openInstallation(settings);
    const queries = installation.database.kysely;
    const only = options.tenant === undefined ? null : await findTenant(queries, String(options.tenant));
    if (only === undefined) throw new UsageError(`There is no tenant ${options.tenant}.`);
    const progress =
      json || !process.stderr.isTTY ? () => undefined : (text: string) => process.stderr.write(`\r\x1b[K${text}`);
    const files = await checkIntegrity(installation.database);
    for (const issue of files) say(`✗ database: ${issue}`);
    const tenants = [];
    for (const tenant of only === null ? await listTenants(queries) : [only]) {
      const chains = [];
      for (const ledger of Object.keys(ledgerTables) as LedgerName[]) {
        const report = await verifyChain(queries, ledger, tenant.id, (entries) =>
          progress(`${tenant.slug} ${ledger}: ${entries} …`),
        );
        chains.push(report);
        progress('');
        say(
          report.fault === null
            ? `✓ ${tenant.slug}: ${ledger} chain, ${report.entries} entries`
            : `✗ ${tenant.slug}: ${ledger} chain, row ${report.fault.sequence} (${report.fault.id ?? 'gone'}): ${report.fault.issue}`,
        );
      }
      const notices = await verifyVersions(queries, tenant.id);
      say(`${notices.faults.length === 0 ? '✓' : '✗'} ${tenant.slug}: ${notices.versions} published notice versions`);
      for (const fault of notices.faults)
        say(`✗ ${tenant.slug}: notice ${fault.noticeId} version ${fault.version}: ${fault.issue}`);
      tenants.push({ tenantId: tenant.id, slug: tenant.slug, chains, notices });
    }
    const intact =
      files.length === 0 &&
      tenants.every(
        ({ chains, notices }) => chains.every(({ fault }) => fault === null) && notices.faults.length === 0,
      );
    say(
      intact
        ? 'Everything is as it was written.'
        : 'Something was changed. Keep this database and compare it with a backup.',
    );
    result({ intact, database: files, tenants });
    return intact ? 0 : 1;
  },
};
