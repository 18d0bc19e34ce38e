// npm run build -w server: the package @svc/server into server/dist. It has the folders of the repository, so that every file
// is found as in the sources, and of them only what the server reads.
import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'vite';
import { findBuild, widgetKinds } from '../../server/site/widgets/widget.ts';
import { openDatabase } from '../../server/storage/database.ts';
import { migrate } from '../../server/storage/migrate.ts';
import { checkFolder } from '../widgets/release.ts';

const root = join(import.meta.dirname, '../..');
const server = join(root, 'server');
const dist = join(server, 'dist');
const entries = [
  'cli/run-command',
  'cli/testing',
  'cli/testing-process',
  'cli/backups/backup-worker',
  'proofs/verification-worker',
];

/**
 * Dependencies that become part of the bundle: their 350 files would be a third of a start and 14 MB. The package still
 * names and locks them, for the SBOM and for scanners of vulnerabilities.
 */
const bundled = ['kysely', 'zod'];

rmSync(dist, { recursive: true, force: true });
await bundle();
for (const { packageName } of widgetKinds) {
  const folder = findBuild(packageName);
  for (const name of checkFolder(folder).names) copy(join(folder, name));
}
const assets = [
  'cli/compile-cache.js',
  'openapi.json',
  'site/widgets/releases',
  '**/*.css',
  'site/demo/*.{html,js}',
  'privacy/*.js',
  'controls/catalogue/**/*.json',
];
for (const name of globSync(assets, { cwd: server, exclude: ['dist', 'node_modules', 'test', 'dashboard'] }))
  copy(join(server, name));
copy(join(root, 'docs-site/dist'));
copy(join(server, 'dashboard/dist'));
for (const name of bundled) copy(join(root, 'node_modules', name, 'LICENSE'), join('licenses', name));
await using database = openDatabase({ url: null, file: join(dist, 'server/cli/template.sqlite') });
// At no time of its own: two builds of a commit have the same bytes.
await migrate({ ...database, clock: () => '1970-01-01T00:00:00.000Z' });

/** One file for each entry and what they share: hundreds of small ones take longer to load. */
async function bundle(): Promise<void> {
  await build({
    configFile: false,
    root: server,
    logLevel: 'warn',
    plugins: [{ name: 'folders', transform: keepFolder }],
    resolve: { conditions: ['@svc/source'] },
    ssr: { noExternal: bundled },
    build: {
      ssr: true,
      target: 'esnext',
      minify: false,
      outDir: join(dist, 'server'),
      rolldownOptions: {
        input: Object.fromEntries(entries.map((name) => [name, join(server, `${name}.ts`)])),
        external: (id) => /^[^./\0]/.test(id) && !isInside(id),
        output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js', comments: false },
      },
    },
  });
}

function isInside(id: string): boolean {
  return ['@svc', '@oxc-project', ...bundled].some((name) => id === name || id.startsWith(`${name}/`));
}

/** Every file of the bundle is one folder below dist/server: from there, the folder that the source is in. */
function keepFolder(code: string, id: string): string | null {
  if (!code.includes('import.meta.dirname')) return null;
  const path = `/../${relative(server, dirname(id)).replaceAll(sep, '/')}`;
  return code.replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(path)})`);
}

function copy(from: string, place = relative(root, from)): void {
  const to = join(dist, place);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
