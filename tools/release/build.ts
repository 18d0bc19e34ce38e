import { hash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverOptions } from '../../server/cli/node-24.js';
import { createArchive } from './archive.ts';
import { buildImage, type DebianPackage } from './image.ts';
import { extractLockfile } from './lockfile.ts';
import { type Platform, packageFolders, platforms, type Release } from './release.ts';
import { run } from './run.ts';

/**
 * Builds everything that is published, from a clean clone of a release. The same commit gives the same bytes.
 * @param clone a clone with installed packages; it is changed.
 * @param to a folder to create: `npm/*.tgz`, an archive for each platform, an image for all, an SBOM, and `SHA256SUMS`.
 * @returns that folder.
 * @throws {ReleaseError}
 */
export function buildRelease(clone: string, to: string): string {
  mkdirSync(join(to, 'npm'), { recursive: true });
  run(clone, 'npm', ['run', '--silent', 'build']);
  completeServerPackage(clone);
  for (const folder of packageFolders)
    run(clone, 'npm', ['pack', '--ignore-scripts', '--workspace', folder, '--pack-destination', join(to, 'npm')]);
  const { version } = JSON.parse(readFileSync(join(clone, 'server/package.json'), 'utf8'));
  const time = Number(run(clone, 'git', ['log', '-1', '--format=%ct']));
  const release = { version, time, clone, to };
  const server = unpackServer(release);
  const trees = platforms.map((platform) => ({ platform, tree: assembleTree(release, server, platform) }));
  for (const { platform, tree } of trees)
    createArchive(tree, join(to, `svc-${version}-${platform.node}.tar.gz`), {
      time,
      prefix: `svc-${version}-${platform.node}`,
    });
  const debian = buildImage(release, trees);
  writeFileSync(join(to, `svc-${version}.cdx.json`), describeParts(release, server, debian));
  for (const name of ['compose.yaml', 'Caddyfile']) cpSync(join(clone, 'server/deploy', name), join(to, name));
  writeChecksums(to);
  return to;
}

/** Locks the packages that the server needs, and leaves out what only the repository needs. */
function completeServerPackage(clone: string): void {
  const folder = join(clone, 'server');
  const {
    devDependencies: _,
    scripts: __,
    ...manifest
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8'));
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  write('package.json', manifest);
  write('npm-shrinkwrap.json', extractLockfile(packages, 'server', manifest));
}

/** Installs the packed server as npm does, with the packages that it locks. */
function unpackServer({ version, clone, to }: Release): string {
  run(clone, 'tar', ['-xzf', join(to, `npm/svc-server-${version}.tgz`)]);
  const server = join(clone, 'package');
  run(server, 'npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']);
  rmSync(join(server, 'node_modules/.package-lock.json'));
  return server;
}

/** The files of one platform: `bin/svc`, `bin/node`, `lib/` with the server, `deploy/`. */
function assembleTree({ clone }: Release, server: string, { node: platform }: Platform): string {
  const tree = join(clone, 'trees', platform);
  mkdirSync(join(tree, 'bin'), { recursive: true });
  cpSync(server, join(tree, 'lib'), { recursive: true, verbatimSymlinks: true });
  renameSync(join(tree, 'lib/deploy'), join(tree, 'deploy'));
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(clone, name), join(tree, name));
  // SQLite is compiled for this platform; its sources and the other platforms are the largest part of all packages.
  const sqlite = join(tree, 'lib/node_modules/better-sqlite3');
  for (const name of ['deps', 'src']) rmSync(join(sqlite, name), { recursive: true });
  for (const name of globSync('prebuilds/*', { cwd: sqlite }))
    if (name !== `prebuilds/${platform}.node`) rmSync(join(sqlite, name));
  const node = fetchNode(clone, platform);
  cpSync(join(node, 'bin/node'), join(tree, 'bin/node'));
  cpSync(join(node, 'LICENSE'), join(tree, 'bin/node.LICENSE'));
  writeFileSync(join(tree, 'bin/svc'), launcher, { mode: 0o755 });
  return tree;
}

const launcher = `#!/bin/sh
# Runs svc with the Node beside it, also through a symbolic link.
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/node" ${serverOptions.join(' ')} "$here/../lib/cli/svc.js" "$@"
`;

/** Finds Node for a platform: the package that the lockfile of the repository has, which npm installs only on that platform. */
function fetchNode(clone: string, platform: string): string {
  const name = `node-${platform}`;
  const installed = join(clone, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const { packages } = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8'));
  const folder = join(clone, 'trees', name);
  mkdirSync(folder, { recursive: true });
  const root = { name: 'node', version: '0.0.0', dependencies: { [name]: packages[`node_modules/${name}`].version } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(extractLockfile(packages, '', root)));
  run(folder, 'npm', [
    'ci',
    // npm cannot be told of another platform for a package that is not optional.
    '--force',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ]);
  return join(folder, 'node_modules', name);
}

/** The packages in the scripts of the dashboard, which are not among the dependencies of the server. */
function listBundled(
  server: string,
): readonly { readonly name: string; readonly version: string; readonly identifier: string }[] {
  return JSON.parse(readFileSync(join(server, 'dist/server/dashboard/dist/licenses.json'), 'utf8'));
}

/** The CycloneDX document of the server, with what is bundled, Node, and the packages of Debian in the image. */
function describeParts({ clone, time }: Release, server: string, debian: readonly DebianPackage[]): string {
  const npm = run(server, 'npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev']);
  const { serialNumber: _, ...document } = JSON.parse(npm);
  const { version } = JSON.parse(
    readFileSync(join(clone, 'node_modules', `node-${platforms[0].node}`, 'package.json'), 'utf8'),
  );
  const runtime = { type: 'platform', name: 'node', version, purl: `pkg:generic/node@${version}` };
  const bundled = listBundled(server).map(({ name, version, identifier }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: identifier } }],
  }));
  const libraries = debian.map(({ name, version, architecture }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
  }));
  // npm names it after its folder.
  document.metadata.component.name = '@svc/server';
  document.metadata.timestamp = new Date(time * 1000).toISOString();
  const added = [...bundled, runtime, ...libraries].map((part) => ({ 'bom-ref': part.purl, ...part }));
  document.components = [...document.components, ...added];
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Writes `SHA256SUMS`, as `sha256sum --check` reads it. */
function writeChecksums(to: string): void {
  const names = globSync('**/*', { cwd: to, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(to.length + 1))
    .sort();
  const lines = names.map((name) => `${hash('sha256', readFileSync(join(to, name)), 'hex')}  ${name}\n`);
  writeFileSync(join(to, 'SHA256SUMS'), lines.join(''));
}
