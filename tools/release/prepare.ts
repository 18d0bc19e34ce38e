import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from './release.ts';
import { ReleaseError, run } from './run.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * Turns a checkout into the next release: versions and changelogs of the packages from the changesets, what names them, the
 * bytes of the widgets and the migrations, which never change from then on. Commits it, and tags the commit.
 * @param repository the public https address of the repository.
 * @returns the version of the server, which is that of the release.
 * @throws {ReleaseError}
 */
export function prepareRelease(folder: string, repository: string): string {
  const before = readVersions(folder);
  run(folder, 'npx', ['changeset', 'version']);
  const after = readVersions(folder);
  const version = after.get('server') as string;
  if (before.get('server') === version)
    throw new ReleaseError('No changeset concerns @svc/server: nothing to release.');
  // That of the commit that is released: the same release is the same bytes on any day.
  const date = run(folder, 'git', ['log', '-1', '--format=%cI']);
  for (const name of packageFolders) nameVersion(folder, name, before.get(name) as string, after.get(name) as string);
  lockVersions(folder, after);
  for (const name of packageFolders) describeOrigin(folder, name, repository);
  dateChangelog(folder, version, date.slice(0, 10));
  console.log(run(folder, 'npm', ['run', '--silent', 'release:widgets']));
  freezeMigrations(folder);
  run(folder, 'npm', ['run', '--silent', 'openapi']);
  run(folder, 'npx', ['biome', 'check', '--write', '.']);
  run(folder, 'npx', ['tsc']);
  run(folder, 'git', ['add', '--all']);
  // Also where git knows no committer, as in a rehearsal.
  const identity = ['-c', 'user.name=Svc', '-c', 'user.email=release@example.com'];
  const committed = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  run(folder, 'git', [...identity, 'commit', '--quiet', '--message', `release: ${version}`], committed);
  run(folder, 'git', [...identity, 'tag', '--annotate', `v${version}`, '--message', `Svc ${version}`], committed);
  return version;
}

function readManifest(folder: string, name: string): Manifest {
  return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
}

function readVersions(folder: string): ReadonlyMap<string, string> {
  return new Map(packageFolders.map((name) => [name, readManifest(folder, name).version]));
}

/** Writes a new version where texts and examples name the old one. */
function nameVersion(folder: string, name: string, old: string, version: string): void {
  const widget = { 'packages/consent-banner': 'svc-consent', 'packages/trust-badge': 'svc-trust-badge' }[
    name as string
  ];
  if (widget !== undefined) {
    const pages = ['README.md', 'packages/*/README.md', 'docs-site/pages/**/*.md'];
    for (const file of globSync(pages, { cwd: folder }))
      edit(folder, file, (text) => text.replaceAll(`/widgets/${widget}/${old}/`, `/widgets/${widget}/${version}/`));
  }
  if (name === 'packages/node-sdk')
    edit(folder, `${name}/src/version.ts`, (text) => text.replace(`'${old}'`, `'${version}'`));
  if (name !== 'server') return;
  edit(folder, 'server/deploy/compose.yaml', (text) => text.replace(`image: svc:${old}`, `image: svc:${version}`));
  edit(folder, 'server/site/documentation/openapi-examples.json', (text) =>
    text.replaceAll(`"${old}"`, `"${version}"`),
  );
}

function lockVersions(folder: string, versions: ReadonlyMap<string, string>): void {
  edit(folder, 'package-lock.json', (text) => {
    const lock = JSON.parse(text);
    for (const [name, version] of versions) lock.packages[name].version = version;
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
}

/** The fields by which npm ties a package to the commit that it was built from. */
function describeOrigin(folder: string, name: string, repository: string): void {
  edit(folder, `${name}/package.json`, (text) => {
    const web = repository.replace(/\.git$/, '');
    const origin = {
      homepage: `${web}#readme`,
      bugs: `${web}/issues`,
      repository: { type: 'git', url: `git+${web}.git`, directory: name },
    };
    return `${JSON.stringify({ ...JSON.parse(text), ...origin }, null, 2)}\n`;
  });
}

function dateChangelog(folder: string, version: string, date: string): void {
  edit(folder, 'CHANGELOG.md', (text) => {
    if (!/^## Unreleased$/m.test(text)) throw new ReleaseError('CHANGELOG.md has no section "## Unreleased".');
    return text.replace(/^## Unreleased$/m, `## ${version} (${date})`);
  });
}

/** Records the hashes of the migrations, of which a test asserts that none changes. */
function freezeMigrations(folder: string): void {
  const migrations = 'server/storage/migrations';
  const hashes = globSync('*.ts', { cwd: join(folder, migrations) })
    .sort()
    .map((name) => [name, hash('sha256', readFileSync(join(folder, migrations, name)), 'hex')]);
  const file = join(folder, migrations, 'released.json');
  const released = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  for (const [name = '', sha256] of hashes)
    if (released[name] !== undefined && released[name] !== sha256)
      throw new ReleaseError(`${name} was released with other bytes. Undo the change, and write another migration.`);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
}

function edit(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
