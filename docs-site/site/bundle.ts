import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The scripts and styles of the site, built. */
export interface Bundle {
  /** By their entry: where each is below the root of the site. */
  readonly assets: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

const root = join(import.meta.dirname, '..');
const entries = {
  theme: 'client/theme.ts',
  main: 'client/main.ts',
  tags: 'client/tags.ts',
  'live-banner': 'client/live-banner.ts',
  'live-badge': 'client/live-badge.ts',
  playground: 'client/playground.ts',
  styles: 'styles/site.css',
};

/** Builds the scripts and styles; their names hold a hash of what is in them, so that they may be kept forever. */
export async function bundleAssets(): Promise<Bundle> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)]));
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    base: './',
    resolve: { conditions: ['@svc/source', 'browser', 'module'] },
    build: {
      target: 'es2022',
      write: false,
      modulePreload: false,
      reportCompressedSize: false,
      cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
      rolldownOptions: { input },
    },
  });
  const output = (Array.isArray(built) ? built : [built as Rolldown.RolldownOutput]).flatMap((one) => one.output);
  const files = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
  const assets = Object.fromEntries(
    Object.keys(entries).map((name) => {
      const file = output.find(
        (one) => one.name === name || (one.type === 'asset' && one.names.includes(`${name}.css`)),
      );
      if (file === undefined) throw new Error(`the bundle has no ${name}`);
      return [name, file.fileName];
    }),
  );
  return { assets, files };
}
