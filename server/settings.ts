import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ExplainedError } from './storage/explained-error.ts';
import { findAddressIssue } from './storage/postgres-address.ts';

const wholeNumber = (fallback: number, minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum).default(fallback);

/** True if an address is only an origin: it has no path, query, fragment or user. */
function isOrigin(address: string): boolean {
  const { href, origin } = new URL(address);
  return href === `${origin}/`;
}

/** Every setting, by the environment variable that carries it. An empty variable counts as absent. */
const Environment = z.object({
  PORT: wholeNumber(8787, 0, 65_535).describe('Port to listen on; 0 takes a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  SVC_BASE_URL: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(isOrigin, 'must be a scheme and a host, with no path behind them')
    .optional()
    .describe('Public address of this server, without a path; needed behind a reverse proxy'),
  SVC_DATA_DIR: z
    .string()
    .default('data')
    .describe('Folder of the SQLite file, the secret, checkpoints.log, erasures.log and the demo credentials'),
  DATABASE_URL: z
    .string()
    .superRefine((address, context) => {
      const issue = findAddressIssue(address);
      if (issue !== null) context.addIssue(issue);
    })
    .optional()
    .describe('PostgreSQL to use instead of SQLite; several servers may share it'),
  SVC_DATABASE_SECONDS: wholeNumber(10, 1, 300).describe(
    'How long PostgreSQL may work on a statement before the request fails with 503',
  ),
  SVC_DATABASE_WAIT_SECONDS: wholeNumber(60, 0, 3600).describe(
    'How long svc serve waits at its start for a PostgreSQL that does not answer yet',
  ),
  SVC_DATABASE_POOL: wholeNumber(10, 2, 500).describe(
    'Connections to PostgreSQL at once, of each server; as many to DATABASE_READ_URL',
  ),
  DATABASE_READ_URL: z
    .string()
    .superRefine((address, context) => {
      const issue = findAddressIssue(address);
      if (issue !== null) context.addIssue(issue);
    })
    .optional()
    .describe('Standby of DATABASE_URL for lists, exports, statistics and verification; default: none'),
  SVC_READ_LAG_SECONDS: wholeNumber(5, 0, 3600).describe(
    'DATABASE_READ_URL is used while it lags by no more than so many seconds; 0 for only while it has every change',
  ),
  SVC_SECRET: z
    .string()
    .trim()
    .max(10_000)
    .refine(
      (text) => text.split(/[,\n]/).every((one) => one.trim().length >= 32),
      'must have 32 characters or more without commas; after a rotation, the former one follows behind a comma',
    )
    .optional()
    .describe(
      'Key of hashes, passwords and sealed texts, 32 characters or more without commas; after `svc secret rotate`, followed by a comma and the former one; default: the file secret.key in the data folder',
    ),
  SVC_TRUSTED_PROXIES: wholeNumber(0, 0, 10).describe(
    'Number of trusted reverse proxies in front that add X-Forwarded-For',
  ),
  SVC_REGION_HEADER: z
    .string()
    .max(200)
    .regex(
      /^[A-Za-z0-9-]{1,64}(?: ?, ?[A-Za-z0-9-]{1,64})?$/,
      'must be the name of a header, or of two with a comma between them',
    )
    .transform((names) => names.toLowerCase().split(/ ?, ?/))
    .optional()
    .describe(
      'Header of the outermost trusted proxy with the region of the visitor: CF-IPCountry, or Country-Header,Subdivision-Header; needs SVC_TRUSTED_PROXIES',
    ),
  SVC_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least level that is logged; debug logs every request'),
  SVC_LOG_REQUESTS: z
    .stringbool()
    .default(false)
    .describe('Whether each request is logged at info, with its duration, status, tenant and caller'),
  SVC_METRICS_PORT: z
    // Kubernetes sets a variable of this name to an address for a Service that is called svc-metrics.
    .preprocess(
      (port) => (String(port).startsWith('tcp://') ? undefined : port),
      z.coerce.number().int().min(0).max(65_535).optional(),
    )
    .describe('Port on which GET /metrics answers Prometheus, without credentials; 0 takes a free one; default: none'),
  SVC_METRICS_HOST: z.string().default('127.0.0.1').describe('Address to listen on for SVC_METRICS_PORT'),
  SVC_LIMIT_API_KEY: wholeNumber(600, 1, 1e9).describe(
    'Requests a minute for each API key and session, and refused ones for each client address',
  ),
  SVC_LIMIT_TENANT: wholeNumber(6000, 1, 1e9).describe(
    'Requests a minute for each tenant: all of its API keys, access tokens, sessions and SCIM together',
  ),
  SVC_LIMIT_VISITOR: wholeNumber(6000, 1, 1e9).describe(
    'Requests a minute for each client address of what needs no credentials: pages, documentation, widgets, public notices, sign-in',
  ),
  SVC_LIMIT_CAPTURE_NOTICE: wholeNumber(600, 1, 1e9).describe('Public captures a minute for each notice'),
  SVC_LIMIT_CAPTURE_CLIENT: wholeNumber(60, 1, 1e9).describe('Public captures a minute for each client address'),
  SVC_LIMIT_SIGN_IN: wholeNumber(10, 1, 1e9).describe(
    'Sign-ins a minute, for each client address, and for each account from one place',
  ),
  SVC_LIMIT_SCIM: wholeNumber(1200, 1, 1e9).describe('SCIM requests a minute for each tenant'),
  SVC_LIMIT_EXPORTS: wholeNumber(16, 1, 1e9).describe(
    'Exports, uploads and downloads of files at once for each tenant, on each server',
  ),
  SVC_EVIDENCE_MIB: wholeNumber(5120, 0, 1e9).describe(
    'MiB of evidence files that each tenant may store; 0 turns uploads off',
  ),
  SVC_MAX_CONNECTIONS: wholeNumber(10_000, 1, 1e6).describe('Connections at once; further ones are closed'),
  SVC_MAX_CONNECTIONS_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1e6)
    .optional()
    .describe(
      'Connections at once of each client address, twice as many of each IPv6 /48; behind trusted proxies, requests at once; default: a tenth of SVC_MAX_CONNECTIONS',
    ),
  SVC_KEEP_ALIVE_SECONDS: wholeNumber(65, 1, 3600).describe(
    'How long a connection is kept for the next request; longer than the idle timeout of a proxy in front',
  ),
  SVC_STOP_SECONDS: wholeNumber(25, 1, 3600).describe(
    'After SIGTERM the process exits within so many seconds, whatever is under way',
  ),
  SVC_CHECKPOINT_MINUTES: wholeNumber(60, 1, 1440).describe(
    'A ledger with new entries gets a signed checkpoint after so many minutes',
  ),
  SVC_TIMESTAMP_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Timestamp authority (RFC 3161) that timestamps the log of the installation each hour; needs SVC_TIMESTAMP_CA',
    ),
  SVC_TIMESTAMP_CA: z.string().optional().describe('File with the certificates, in PEM, that timestamps must lead to'),
  SVC_WITNESS_POLICY: z
    .string()
    .optional()
    .describe('File with the witnesses (C2SP tlog-policy) that cosign the log of the installation each hour'),
  SVC_VERIFY_HOURS: wholeNumber(24, 0, 8760).describe(
    'Every ledger and row is verified after so many hours; 0 for only on request',
  ),
  SVC_BACKUP_TO: z
    .string()
    .regex(/^(?!\w+:\/\/|s3:)|^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.*'()/-]*)?$/, {
      error: 'must be a folder, or s3://bucket/prefix',
    })
    .optional()
    .describe('Where svc serve and svc backup put backups: a folder, or s3://bucket/prefix; default: nowhere'),
  SVC_BACKUP_HOURS: wholeNumber(24, 0, 8760).describe('A backup is made after so many hours; 0 for only on request'),
  SVC_BACKUP_KEEP: wholeNumber(14, 1, 10_000).describe('How many backups are kept, at most'),
  SVC_BACKUP_KEEP_DAYS: wholeNumber(0, 0, 36_500).describe(
    'Older backups are deleted, but never the newest one; 0 for by their number only',
  ),
  SVC_BACKUP_AGE_RECIPIENTS: z
    .string()
    .transform((keys) => keys.split(/[\s,]+/).filter(Boolean))
    .optional()
    .describe('Public keys of age (age1…), with a comma between them, that backups are encrypted to; S3 needs them'),
  SVC_BACKUP_AGE_IDENTITY_FILE: z
    .string()
    .optional()
    .describe('File with the private key of age, for svc restore and SVC_BACKUP_REHEARSE_DAYS'),
  SVC_BACKUP_REHEARSE_DAYS: wholeNumber(0, 0, 366).describe(
    'The newest backup is restored into a temporary folder and verified after so many days; 0 for never',
  ),
  SVC_BACKUP_S3_ENDPOINT: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(isOrigin, 'must be a scheme and a host, with no path behind them')
    .optional()
    .describe('Address of the S3 server; default: that of AWS in the region'),
  SVC_BACKUP_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of a region')
    .default('us-east-1')
    .describe('Region of the S3 server'),
  SVC_BACKUP_S3_ACCESS_KEY_ID: z.string().optional().describe('Name of the access key of the S3 server'),
  SVC_BACKUP_S3_SECRET_ACCESS_KEY: z.string().optional().describe('The access key of the S3 server'),
  SVC_WEBHOOK_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe('Whether webhooks may go to http and to private addresses: for development, and in the demo'),
  SVC_SESSION_IDLE_MINUTES: wholeNumber(60, 1, 1440).describe('A session ends after so many minutes without a request'),
  SVC_SESSION_HOURS: wholeNumber(24, 1, 720).describe('A session ends after so many hours in any case'),
});

/** Says which environment variables are wrong and how; the command line prints it as it is. */
export class SettingsError extends ExplainedError {
  override readonly name = 'SettingsError';

  override get exitCode() {
    return 2 as const;
  }
}

const refusal = 'Some settings cannot be used:';

/** Settings that hold a secret: each can also be read from the file that `<name>_FILE` names. */
const secrets = ['DATABASE_URL', 'DATABASE_READ_URL', 'SVC_SECRET', 'SVC_BACKUP_S3_SECRET_ACCESS_KEY'] as const;

/** Variables of programs beside a server: the SDK, receivers of webhooks, and the tests of this project. */
const otherVariable = /^SVC_(?:API_KEY|KEY|KEY_ID|SCIM_TOKEN|WEBHOOK_SECRET\w*|(?:TEST|DOCS)_\w+)$/;

/** Kubernetes sets variables for each Service; those of one whose name starts with svc have one of these parts. */
const serviceParts = ['_SERVICE_HOST', '_SERVICE_PORT', '_TCP', '_UDP', '_SCTP'];

/**
 * Reads the settings from environment variables.
 * @param defaults values for absent variables that differ from the usual defaults.
 * @throws {SettingsError} naming every variable that is unknown or whose value cannot be used.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  defaults: Readonly<Record<string, string>> = {},
): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const issues = findUnknown(Object.keys(given));
  for (const name of secrets) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) issues.push(`${name}_FILE: is set, and so is ${name}; set one of them`);
    else
      try {
        given[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        issues.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      }
  }
  const parsed = Environment.safeParse({ ...defaults, ...given });
  if (!parsed.success) issues.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  if (!parsed.success || issues.length > 0)
    throw new SettingsError([refusal, ...issues.map((issue) => `  ${issue}`)].join('\n'));
  if (parsed.data.DATABASE_READ_URL !== undefined && parsed.data.DATABASE_URL === undefined)
    throw new SettingsError(
      `${refusal}
  DATABASE_READ_URL: needs DATABASE_URL, the primary whose standby it is; SQLite has none`,
    );
  if (parsed.data.SVC_TIMESTAMP_URL !== undefined && parsed.data.SVC_TIMESTAMP_CA === undefined)
    throw new SettingsError(
      `${refusal}
  SVC_TIMESTAMP_URL: needs SVC_TIMESTAMP_CA, the certificates to verify its timestamps with`,
    );
  if (parsed.data.SVC_REGION_HEADER !== undefined && parsed.data.SVC_TRUSTED_PROXIES === 0)
    throw new SettingsError(
      `${refusal}
  SVC_REGION_HEADER: needs SVC_TRUSTED_PROXIES, because only a trusted proxy may name the region`,
    );
  const { SVC_BACKUP_TO, SVC_BACKUP_S3_ACCESS_KEY_ID, SVC_BACKUP_S3_SECRET_ACCESS_KEY } = parsed.data;
  const hasKey = SVC_BACKUP_S3_ACCESS_KEY_ID !== undefined && SVC_BACKUP_S3_SECRET_ACCESS_KEY !== undefined;
  if (SVC_BACKUP_TO?.startsWith('s3://') === true && !hasKey)
    throw new SettingsError(
      `${refusal}
  SVC_BACKUP_TO: needs SVC_BACKUP_S3_ACCESS_KEY_ID and SVC_BACKUP_S3_SECRET_ACCESS_KEY`,
    );
  return toSettings(parsed.data);
}

/** @see Settings.backup */
function toBackup(read: z.output<typeof Environment>) {
  const { SVC_BACKUP_TO: to, SVC_BACKUP_S3_REGION: region } = read;
  if (to === undefined) return null;
  const [bucket = '', ...prefix] = to.slice('s3://'.length).split('/');
  const s3 = {
    bucket,
    /** Without slashes around it. */
    prefix: prefix.filter(Boolean).join('/'),
    endpoint: new URL(read.SVC_BACKUP_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`).origin,
    region,
    accessKeyId: read.SVC_BACKUP_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: read.SVC_BACKUP_S3_SECRET_ACCESS_KEY ?? '',
  };
  return {
    target: to.startsWith('s3://')
      ? ({ kind: 's3', ...s3 } as const)
      : ({ kind: 'folder', folder: resolve(to) } as const),
    recipients: read.SVC_BACKUP_AGE_RECIPIENTS ?? [],
    identityFile: read.SVC_BACKUP_AGE_IDENTITY_FILE === undefined ? null : resolve(read.SVC_BACKUP_AGE_IDENTITY_FILE),
    keep: read.SVC_BACKUP_KEEP,
    /** Durations in milliseconds; 0 for none. */
    keepFor: read.SVC_BACKUP_KEEP_DAYS * 86_400_000,
    interval: read.SVC_BACKUP_HOURS * 3_600_000,
    rehearsalInterval: read.SVC_BACKUP_REHEARSE_DAYS * 86_400_000,
  } as const;
}

/** One line for each variable that begins like a setting and is none: a misspelled one would be ignored otherwise. */
function findUnknown(variables: readonly string[]): string[] {
  const names = Object.keys(Environment.shape);
  const known = new Set([...names, ...secrets.map((name) => `${name}_FILE`)]);
  return variables.flatMap((name) => {
    if (!name.startsWith('SVC_') || known.has(name) || otherVariable.test(name)) return [];
    if (name.endsWith('_PORT') || serviceParts.some((part) => name.includes(part))) return [];
    const [nearest] = names
      .map((other) => ({ other, distance: editDistance(name.slice(0, 64), other) }))
      .filter(({ distance }) => distance <= 4)
      .sort((one, other) => one.distance - other.distance);
    return `${name.slice(0, 64)}: is no setting${nearest === undefined ? '; svc serve --help lists them' : `; did you mean ${nearest.other}?`}`;
  });
}

/** The fewest insertions, deletions and substitutions that turn one text into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const substituted = (row[at] as number) + (character === to[at] ? 0 : 1);
      next.push(Math.min(substituted, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}

function toSettings(read: z.output<typeof Environment>) {
  return {
    port: read.PORT,
    host: read.HOST,
    baseUrl: read.SVC_BASE_URL === undefined ? null : new URL(read.SVC_BASE_URL).origin,
    dataDir: resolve(read.SVC_DATA_DIR),
    databaseUrl: read.DATABASE_URL ?? null,
    /** How long PostgreSQL may work on a statement. */
    databaseSeconds: read.SVC_DATABASE_SECONDS,
    /** How long a server waits at its start for PostgreSQL, in milliseconds. */
    databaseWait: read.SVC_DATABASE_WAIT_SECONDS * 1000,
    /** Connections to PostgreSQL at once. */
    databasePool: read.SVC_DATABASE_POOL,
    /** The standby that answers reads; null without one. The longest lag in milliseconds. */
    replica:
      read.DATABASE_READ_URL === undefined
        ? null
        : { url: read.DATABASE_READ_URL, longestLag: read.SVC_READ_LAG_SECONDS * 1000 },
    secret: read.SVC_SECRET ?? null,
    trustedProxies: read.SVC_TRUSTED_PROXIES,
    /** Names of the headers with a country, or a country and its subdivision. */
    regionHeaders: read.SVC_REGION_HEADER ?? [],
    logLevel: read.SVC_LOG_LEVEL,
    logsRequests: read.SVC_LOG_REQUESTS,
    metrics: read.SVC_METRICS_PORT === undefined ? null : { port: read.SVC_METRICS_PORT, host: read.SVC_METRICS_HOST },
    /** Requests a minute. */
    limits: {
      apiKey: read.SVC_LIMIT_API_KEY,
      tenant: read.SVC_LIMIT_TENANT,
      visitor: read.SVC_LIMIT_VISITOR,
      captureNotice: read.SVC_LIMIT_CAPTURE_NOTICE,
      captureClient: read.SVC_LIMIT_CAPTURE_CLIENT,
      signIn: read.SVC_LIMIT_SIGN_IN,
      scim: read.SVC_LIMIT_SCIM,
    },
    /** Bytes of evidence files of each tenant. */
    evidenceQuota: read.SVC_EVIDENCE_MIB * 1024 * 1024,
    /** Exports, uploads and downloads at once for each tenant. */
    concurrentExports: read.SVC_LIMIT_EXPORTS,
    maxConnections: read.SVC_MAX_CONNECTIONS,
    maxConnectionsOfAddress: read.SVC_MAX_CONNECTIONS_ADDRESS ?? Math.ceil(read.SVC_MAX_CONNECTIONS / 10),
    // Durations are in milliseconds.
    keepAlive: read.SVC_KEEP_ALIVE_SECONDS * 1000,
    stopWithin: read.SVC_STOP_SECONDS * 1000,
    checkpointInterval: read.SVC_CHECKPOINT_MINUTES * 60_000,
    timestamps: {
      url: read.SVC_TIMESTAMP_URL ?? null,
      authorityFile: read.SVC_TIMESTAMP_CA === undefined ? null : resolve(read.SVC_TIMESTAMP_CA),
    },
    witnessPolicy: read.SVC_WITNESS_POLICY === undefined ? null : resolve(read.SVC_WITNESS_POLICY),
    /** 0 for only on request. */
    verifyInterval: read.SVC_VERIFY_HOURS * 3_600_000,
    sessionLifetime: { idle: read.SVC_SESSION_IDLE_MINUTES * 60_000, absolute: read.SVC_SESSION_HOURS * 3_600_000 },
    /** Null if backups are made by other means. */
    backup: toBackup(read),
    webhooks: { allowPrivate: read.SVC_WEBHOOK_ALLOW_PRIVATE },
  } as const;
}

/** The settings of this process: read once at the start, never changed. */
export type Settings = ReturnType<typeof toSettings>;
export type BackupSettings = NonNullable<Settings['backup']>;
export type SessionLifetime = Settings['sessionLifetime'];

/** Name, default and meaning of every setting, for `svc serve --help`. */
export function describeSettings(): readonly { readonly name: string; readonly meaning: string }[] {
  return Object.entries(Environment.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    const shown = fallback.success && fallback.data !== undefined ? ` (default ${fallback.data})` : '';
    const asFile = (secrets as readonly string[]).includes(name) ? `; ${name}_FILE names a file with it` : '';
    return { name, meaning: `${schema.description}${asFile}${shown}` };
  });
}

/** The address that people and programs use for a server that listens on a port: the public one, where there is one. */
export function nameAddress({ baseUrl, host }: Pick<Settings, 'baseUrl' | 'host'>, port: number): string {
  // Browsers treat localhost as a secure context and as a separate site.
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host);
  const name = isLocal ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return baseUrl ?? `http://${name}:${port}`;
}
