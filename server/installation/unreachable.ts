import { SettingsError } from '../settings.ts';
import { readAddress } from '../storage/postgres-address.ts';
import { failsToWrite } from '../storage/sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { explainFile } from './system-failure.ts';

/**
 * True if an error means that PostgreSQL is unreachable or rejected the connection, and says nothing about its data.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    networkFailures.has(code) ||
    tlsFailures.test(code) ||
    starting.test(code) ||
    refusals.test(code) ||
    (isConnecting(error) && socketFailures.has(code)) ||
    silence.test(error.message) ||
    promotion.test(error.message) ||
    clientComplaints.test(error.message)
  );
}

/** True if PostgreSQL may only not have started yet: waiting does not help against a wrong password or name. */
export function mayStart(error: unknown): boolean {
  if (!isUnreachable(error)) return false;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (
    networkFailures.has(code) ||
    (isConnecting(error) && code === 'ENOENT') ||
    starting.test(code) ||
    silence.test(message) ||
    promotion.test(message)
  );
}

/**
 * Explains an error that means the database is unreachable; other errors are returned unchanged.
 * @param databaseUrl the address of PostgreSQL, which is shown without user and password; null for SQLite.
 */
export function explainUnreachable(error: unknown, databaseUrl: string | null): unknown {
  if (databaseUrl === null || !isUnreachable(error)) return error;
  const { place } = readAddress(databaseUrl);
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/client password must be/.test(message))
    return new SettingsError(`Cannot reach the database at ${place}: it requires a password; add it to DATABASE_URL`);
  // If the attempts for all addresses of a host fail, their AggregateError has no message.
  const reason =
    networkFailures.get(code) ?? (isConnecting(error) ? socketFailures.get(code) : undefined) ?? (message || code);
  return new SettingsError(`Cannot reach the database at ${place}: ${reason}`);
}

/**
 * Explains an error that means the data folder cannot be written; other errors are returned unchanged.
 * @param dataDir the folder.
 */
export function explainUnwritable(error: unknown, dataDir: string): unknown {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const isInFolder = path !== undefined && (path.startsWith(dataDir) || dataDir.startsWith(path));
  if (!failsToWrite(error) && !(isInFolder && unsuitable.has(code))) return error;
  const reason = explainFile(error)?.split(':')[0];
  return new SettingsError(
    `The data folder ${dataDir} cannot be written (${reason === undefined ? code : `${code}, ${reason}`}): Svc keeps its database, its secret and checkpoints.log there. Give this user write access, or name another folder with SVC_DATA_DIR. To check a copy on read-only storage: svc verify`,
  );
}

/** Codes that mean that a folder cannot be created or written. */
const unsuitable: ReadonlySet<string> = new Set([
  ...['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'EINVAL'],
]);

const networkFailures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the host name cannot be resolved'],
  ['ETIMEDOUT', 'the host does not answer'],
  ['EHOSTUNREACH', 'there is no route to the host'],
  ['ENETUNREACH', 'there is no route to the host'],
]);

/** Failures of the socket of a server on this machine; for other system calls these codes are about a file. */
const socketFailures: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such socket: check the folder and the port, and that PostgreSQL runs'],
  ['EACCES', 'this user may not connect to the socket'],
]);

function isConnecting(error: unknown): boolean {
  // `DatabaseUnavailable` has the error of the system as its cause.
  const failure = error instanceof DatabaseUnavailable ? error.cause : error;
  return failure instanceof Error && 'syscall' in failure && failure.syscall === 'connect';
}

/** Of OpenSSL and Node: the handshake failed, or a certificate is not trusted. */
const tlsFailures = /CERT|^(?:UNABLE_TO_VERIFY|HOSTNAME_MISMATCH|ERR_(?:SSL|TLS|OSSL)_|EPROTO$)/;

/** SQLSTATE: connection failures, too many connections, starting or shutting down. */
const starting = /^(?:08\w{3}|53300|57P\w{2})$/;

/** SQLSTATE: authorization, no such database. */
const refusals = /^(?:28|3D)\w{3}$/;

/** Errors of the client itself, which have no code: the server does not answer. */
const silence = /^(?:timeout exceeded when trying to connect|Connection terminated)/;

/** The others: the server answers something else than it should. */
const clientComplaints = /^(?:SASL|The server does not support SSL|There was an error establishing an SSL)/;

/** No server can be written to: a failover may not be complete. */
const promotion = /^(?:the server is read-only$|it is a standby)/;
