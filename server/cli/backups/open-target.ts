import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { explainFile } from '../../installation/system-failure.ts';
import type { BackupSettings } from '../../settings.ts';
import { flushToDisk } from '../../storage/log-file.ts';
import { BackupFailed, type BackupTarget, nameTarget } from './target.ts';

/** Opens the target of the settings. What S3 needs is loaded only for S3. */
export async function openTarget(settings: BackupSettings): Promise<BackupTarget> {
  const { target } = settings;
  if (target.kind === 'folder') return openFolderTarget(target.folder);
  return (await import('./s3-target.ts')).openS3Target(target, nameTarget(settings));
}

function openFolderTarget(folder: string): BackupTarget {
  const attempt = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step();
    } catch (error) {
      throw explain(error, folder);
    }
  };
  return {
    label: folder,
    list: () =>
      attempt(async () => {
        const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
        return Promise.all(names.map(async ({ name }) => ({ name, bytes: (await stat(join(folder, name))).size })));
      }),
    write: (name, content) =>
      attempt(async () => {
        const [file, draft] = [join(folder, name), join(folder, `${name}${draftEnding}`)];
        try {
          await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
          const { size } = await stat(draft);
          await rename(draft, file);
          flushToDisk(folder);
          return size;
        } catch (error) {
          await rm(draft, { force: true }).catch(() => undefined);
          throw error;
        }
      }),
    read: (name) =>
      attempt(async () => {
        await stat(join(folder, name));
        return createReadStream(join(folder, name));
      }),
    remove: (name) => attempt(() => rm(join(folder, name), { force: true })),
    clean: (prefix) =>
      attempt(async () => {
        for (const name of await readdir(folder))
          if (name.startsWith(prefix) && name.endsWith(draftEnding)) await rm(join(folder, name), { force: true });
      }),
  };
}

const draftEnding = '.draft';

/** A failure of the folder; a failure of what was to be written is returned unchanged. */
function explain(error: unknown, folder: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && !existsSync(folder))
    return new BackupFailed(`There is no folder ${folder} for backups: create it, or mount its disk.`);
  const reason = explainFile(error);
  // A full disk fails the write without a path.
  if (reason === undefined || !(path?.startsWith(folder) ?? true)) return error;
  return new BackupFailed(`The folder of backups ${folder} cannot be used: ${reason} (${code}).`);
}
