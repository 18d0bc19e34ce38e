import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ConnectionOptions, getCACertificates } from 'node:tls';

/** An address that cannot be used. The message contains no part of it: a misread part can be one of the password. */
export class InvalidAddress extends Error {
  override readonly name = 'InvalidAddress';
}

/** One way to connect. */
export interface Route {
  readonly host: string;
  readonly port: number;
  readonly ssl: false | ConnectionOptions;
}

/** A PostgreSQL address, read as libpq reads it. What it omits comes from the driver's variables (PGHOST, PGUSER, …). */
export interface PostgresAddress {
  /** In the order in which they are tried. */
  readonly routes: readonly [Route, ...Route[]];
  /** True if there are several servers, of which one can be written to. */
  readonly hasReplicas: boolean;
  /** The other options of the client. */
  readonly client: Readonly<Record<string, string | boolean>>;
  /** The first host, its port and the database, without user, password and parameters. */
  readonly place: string;
  readonly database: string;
}

const form = 'postgres://user:password@host:5432/database';
const unreadable = `cannot be read. Percent-encode special characters in the user name and the password (@ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25): ${form}`;

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
type SslMode = (typeof sslModes)[number];

/** Values of `ssl`, which the driver has besides `sslmode`; any other is a mode. */
const sslSwitches: Readonly<Record<string, SslMode>> = {
  ...Object.fromEntries(['true', '1', 'on', 'yes'].map((word) => [word, 'verify-full' as const])),
  ...Object.fromEntries(['false', '0', 'off', 'no'].map((word) => [word, 'disable' as const])),
};

/** Parameters that Svc uses, and those of libpq that it accepts because they change nothing here. */
const used = [
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'application_name', 'options', 'channel_binding'],
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'ssl', 'target_session_attrs'],
] as const;
const ignored: readonly string[] = [
  ...['connect_timeout', 'client_encoding', 'fallback_application_name', 'gssencmode', 'load_balance_hosts'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  'uselibpqcompat',
];
type Parameters = Partial<Record<(typeof used)[number], string>>;

/**
 * Reads a connection URI (PostgreSQL manual, 34.1.1.2), with hosts in the authority or in parameters, sockets and lists.
 * @throws {InvalidAddress}
 */
export function readAddress(text: string): PostgresAddress {
  const { credentials, hosts, path, query } = split(text);
  const given = readParameters(query);
  const names = (given.host ?? given.hostaddr)?.split(',').map((host) => ({ host, port: '' }));
  const ports = given.port?.split(',') ?? [];
  const servers = (names ?? hosts.split(',').map(readHost)).map(({ host, port }, index) => ({
    // The driver takes an empty option for an absent one, and reads its variable.
    host: host || process.env.PGHOST || 'localhost',
    port: readPort(port || (ports[index] ?? ports[0]) || process.env.PGPORT || '5432'),
  }));
  const user = given.user ?? decode(credentials.split(':', 1)[0] ?? '');
  const colon = credentials.indexOf(':');
  const password = given.password ?? (colon < 0 ? '' : decode(credentials.slice(colon + 1)));
  const database = given.dbname ?? decode(path);
  const tls = readTls(given);
  const routes = servers.flatMap((server) =>
    // libpq ignores sslmode for sockets.
    (server.host.startsWith('/') ? [false as const] : tls).map((ssl) => ({ ...server, ssl })),
  );
  const [first = { host: '', port: 0 }] = servers;
  return {
    routes: routes as unknown as PostgresAddress['routes'],
    hasReplicas: servers.length > 1,
    client: {
      ...(user !== '' && { user }),
      ...(password !== '' && { password }),
      ...(database !== '' && { database }),
      ...(given.application_name !== undefined && { application_name: given.application_name }),
      ...(given.options !== undefined && { options: given.options.replaceAll('+', ' ') }),
      ...(given.channel_binding !== undefined && { enableChannelBinding: given.channel_binding !== 'disable' }),
      ...(given.sslnegotiation === 'direct' && { sslnegotiation: 'direct' }),
    },
    place: isIP(first.host) === 6 ? `[${first.host}]:${first.port}` : `${first.host}:${first.port}`,
    database: database || process.env.PGDATABASE || user,
  };
}

/** The issue of an address, without any part of it; null if there is none. */
export function findAddressIssue(text: string): string | null {
  try {
    readAddress(text);
    return null;
  } catch (error) {
    if (error instanceof InvalidAddress) return error.message;
    throw error;
  }
}

function split(text: string) {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text.trim()) ?? [];
  if (rest === undefined) throw new InvalidAddress(`must be an address such as postgres://db.internal:5432/svc`);
  // As libpq: a password contains every character but the slash, and its end is the last @ before the database.
  const authority = rest.split('/', 1)[0] ?? '';
  const plain = authority.split(/\?(?=[a-z_]+=)/, 1)[0] ?? '';
  const at = (plain.includes('@') ? plain : authority).lastIndexOf('@');
  const [, hosts = '', path = '', query = ''] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest.slice(at + 1)) ?? [];
  // A slash in the password ended it too early.
  if (path.includes('@')) throw new InvalidAddress(unreadable);
  return { credentials: rest.slice(0, Math.max(at, 0)), hosts, path, query };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw new InvalidAddress(unreadable);
  }
}

function readHost(text: string): { readonly host: string; readonly port: string } {
  const [, name, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const host = decode(name ?? ' ').replace(/^\[(.*)\]$/, '$1');
  if (!/^(?:\/.*|[\p{L}\p{N}._-]*)$/su.test(host) && isIP(host.replace(/%.*/, '')) !== 6)
    throw new InvalidAddress(unreadable);
  return { host, port };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidAddress(unreadable);
  return port;
}

function readParameters(query: string): Parameters {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const given = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [decode(name), decode(value.join('='))] as const;
  });
  if (given.some(([name]) => !(used as readonly string[]).includes(name) && !ignored.includes(name)))
    throw new InvalidAddress(
      query.includes('@') ? unreadable : `has a parameter that is not supported. Supported: ${used.join(', ')}`,
    );
  return Object.fromEntries(given);
}

/** How connections are encrypted, as libpq defines it; the first that the server accepts is used. */
function readTls(given: Parameters): readonly (false | ConnectionOptions)[] {
  const { sslrootcert: root, sslcert, sslkey } = given;
  const ssl = given.ssl?.toLowerCase();
  const switched = ssl === undefined ? undefined : (sslSwitches[ssl] ?? ssl);
  const mode = (given.sslmode ?? switched ?? (process.env.PGSSLMODE || 'prefer')) as SslMode;
  if (!sslModes.includes(mode)) throw new InvalidAddress(`sslmode must be one of ${sslModes.slice(0, 6).join(', ')}`);
  if (given.sslnegotiation === 'direct' && ['disable', 'allow', 'prefer'].includes(mode))
    throw new InvalidAddress('sslnegotiation=direct needs sslmode=require, verify-ca or verify-full');
  if (mode === 'verify-ca' && root === undefined)
    throw new InvalidAddress('sslmode=verify-ca needs sslrootcert, a file with the certificate of the authority');
  const certificate = {
    ...(sslcert !== undefined && { cert: readFile('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: readFile('sslkey', sslkey) }),
  };
  const authorities =
    root === undefined ? {} : { ca: root === 'system' ? getCACertificates('system') : readFile('sslrootcert', root) };
  const encrypted: ConnectionOptions = { ...certificate, rejectUnauthorized: false };
  const verified: ConnectionOptions = { ...certificate, ...authorities };
  // With an authority, `require` is `verify-ca`: for compatibility, says the manual of libpq.
  const ofAuthority: ConnectionOptions = { ...verified, checkServerIdentity: () => undefined };
  const ways: Readonly<Record<SslMode, readonly (false | ConnectionOptions)[]>> = {
    disable: [false],
    allow: [false, encrypted],
    prefer: [encrypted, false],
    require: [root === undefined ? encrypted : ofAuthority],
    'no-verify': [encrypted],
    'verify-ca': [ofAuthority],
    'verify-full': [verified],
  };
  return ways[mode];
}

function readFile(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidAddress(
      `the file of ${parameter} cannot be read (${(error as NodeJS.ErrnoException).code}): check its path and mode`,
    );
  }
}

/**
 * The next route to try after one failed; undefined if none would help: another server, or the same with or without TLS if
 * it refused only that.
 */
export function findNextRoute(routes: readonly Route[], failed: ReadonlySet<Route>, last: Route, error: unknown) {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const isAboutTls =
    code === '28000' || /^(?:ERR_SSL|ERR_TLS|EPROTO|CERT)/.test(code) || /SSL connection/.test(message);
  const isRefusal = /^(?:28|3D)/.test(code);
  return routes.find((route) => {
    if (failed.has(route)) return false;
    return route.host === last.host && route.port === last.port ? isAboutTls : !isRefusal;
  });
}
