import { rotateScimToken } from '../access/scim-token.ts';
import { systemSource } from '../audit/source.ts';
import { openInstallation } from '../installation/installation.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import type { Command } from './command.ts';
import { requireTenant, tenantOption } from './options.ts';

export const scimTokenCreate: Command = {
  name: 'scim-token create',
  summary: 'create the SCIM token of a tenant; it is shown once',
  description: 'The previous token stops working at once.',
  options: { tenant: tenantOption },
  async run({ settings, options, say, result }) {
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const tenant = await requireTenant(database.kysely, options.tenant);
    const { row, token } = await runUnitOfWork(database, clock(), (work) =>
      rotateScimToken(work, systemSource(tenant.id)),
    );
    say(`SCIM token for ${tenant.slug} (shown only once; the previous one no longer works):\n${token}`);
    result({ id: row.id, token, tenantId: tenant.id, displayPrefix: row.display_prefix, createdAt: row.created_at });
    return 0;
  },
};
