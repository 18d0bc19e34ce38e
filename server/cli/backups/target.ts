import type { Readable } from 'node:stream';
import type { BackupSettings } from '../../settings.ts';
import { ExplainedError } from '../../storage/explained-error.ts';

/** A backup could not be made, listed or fetched. The message says why and what to do. */
export class BackupFailed extends ExplainedError {
  override readonly name = 'BackupFailed';
}

/** A file at a target. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
}

/** Where backups are kept. Every method throws `BackupFailed`. */
export interface BackupTarget {
  /** Its name in messages. */
  readonly label: string;
  list(): Promise<readonly StoredFile[]>;
  /** Writes a file, which appears whole and durable or not at all. @returns its size in bytes. */
  write(name: string, content: Readable): Promise<number>;
  read(name: string): Promise<Readable>;
  remove(name: string): Promise<void>;
  /** Removes what interrupted writes of files with this prefix left. */
  clean(prefix: string): Promise<void>;
}

/** The name of a target in messages and in the state of the server; never its credentials. */
export function nameTarget({ target }: BackupSettings): string {
  if (target.kind === 'folder') return target.folder;
  return `s3://${target.bucket}${target.prefix === '' ? '' : `/${target.prefix}`}`;
}
