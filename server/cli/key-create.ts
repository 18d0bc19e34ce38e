import { keyEnvironments } from '../access/api-key.ts';
import { createApiKey } from '../access/api-key-store.ts';
import { openInstallation } from '../installation/installation.ts';
import { isScope, scopes } from '../principal/scopes.ts';
import { systemClock } from '../storage/clock.ts';
import type { Queries } from '../storage/database.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';
import { readTime, requireTenant, tenantOption } from './options.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key; it is shown only once',
  description: `Scopes: ${scopes.join(', ')}`,
  options: {
    tenant: tenantOption,
    name: { type: 'string', meaning: 'what the key is for', required: true },
    scopes: { type: 'string', meaning: 'comma-separated scopes, or: all', value: 'list', required: true },
    environment: { type: 'string', meaning: 'live (default) or test' },
    expires: { type: 'string', meaning: 'when it expires, such as 2027-01-31T00:00:00Z', value: 'time' },
    'other-tenants': {
      type: 'string',
      meaning: 'comma-separated ids or slugs of other tenants that it may act for',
      value: 'list',
    },
  },
  async run({ settings, options, say, result }) {
    const wanted = readWanted(options, systemClock());
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const tenant = await requireTenant(database.kysely, options.tenant);
    const otherTenantIds = await findOthers(database.kysely, options, tenant.id);
    const { id, key } = await runUnitOfWork(database, clock(), (work) =>
      createApiKey(work, { tenantId: tenant.id, ...wanted, otherTenantIds }),
    );
    say(`API key for ${tenant.slug} (shown only once):\n${key}`);
    result({ id, key, tenantId: tenant.id, ...wanted, otherTenantIds });
    return 0;
  },
};

/** The ids of the tenants that --other-tenants names, each once. */
async function findOthers(queries: Queries, options: OptionValues, ownId: string): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const name of readList(options['other-tenants'] ?? '')) {
    const { id } = await requireTenant(queries, name, 'other-tenants');
    if (id === ownId) throw new UsageError(`--other-tenants: ${name} is the tenant of the key itself.`);
    ids.add(id);
  }
  return [...ids];
}

function readList(text: OptionValues[string]): readonly string[] {
  return text === ''
    ? []
    : String(text)
        .split(',')
        .map((word) => word.trim());
}

function readWanted(options: OptionValues, now: string) {
  const name = String(options.name).trim();
  if (name === '' || name.length > 200) throw new UsageError('--name must have 1 to 200 characters');
  const environment = keyEnvironments.find((one) => one === (options.environment ?? 'live'));
  if (environment === undefined) throw new UsageError('--environment must be live or test');
  const words = options.scopes === 'all' ? scopes : readList(String(options.scopes));
  if (words.length === 0) throw new UsageError('--scopes must name at least one scope');
  const unknown = words.filter((word) => !isScope(word));
  if (unknown.length > 0) throw new UsageError(`--scopes: unknown ${unknown.join(', ')}. Known: ${scopes.join(', ')}`);
  const expiresAt = readTime('expires', options.expires);
  if (expiresAt !== null && expiresAt <= now) throw new UsageError('--expires must be in the future');
  return { name, environment, scopes: [...new Set(words.filter(isScope))], expiresAt };
}
