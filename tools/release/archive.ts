import { run } from './run.ts';

/**
 * Archives a folder with GNU tar, whose bytes depend on names, contents and executable bits only.
 * @param to a file, compressed if its name ends in `.gz`.
 * @param options.time of every file, in seconds since 1970.
 * @param options.prefix the folder in the archive.
 */
export function createArchive(
  folder: string,
  to: string,
  { time, prefix }: { readonly time: number; readonly prefix: string },
): void {
  const same = ['--sort=name', '--format=gnu', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  const modes = ['--mode=u=rwX,go=rX'];
  // S and H leave the targets of links as they are.
  const named = [`--transform=s,^\\.,${prefix},SH`];
  const compressed = to.endsWith('.gz') ? ['--use-compress-program=gzip -n'] : [];
  run(folder, 'tar', ['--create', ...compressed, '--file', to, ...same, ...modes, ...named, '.']);
}
