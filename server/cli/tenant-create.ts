import { openInstallation } from '../installation/installation.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { createTenant, findTenant } from '../tenants/store.ts';
import { TenantName, TenantSlug } from '../tenants/tenant.ts';
import { type Command, UsageError } from './command.ts';

export const tenantCreate: Command = {
  name: 'tenant create',
  summary: 'create a tenant',
  options: {
    slug: { type: 'string', meaning: 'short name in URLs: lower-case letters, digits, hyphens', required: true },
    name: { type: 'string', meaning: 'display name', required: true },
  },
  async run({ settings, options, say, result }) {
    const slug = TenantSlug.safeParse(options.slug);
    if (!slug.success) throw new UsageError(`--slug ${slug.error.issues[0]?.message}`);
    const name = TenantName.safeParse(options.name);
    if (!name.success) throw new UsageError('--name must have 1 to 200 characters');
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    if ((await findTenant(database.kysely, slug.data)) !== undefined)
      throw new UsageError(`The tenant ${slug.data} already exists.`);
    const wanted = { slug: slug.data, name: name.data };
    const tenant = await runUnitOfWork(database, clock(), (work) => createTenant(work, wanted));
    say(`Created tenant ${tenant.slug} (${tenant.id}).`);
    say(`Next: svc key create --tenant ${tenant.slug} --name "first key" --scopes consent:read,consent:write`);
    const { id, apiVersion, createdAt } = tenant;
    result({ id, ...wanted, apiVersion, createdAt });
    return 0;
  },
};
