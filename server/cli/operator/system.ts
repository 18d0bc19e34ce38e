import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { Id, namedObject, UtcTime, viewRow } from '../../http/schemas.ts';
import type { Services } from '../../installation/feature.ts';
import type { Installation } from '../../installation/installation.ts';
import { listTransfers } from '../../installation/transfer-store.ts';
import { findNewestAttested, listTasks } from '../../ledger/attestation-store.ts';
import { findLogCheckpoint, nameLogKey } from '../../ledger/installation-log.ts';
import { type Outside, readOutside } from '../../proofs/outside-sources.ts';
import { type Settings, SettingsError } from '../../settings.ts';
import { readSearched } from '../../storage/erased-remains.ts';
import type { Queries } from '../../storage/queries.ts';
import { schemas } from '../../storage/schema.ts';
import { nameTarget } from '../backups/target.ts';
import { type BackupTask, isRunning, listTasks as listBackupTasks } from '../backups/task-store.ts';
import { countServer, readSize } from './store.ts';

const require = createRequire(import.meta.url);

const Count = z.int();

const Transfer = namedObject('Transfer', {
  kind: z.enum(['move', 'import']).meta({ id: 'TransferKind' }),
  at: UtcTime.meta({ description: 'When the move ended, or the import started.' }),
  status: z.enum(['incomplete', 'completed']).meta({
    id: 'TransferStatus',
    description: '`incomplete` for an import that runs or was interrupted: run the same command again to complete it.',
  }),
  source: z.string().meta({ description: 'The database that was moved, or the SHA-256 of the imported file.' }),
  tenantId: Id.nullable(),
  noticeId: Id.nullable(),
  rowCount: Count.nullable().meta({
    description: 'How many rows were moved, or how many records were imported so far; null if unknown.',
  }),
  totalCount: Count.nullable().meta({ description: 'How many records the import writes in total; null for a move.' }),
});

const Backups = namedObject('BackupStatus', {
  target: z.string().nullable().meta({ description: 'The folder or bucket of `SVC_BACKUP_TO`; null without one.' }),
  isEncrypted: z.boolean(),
  tasks: z
    .array(
      namedObject('BackupTask', {
        task: z.enum(['backup', 'erasures', 'rehearsal']).meta({ id: 'BackupTaskKind' }),
        status: z.enum(['running', 'completed', 'failed', 'interrupted']).meta({ id: 'BackupTaskStatus' }),
        startedAt: UtcTime,
        completedAt: UtcTime.nullable().meta({ description: 'When it last succeeded.' }),
        name: z.string().nullable().meta({ description: 'The file that it then wrote or restored.' }),
        bytes: Count.nullable().meta({ description: 'The size of that file.' }),
        fault: z.string().nullable().meta({ description: 'Why the latest one failed; null if it succeeded.' }),
      }),
    )
    .meta({
      description:
        'The latest backup, the latest copy of `erasures.log`, and the latest rehearsal of a restore, of those that were made.',
    }),
});

/** The state of a server, for its administrator. */
export const SystemStatus = z
  .strictObject({
    version: z.string().meta({ description: 'The version of the server.' }),
    nodeVersion: z.string(),
    startedAt: UtcTime.meta({ description: 'When the process that answers was started.' }),
    schemaVersion: z.string().meta({ description: 'The latest migration of the database.' }),
    database: namedObject('DatabaseStatus', {
      kind: z.enum(['sqlite', 'postgres']).meta({ id: 'DatabaseKind' }),
      bytes: Count,
      searchedBytes: Count.nullable().meta({
        description:
          'How much of a SQLite file was searched for copies of erased values, which are overwritten beside requests; null if none are left.',
      }),
    }),
    replica: namedObject('ReadReplicaStatus', {
      state: z.enum(['used', 'unreachable', 'lagging', 'not_a_standby', 'another_database']).meta({
        id: 'ReadReplicaState',
        description: 'The primary answers reads in every state but `used`.',
      }),
      lagSeconds: z.number().nullable().meta({
        description: 'The age of the oldest change that it lacks; null if it does not answer.',
      }),
    })
      .nullable()
      .meta({ description: 'The standby of `DATABASE_READ_URL`; null without one.' }),
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
    log: z
      .strictObject({
        size: Count.meta({ description: 'How many checkpoints of ledgers the log has.' }),
        at: UtcTime.nullable().meta({ description: 'When the newest checkpoint of the log was signed.' }),
        verifierKey: z.string().meta({ description: 'The public key of the log, for the operators of witnesses.' }),
        sources: z.array(
          namedObject('LogSource', {
            kind: z.enum(['timestamp', 'cosignature']).meta({ id: 'LogStatementKind' }),
            name: z.string().meta({ description: 'The host of the authority, or the name of the witness.' }),
            latestAt: UtcTime.nullable().meta({
              description: 'The latest time in a timestamp or cosignature of this source.',
            }),
            isCurrent: z.boolean().meta({
              description: 'Whether the newest checkpoint of the log has a timestamp or cosignature of this source.',
            }),
            triedAt: UtcTime.nullable().meta({ description: 'When a server last sent a request to this source.' }),
            fault: z.string().nullable().meta({ description: 'Why the latest request failed; null if it succeeded.' }),
          }),
        ),
      })
      .meta({
        id: 'LogStatus',
        description:
          'The log of the installation, to which the server adds the new checkpoints of all ledgers each hour, with the configured timestamp authority and witnesses (`sources`).',
      }),
    backups: Backups,
    transfers: z.array(Transfer).meta({ description: 'The latest 20 moves and imports of data, newest first.' }),
    tenants: Count,
    records: Count.meta({ description: 'Consent records of all tenants, withdrawals included.' }),
    auditEvents: Count,
  })
  .meta({ id: 'SystemStatus' });

export async function readSystemStatus({
  database,
  settings,
  clock,
  signer,
  replica,
}: Installation & Pick<Services, 'replica'>): Promise<z.output<typeof SystemStatus>> {
  const { bsize, bavail, blocks } = await statfs(settings.dataDir);
  const counts = await countServer(database);
  return {
    version: require('@svc/server/package.json').version,
    nodeVersion: process.versions.node,
    startedAt: new Date(Date.parse(clock()) - process.uptime() * 1000).toISOString(),
    schemaVersion: Object.keys(schemas).at(-1) as string,
    database: {
      kind: database.dialect,
      bytes: await readSize(database),
      searchedBytes: await readSearched(database),
    },
    replica: replica && { state: replica.status.state, lagSeconds: replica.status.lagSeconds },
    disk: { freeBytes: bavail * bsize, totalBytes: blocks * bsize },
    log: await readLogStatus(database.kysely, settings, signer),
    backups: await readBackups(database.kysely, settings, clock()),
    transfers: (await listTransfers(database.kysely, 20)).map((row) =>
      viewRow(Transfer, row, {
        status: row.total_count !== null && Number(row.row_count) < row.total_count ? 'incomplete' : 'completed',
      }),
    ),
    ...counts,
  };
}

async function readBackups(queries: Queries, { backup }: Settings, now: string): Promise<z.output<typeof Backups>> {
  const rows = await listBackupTasks(queries);
  return {
    target: backup && nameTarget(backup),
    isEncrypted: backup !== null && backup.recipients.length > 0,
    tasks: rows.map((row) => ({
      task: row.task as BackupTask,
      status: row.status === 'running' && !isRunning(row, now) ? 'interrupted' : (row.status as 'running'),
      startedAt: row.started_at,
      completedAt: row.completed_at,
      name: row.name,
      bytes: row.bytes === null ? null : Number(row.bytes),
      fault: row.fault,
    })),
  };
}

async function readLogStatus(queries: Queries, settings: Settings, { verifier }: Installation['signer']) {
  const newest = await findLogCheckpoint(queries);
  const tasks = await listTasks(queries);
  const sources = [];
  for (const { kind, source, name } of listConfigured(settings)) {
    const task = tasks.find((one) => one.kind === kind && one.source === source);
    const latest = await findNewestAttested(queries, { kind, source });
    sources.push({
      kind,
      name,
      latestAt: latest?.at ?? null,
      isCurrent: latest !== undefined && latest.size === newest?.size,
      triedAt: task?.tried_at ?? null,
      fault: task?.fault ?? null,
    });
  }
  return { size: newest?.size ?? 0, at: newest?.at ?? null, verifierKey: nameLogKey(verifier), sources };
}

/** The authority and the witnesses of the settings; none if their files were changed since the start and cannot be read. */
function listConfigured(settings: Settings) {
  const { authority, policy } = tryReadOutside(settings);
  const address = authority?.url ?? null;
  const authorities = address === null ? [] : [{ kind: 'timestamp' as const, source: '', name: new URL(address).host }];
  const witnesses = (policy?.witnesses ?? []).filter(({ url }) => url !== null);
  return [...authorities, ...witnesses.map(({ vkey, name }) => ({ kind: 'cosignature' as const, source: vkey, name }))];
}

function tryReadOutside(settings: Settings): Outside {
  try {
    return readOutside(settings);
  } catch (error) {
    if (error instanceof SettingsError) return { authority: null, policy: null };
    throw error;
  }
}
