import { SettingsError } from '../settings.ts';
import { failsToWrite } from '../storage/sqlite.ts';

/** Whether an error means that PostgreSQL is unreachable or rejected the connection, and says nothing about its data. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    networkFailures.has(code) || code.includes('CERT') || refusals.test(code) || clientComplaints.test(error.message)
  );
}

/**
 * Explains an error that means the database is unreachable; other errors are returned unchanged.
 * @param databaseUrl the address of PostgreSQL, whose user and password are not included; null for SQLite.
 */
export function explainUnreachable(error: unknown, databaseUrl: string | null): unknown {
  if (databaseUrl === null || !isUnreachable(error)) return error;
  const { hostname, port } = new URL(databaseUrl);
  const place = `${hostname || 'localhost'}:${port || 5432}`;
  const { code = '', message } = error as NodeJS.ErrnoException;
  // If the attempts for all addresses of a host fail, their AggregateError has no message.
  const reason = networkFailures.get(code) ?? (message || code);
  return new SettingsError(`Cannot reach the database at ${place}: ${reason}`);
}

/**
 * Explains an error that means the data folder cannot be written; other errors are returned unchanged.
 * @param dataDir the folder.
 */
export function explainUnwritable(error: unknown, dataDir: string): unknown {
  const isFolder =
    error instanceof Error && 'code' in error && ['EROFS', 'EACCES', 'EPERM'].includes(String(error.code));
  if (!failsToWrite(error) && !(isFolder && 'path' in error && String(error.path).startsWith(dataDir))) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new SettingsError(
    `The data folder ${dataDir} cannot be written (${code}): Svc keeps its database, its secret and checkpoints.log there. Give this user write access, or name another folder with SVC_DATA_DIR. To check a copy on read-only storage: svc verify`,
  );
}

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

/** SQLSTATE: connection, authorization, no such database, too many connections, starting or shutting down. */
const refusals = /^(?:(?:08|28|3D)\w{3}|53300|57P\w{2})$/;

/** Errors of the client itself, which have no code. */
const clientComplaints =
  /^(?:timeout exceeded when trying to connect|Connection terminated|SASL|The server does not support SSL)/;
