import { SettingsError } from '../settings.ts';
import { failsToWrite } from '../storage/read-sqlite.ts';

/**
 * Whether an error says that PostgreSQL could not be reached or would not let us in, and nothing about what it holds.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    networkFailures.has(code) || code.includes('CERT') || refusals.test(code) || clientComplaints.test(error.message)
  );
}

/**
 * What to tell a person who asked for something that needs the database; other errors stay as they are.
 * @param databaseUrl the address of PostgreSQL, whose user and password are not repeated; null for SQLite.
 */
export function explainUnreachable(error: unknown, databaseUrl: string | null): unknown {
  if (databaseUrl === null || !isUnreachable(error)) return error;
  const { hostname, port } = new URL(databaseUrl);
  const place = `${hostname || 'localhost'}:${port || 5432}`;
  return new SettingsError(`Cannot reach the database at ${place}: ${describeReason(error as Error)}`);
}

/**
 * What to tell a person whose data folder cannot be written; other errors stay as they are.
 * @param dataDir the folder.
 */
export function explainUnwritable(error: unknown, dataDir: string): unknown {
  const isFolder =
    error instanceof Error && 'code' in error && ['EROFS', 'EACCES', 'EPERM'].includes(String(error.code));
  if (!failsToWrite(error) && !(isFolder && 'path' in error && String(error.path).startsWith(dataDir))) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new SettingsError(
    `The data folder ${dataDir} cannot be written (${code}): Svc keeps its database, its secret and checkpoints.log there. Let this user write to it, or name another folder with SVC_DATA_DIR. To look at a copy on read-only storage: svc verify`,
  );
}

function describeReason(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  // One attempt for each address of a host fails as a group without words.
  return networkFailures.get(code) ?? (error.message || code);
}

const networkFailures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was cut'],
  ['EPIPE', 'the connection was cut'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up'],
  ['ETIMEDOUT', 'the host does not answer'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ENETUNREACH', 'there is no way to the host'],
]);

/** SQLSTATE: connection, authorization, no such database, too many connections, starting or shutting down. */
const refusals = /^(?:(?:08|28|3D)\w{3}|53300|57P\w{2})$/;

/** What the client says by itself, without a code. */
const clientComplaints =
  /^(?:timeout exceeded when trying to connect|Connection terminated|SASL|The server does not support SSL)/;
