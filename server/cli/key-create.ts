import { type KeyEnvironment, keyEnvironments } from '../access/api-key.ts';
import { isScope, type Scope, scopes } from '../access/scopes.ts';
import { createApiKey } from '../access/store.ts';
import { systemClock } from '../clock.ts';
import { Time } from '../http/schemas.ts';
import { openInstallation } from '../installation.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { findTenant } from '../tenants/store.ts';
import { type Command, type OptionValues, UsageError } from './command.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key; it is shown once',
  description: `Scopes: ${scopes.join(', ')}`,
  options: {
    tenant: { type: 'string', meaning: 'id or slug of the tenant', required: true },
    name: { type: 'string', meaning: 'what the key is for', required: true },
    scopes: { type: 'string', meaning: 'comma-separated scopes, or: all', value: 'list', required: true },
    environment: { type: 'string', meaning: 'live (default) or test' },
    expires: { type: 'string', meaning: 'when it ends, such as 2027-01-31T00:00:00Z', value: 'time' },
  },
  async run({ settings, options, say, result }) {
    const wanted = readWanted(options, systemClock());
    await using installation = await openInstallation(settings);
    const { database, clock } = installation;
    const tenant = await findTenant(database.kysely, String(options.tenant));
    if (tenant === undefined) throw new UsageError(`There is no tenant ${options.tenant}.`);
    const { id, key } = await runUnitOfWork(database, clock(), (work) =>
      createApiKey(work, { tenantId: tenant.id, ...wanted }),
    );
    say(`API key for ${tenant.slug} (shown this once):\n${key}`);
    result({ id, key, tenantId: tenant.id, ...wanted });
    return 0;
  },
};

function readWanted(
  options: OptionValues,
  now: string,
): {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
} {
  const name = String(options.name).trim();
  if (name === '' || name.length > 200) throw new UsageError('--name must have 1 to 200 characters');
  const environment = keyEnvironments.find((one) => one === (options.environment ?? 'live'));
  if (environment === undefined) throw new UsageError('--environment must be live or test');
  const words =
    options.scopes === 'all'
      ? [...scopes]
      : String(options.scopes)
          .split(',')
          .map((word) => word.trim());
  const unknown = words.filter((word) => !isScope(word));
  if (unknown.length > 0) throw new UsageError(`--scopes: unknown ${unknown.join(', ')}. Known: ${scopes.join(', ')}`);
  const expires = options.expires === undefined ? null : Time.safeParse(options.expires);
  if (expires !== null && !expires.success)
    throw new UsageError('--expires must be a time such as 2027-01-31T00:00:00Z');
  if (expires !== null && expires.data <= now) throw new UsageError('--expires must be in the future');
  return { name, environment, scopes: [...new Set(words.filter(isScope))], expiresAt: expires?.data ?? null };
}
