import { type BackupSettings, SettingsError } from '../../settings.ts';

/**
 * Checks what making backups needs: a misspelled public key would make backups that cannot be opened.
 * @throws {SettingsError}
 */
export async function checkBackupSettings({ target, recipients, ...settings }: BackupSettings): Promise<void> {
  if (target.kind === 's3' && recipients.length === 0)
    throw new SettingsError(
      'SVC_BACKUP_TO: a backup on S3 needs SVC_BACKUP_AGE_RECIPIENTS, because without encryption it would hand over the data and its secret; age-keygen makes a key',
    );
  if (settings.rehearsalInterval > 0 && recipients.length > 0 && settings.identityFile === null)
    throw new SettingsError(
      'SVC_BACKUP_REHEARSE_DAYS: needs SVC_BACKUP_AGE_IDENTITY_FILE, because the backups are encrypted',
    );
  if (recipients.length === 0) return;
  const { bech32 } = await import('@scure/base');
  const isRecipient = (text: string) => {
    try {
      // A post-quantum key has 2,000 characters, more than bech32 has in general.
      return ['age', 'age1pq'].includes(bech32.decode(text as `${string}1${string}`, false).prefix);
    } catch {
      return false;
    }
  };
  const wrong = recipients.find((recipient) => !isRecipient(recipient));
  if (wrong === undefined) return;
  throw new SettingsError(
    `SVC_BACKUP_AGE_RECIPIENTS: ${JSON.stringify(wrong.slice(0, 80))} is no public key of age: copy the one that age-keygen prints, which begins with age1`,
  );
}
