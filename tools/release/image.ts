import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { serverOptions } from '../../server/cli/node-24.js';
import { createArchive } from './archive.ts';
import type { Platform, Release } from './release.ts';
import { run } from './run.ts';

/** A package of Debian in the image. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** The libraries that Node is linked against, and the names and licenses of the system. */
const debianPackages = ['libc6', 'libstdc++6', 'libgcc-s1', 'gcc-12-base', 'base-files'];
/** Of those packages, what a process or a scanner of vulnerabilities reads. */
const neededFiles = [
  'lib/*/ld-linux-*',
  'lib64/*',
  'lib/ld-linux-*',
  'lib/*/lib{c,m,dl,pthread,rt,resolv,gcc_s}.so.*',
  'lib/*/libnss_{dns,files}.so.*',
  'usr/lib/*/libstdc++.so.*',
  'usr/lib/os-release',
  'usr/share/doc/*/copyright',
];

/**
 * Builds the image of every platform with buildah, which needs no daemon, into one archive `svc-<version>-image.tar`.
 * @returns the packages of Debian in it.
 */
export function buildImage(
  { version, time, clone, to }: Release,
  trees: readonly { readonly platform: Platform; readonly tree: string }[],
): readonly DebianPackage[] {
  const storage = ['--storage-driver', 'vfs', '--root', join(clone, 'images'), '--runroot', join(clone, 'images/run')];
  const buildah = (...args: readonly string[]) => run(clone, 'buildah', [...storage, ...args]);
  const manifest = `svc:${version}`;
  const containerfile = join(clone, 'server/deploy/Containerfile');
  buildah('manifest', 'create', manifest);
  const packages = trees.flatMap(({ platform, tree }) => {
    const context = join(clone, 'contexts', platform.debian);
    const system = join(context, 'root');
    mkdirSync(join(context, 'owned/svc'), { recursive: true });
    const installed = unpackDebian(platform.debian, system);
    cpSync(tree, join(system, 'opt/svc'), { recursive: true, verbatimSymlinks: true });
    addUser(system);
    settle(context, time);
    const labels = Object.entries(describeImage(version, time, clone)).flatMap(([name, value]) => [
      '--label',
      `${name}=${value}`,
    ]);
    const same = ['--timestamp', String(time), '--layers=false', '--isolation', 'chroot', '--identity-label=false'];
    const target = ['--platform', `linux/${platform.debian}`, '--manifest', manifest, '--file', containerfile];
    buildah('build', '--format', 'oci', '--quiet', ...same, ...labels, ...target, context);
    return installed;
  });
  const layout = join(clone, 'layout');
  buildah('manifest', 'push', '--all', '--quiet', manifest, `oci:${layout}:${version}`);
  nameImage(layout, version);
  createArchive(layout, join(to, `svc-${version}-image.tar`), { time, prefix: '.' });
  return packages;
}

/** The name under which Docker and Podman load the image. */
function nameImage(layout: string, version: string): void {
  const file = join(layout, 'index.json');
  const index = JSON.parse(readFileSync(file, 'utf8'));
  index.manifests[0].annotations = {
    'io.containerd.image.name': `docker.io/library/svc:${version}`,
    'org.opencontainers.image.ref.name': version,
  };
  writeFileSync(file, JSON.stringify(index));
}

/** The labels that registries and scanners read (OCI image specification, annotations). */
function describeImage(version: string, time: number, clone: string): Readonly<Record<string, string>> {
  const { homepage, description, license } = JSON.parse(readFileSync(join(clone, 'server/package.json'), 'utf8'));
  const entries = {
    title: 'Svc',
    description,
    version,
    created: new Date(time * 1000).toISOString(),
    revision: run(clone, 'git', ['rev-parse', 'HEAD']),
    source: homepage.replace(/#.*/, ''),
    licenses: license,
  };
  return Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [`org.opencontainers.image.${name}`, value]),
  );
}

/** Downloads packages of this system's release of Debian for any architecture, checked by its signed index, and unpacks them. */
function unpackDebian(architecture: string, system: string): readonly DebianPackage[] {
  const apt = join(system, '../apt');
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'packages', 'files'])
    mkdirSync(join(apt, name), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  const own = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const options = ['-qq', ...Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  run(apt, 'apt-get', [...options, 'update']);
  run(join(apt, 'packages'), 'apt-get', [...options, 'download', ...debianPackages]);
  const files = globSync('*.deb', { cwd: join(apt, 'packages') }).sort();
  const packages = files.map((name) => {
    const file = join(apt, 'packages', name);
    run(apt, 'dpkg-deb', ['--extract', file, join(apt, 'files')]);
    const [packageName = '', version = ''] = run(apt, 'dpkg-deb', ['--show', file]).split('\t');
    // Scanners find the packages of an image without a package manager here.
    const status = join(system, 'var/lib/dpkg/status.d', packageName);
    mkdirSync(dirname(status), { recursive: true });
    writeFileSync(status, `${run(apt, 'dpkg-deb', ['--field', file])}\n`);
    return { name: packageName, version, architecture };
  });
  const from = join(apt, 'files');
  for (const name of globSync(neededFiles, { cwd: from }))
    cpSync(join(from, name), join(system, name), { recursive: true, verbatimSymlinks: true });
  return packages;
}

/** The user of the server, its folders, and the command `svc`, which needs no shell. */
function addUser(system: string): void {
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(system, name)), { recursive: true });
    writeFileSync(join(system, name), text);
  };
  write('etc/passwd', 'root:x:0:0:root:/:/nologin\nsvc:x:10001:10001:Svc:/var/lib/svc:/nologin\n');
  write('etc/group', 'root:x:0:\nsvc:x:10001:\n');
  write('etc/nsswitch.conf', 'hosts: files dns\n');
  write('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n');
  symlinkSync('../usr/lib/os-release', join(system, 'etc/os-release'));
  // The kernel passes everything after the program as one argument: there is no room for a second option.
  const [option] = serverOptions;
  write('usr/bin/svc', `#!/opt/svc/bin/node ${option}\nimport('/opt/svc/lib/cli/svc.js');\n`);
  chmodSync(join(system, 'usr/bin/svc'), 0o755);
  // Mount points: a runtime cannot create them in a read-only root.
  for (const name of ['dev', 'proc', 'run', 'sys', 'tmp']) mkdirSync(join(system, name));
  chmodSync(join(system, 'tmp'), 0o1777);
  rmSync(join(system, 'opt/svc/deploy'), { recursive: true });
}

/** Gives every file the time of the release, from the inside out: a change in a folder is a change of the folder. */
function settle(folder: string, time: number): void {
  const entries = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => !entry.isSymbolicLink());
  const paths = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((one, other) => other.length - one.length);
  for (const path of paths) utimesSync(path, time, time);
}
