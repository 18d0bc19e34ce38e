import { rotateScimToken } from '../access/scim-token.ts';
import { systemSource } from '../audit/source.ts';
import { openInstallation } from '../installation/installation.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import { type Command, UsageError } from './command.ts';

export const scimTokenCreate: Command = {
  name: 'scim-token create',
  summary: 'make the SCIM token of a tenant; it is shown once',
  description: 'The token before it ends in the same moment.',
  options: { tenant: { type: 'string', meaning: 'id or slug of the tenant', required: true } },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const tenant = await findTenant(database.kysely, String(options.tenant));
    if (tenant === undefined) throw new UsageError(`There is no tenant ${options.tenant}.`);
    const { row, token } = await runUnitOfWork(database, clock(), (work) =>
      rotateScimToken(work, systemSource(tenant.id)),
    );
    say(`SCIM token for ${tenant.slug} (shown this once; an earlier one has ended):\n${token}`);
    result({ id: row.id, token, tenantId: tenant.id, displayPrefix: row.display_prefix, createdAt: row.created_at });
    return 0;
  },
};
