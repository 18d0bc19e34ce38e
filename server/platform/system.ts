import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { UtcTime } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { schemas } from '../storage/migrate.ts';
import { countServer, readSize } from './store.ts';

const require = createRequire(import.meta.url);

const Count = z.int();

/** The state of a server, for its administrator. */
export const SystemStatus = z
  .strictObject({
    version: z.string().meta({ description: 'The version of the server.' }),
    nodeVersion: z.string(),
    startedAt: UtcTime.meta({ description: 'When the process that answers was started.' }),
    schemaVersion: z.string().meta({ description: 'The latest migration of the database.' }),
    database: z
      .strictObject({ kind: z.enum(['sqlite', 'postgres']).meta({ id: 'DatabaseKind' }), bytes: Count })
      .meta({ id: 'DatabaseStatus' }),
    disk: z
      .strictObject({ freeBytes: Count, totalBytes: Count })
      .meta({ id: 'DiskStatus', description: 'The file system of the data folder.' }),
    deliveries: z
      .strictObject({
        pending: Count,
        oldestPendingAt: UtcTime.nullable().meta({ description: 'When the oldest pending delivery was created.' }),
        dead: Count,
      })
      .meta({ id: 'DeliveryQueueStatus', description: 'Deliveries to the webhooks of all tenants.' }),
    tenants: Count,
    records: Count.meta({ description: 'Consent records of all tenants, withdrawals included.' }),
    auditEvents: Count,
  })
  .meta({ id: 'SystemStatus' });

/** Reads the state of the server. */
export async function readSystemStatus({
  database,
  settings,
  clock,
}: Pick<Installation, 'database' | 'settings' | 'clock'>): Promise<z.output<typeof SystemStatus>> {
  const { bsize, bavail, blocks } = await statfs(settings.dataDir);
  const counts = await countServer(database);
  return {
    version: require('@svc/server/package.json').version,
    nodeVersion: process.versions.node,
    startedAt: new Date(Date.parse(clock()) - process.uptime() * 1000).toISOString(),
    schemaVersion: Object.keys(schemas).at(-1) as string,
    database: { kind: database.dialect, bytes: await readSize(database) },
    disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize },
    ...counts,
  };
}
