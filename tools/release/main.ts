// npm run release: sets the next version, commits and tags it, and builds what is published, twice, to the same bytes.
//   --dry-run     in temporary clones; this checkout is not touched
//   --rebuild     only builds the commit of this checkout, once, to compare it with what was published
//   --repository  the public https address of the repository; by default that of the remote "origin"
//   --to          the folder of the result, which is replaced; by default release/
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempDisposableSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildRelease } from './build.ts';
import { prepareRelease } from './prepare.ts';
import { explainFailure, ReleaseError, run } from './run.ts';

const root = join(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    rebuild: { type: 'boolean', default: false },
    repository: { type: 'string' },
    to: { type: 'string', default: join(root, 'release') },
  },
});

try {
  if (run(root, 'git', ['status', '--porcelain']) !== '')
    throw new ReleaseError('The checkout has changes. Commit or remove them: a release is built from a commit.');
  using folder = mkdtempDisposableSync(join(tmpdir(), 'svc-release-'));
  if (options.rebuild) keep(buildRelease(cloneInto(root, join(folder.path, 'clone')), join(folder.path, 'result')));
  else release(folder.path, options['dry-run']);
} catch (error) {
  console.error(explainFailure(error));
  process.exitCode = 1;
}

/** Prepares and builds in clones. Only a release that was built twice gets into this checkout. */
function release(folder: string, isDry: boolean): void {
  const first = cloneInto(root, join(folder, 'first'));
  const version = prepareRelease(first, findRepository(isDry));
  // Both builds begin without what the preparation built.
  run(first, 'git', ['clean', '-dffqx', '--exclude=node_modules']);
  const second = cloneInto(first, join(folder, 'second'), `v${version}`);
  const sums = [first, second].map((clone) => {
    console.log(`Building ${version}, the ${basename(clone)} time …`);
    return readFileSync(join(buildRelease(clone, `${clone}-artifacts`), 'SHA256SUMS'), 'utf8');
  });
  requireSame(sums);
  console.log('Both builds have the same bytes.');
  keep(join(folder, 'first-artifacts'));
  if (isDry) return;
  run(root, 'git', ['fetch', '--quiet', first, `refs/tags/v${version}:refs/tags/v${version}`]);
  run(root, 'git', ['merge', '--quiet', '--ff-only', `v${version}`]);
  console.log(describePublication(version));
}

function keep(artifacts: string): void {
  rmSync(options.to, { recursive: true, force: true });
  cpSync(artifacts, options.to, { recursive: true });
  console.log(`${readFileSync(join(artifacts, 'SHA256SUMS'), 'utf8')}They are in ${options.to}.`);
}

/** Clones a commit, and installs the packages of its lockfile. */
function cloneInto(from: string, to: string, tag?: string): string {
  const branch = tag === undefined ? [] : ['--branch', tag];
  run(root, 'git', ['-c', 'advice.detachedHead=false', 'clone', '--quiet', '--no-local', ...branch, from, to]);
  run(to, process.execPath, ['tools/setup.js']);
  return to;
}

/** The address that npm and the provenance of the packages name. */
function findRepository(isDry: boolean): string {
  const origin = () => execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' }).trim();
  // The rehearsal of a checkout that was copied: nothing of it is published.
  const address = options.repository ?? (isDry ? 'https://git.example.com/svc/svc.git' : origin());
  if (!/^https:\/\/[\w.-]+\/[\w./-]+$/.test(address))
    throw new ReleaseError(`${address} is not a public https address. Name the repository: --repository https://…`);
  return address;
}

function requireSame([first = '', second = '']: readonly string[]): void {
  const lines = [...first.split('\n'), ...second.split('\n')];
  const differing = lines
    .filter((line) => lines.filter((one) => one === line).length === 1)
    .map((line) => line.slice(66));
  if (differing.length > 0)
    throw new ReleaseError(
      `The two builds differ, so nobody could check what is published:\n${[...new Set(differing)].join('\n')}`,
    );
}

function describePublication(version: string): string {
  const tag = version.includes('-') ? ' --tag rc' : '';
  return `It is committed and tagged. Publish it:
  git push origin HEAD v${version}
  for package in release/npm/*.tgz; do npm publish${tag} "$package"; done
  skopeo copy --multi-arch all oci-archive:release/svc-${version}-image.tar docker://<registry>/svc:${version}
and attach the other files of release/ to the release of the tag. npm records the provenance of a package only if a
workflow of the repository publishes it; elsewhere, add --provenance=false.`;
}
