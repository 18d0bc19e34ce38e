import { DatabaseUnavailable } from '../storage/unavailable.ts';

/** Failures of files, by their code, with what to do. */
const fileFailures: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user has no access: change the owner or the mode, or run the command as another user'],
  ['EPERM', 'this user may not do that: change the owner or the mode, or run the command as another user'],
  ['EROFS', 'the file system is read-only: name a place that can be written to'],
  ['ENOENT', 'there is no such file or folder: check the path'],
  ['ENOTDIR', 'a part of the path is not a folder: check the path'],
  ['EISDIR', 'it is a folder: name a file'],
  ['EEXIST', 'it exists already: name another place'],
  ['ELOOP', 'its symbolic links lead in a circle: check the path'],
  ['ENAMETOOLONG', 'the name is too long: name another place'],
  ['ENOSPC', 'the disk is full: free some space'],
  ['EDQUOT', 'the disk quota of this user is used up: free some space'],
  ['EFBIG', 'the file is larger than the limit of this process or the file system: raise it (ulimit -f)'],
  ['EIO', 'the disk fails: see the system log'],
  ['EMFILE', 'this process has too many open files: raise the limit (ulimit -n, LimitNOFILE in systemd)'],
  ['ENFILE', 'the system has too many open files: raise fs.file-max'],
  ['ENOMEM', 'there is not enough memory'],
  ['ETXTBSY', 'another process uses it: try again later'],
  ['EBUSY', 'another process uses it: try again later'],
  ['EINVAL', 'the file system refuses the operation: name a place on a local disk'],
]);

/** Failures of the databases that the data is not to blame for, by a pattern of their code, with what to do. */
const databaseFailures: readonly (readonly [codes: RegExp, advice: string])[] = [
  [/^42501$/, 'Grant the role that right, or connect as the owner of the tables'],
  [/^3F000$/, 'Create a schema for the role and name it in its search_path'],
  [/^(?:22P05|22021)$/, 'Use a database in UTF-8: CREATE DATABASE svc ENCODING UTF8 TEMPLATE template0'],
  [/^(?:53100|SQLITE_FULL)$/, 'Free some space on its disk'],
  [/^53300$/, 'Raise max_connections, or stop other clients'],
  [/^(?:53200|SQLITE_NOMEM)$/, 'Give it more memory'],
  [/^25006$/, 'Connect to the primary, and allow the role to write'],
  [/^(?:SQLITE_IOERR\w*|SQLITE_PROTOCOL|58030)$/, 'See the system log; SQLite needs a local file system with locks'],
  [/^(?:SQLITE_NOTADB|SQLITE_CORRUPT\w*|XX001|XX002)$/, 'Keep the damaged database, and restore the last backup'],
  [/^SQLITE_BUSY\w*$/, 'Stop the other program that uses the file, or try again later'],
];

/** The reason of a failed access to a file, with what to do; undefined for other errors. */
export function explainFile(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? fileFailures.get(String(error.code)) : undefined;
}

/** One sentence about a failure that the operator of the system can fix; undefined if the program itself is at fault. */
export function explainSystemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const reason = explainFile(error);
  if (reason !== undefined && 'syscall' in error)
    return `${'path' in error ? error.path : `The system call ${error.syscall}`}: ${reason} (${code}).`;
  const advice = databaseFailures.find(([codes]) => codes.test(code))?.[1];
  if (advice === undefined && !(error instanceof DatabaseUnavailable)) return undefined;
  // Errors of class 22 quote values.
  const message = code.startsWith('22') ? 'it cannot store a character' : error.message;
  return `The database cannot be used: ${message}${advice === undefined ? '' : ` (${code}). ${advice}.`}`;
}
