import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../../../tools/test/apt.ts';

const root = join(import.meta.dirname, '../../..');

/** Rehearses the next release. @returns a folder with what it would publish, and its version. */
export function rehearseRelease() {
  const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined;
  if (isMissing('buildah') || isMissing('bwrap')) installPackages('buildah', 'bubblewrap');
  const folder = mkdtempSync(join(tmpdir(), 'svc-rehearsal-'));
  const to = join(folder, 'release');
  const output = execFileSync(process.execPath, ['tools/release/main.ts', '--dry-run', '--to', to], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [, version = ''] = /^Building (\S+), the second time/m.exec(output) ?? [];
  return { folder, to, output, version };
}

/** Unpacks a compressed archive into a new folder. */
export function unpack(archive: string, to: string): string {
  mkdirSync(to, { recursive: true });
  execFileSync('tar', ['-xf', archive, '-C', to]);
  return to;
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform: { readonly architecture: string };
}

/** Reads an image from its unpacked layout (OCI image layout specification). */
export function readImage(layout: string, architecture: string) {
  const read = ({ digest }: Pick<Descriptor, 'digest'>) => join(layout, 'blobs/sha256', digest.slice('sha256:'.length));
  const parse = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const list = parse(read(parse(join(layout, 'index.json')).manifests[0]));
  const found = (list.manifests as readonly Descriptor[]).find(
    ({ platform }) => platform.architecture === architecture,
  );
  const manifest = parse(read(found as Descriptor));
  const layers = manifest.layers as readonly Descriptor[];
  return {
    config: parse(read(manifest.config)).config,
    bytes: layers.reduce((sum, { size }) => sum + size, 0),
    layers: layers.map(read),
  };
}
