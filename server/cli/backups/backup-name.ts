import { NoteSigner } from '../../ledger/signed-note.ts';

/** A file at the target of backups. */
export interface BackupName {
  readonly name: string;
  /** An archive of everything, or a copy of erasures.log. */
  readonly kind: 'archive' | 'erasures';
  /** Of the installation: the name under which it signs checkpoints. */
  readonly installation: string;
  /** When it was made, RFC 3339. */
  readonly at: string;
  readonly isEncrypted: boolean;
  /** Of a copy of erasures.log: its size and hash, which show without its key whether another log continues it. */
  readonly state: string | null;
}

const pattern =
  /^(svc-[0-9a-f]{12})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z\.(?:tar|erasures-(\d{1,15}-[0-9a-f]{32})\.log)\.gz(\.age)?$/;

/** Names a file so that backups of several installations can share a target: `svc-<key>-20261130T094500.123Z.tar.gz.age`. */
export function nameBackup({ installation, at, isEncrypted, state }: Omit<BackupName, 'name' | 'kind'>): string {
  const content = state === null ? 'tar' : `erasures-${state}.log`;
  return `${installation}-${at.replaceAll(/[-:]/g, '')}.${content}.gz${isEncrypted ? '.age' : ''}`;
}

/** Reads the name of a file; null if it is no backup. */
export function readBackupName(name: string): BackupName | null {
  const [, installation = '', year, month, day, hours, minutes, seconds, state = null, age] = pattern.exec(name) ?? [];
  if (installation === '') return null;
  const at = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`;
  const kind = state === null ? 'archive' : 'erasures';
  return { name, installation, at, kind, isEncrypted: age !== undefined, state };
}

/** The name of the installation that has this secret. It is derived from the public key of its checkpoints. */
export function nameInstallation(secret: string): string {
  return new NoteSigner(secret).verifier.name;
}
