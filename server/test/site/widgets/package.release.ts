import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { releaseWidget } from '../../../../tools/widgets/release.ts';
import { widgetKinds, widgetPlaces } from '../../../site/widgets/widget.ts';
import { buildCopy, packPackage, readTree } from './build-copy.ts';

interface ManifestModule {
  readonly path: string;
  readonly declarations: readonly { readonly tagName?: string }[];
}

const root = join(import.meta.dirname, '../../../..');
const resolve = createRequire(import.meta.url).resolve;
const compiler = join(dirname(resolve('typescript/package.json')), 'lib/tsc.js');
const attw = join(dirname(resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');

for (const { name, packageName } of widgetKinds) {
  describe(`the package @svc/${packageName}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
    const project = join(folder, 'project');
    const modules = join(project, 'node_modules');
    const installed = join(modules, '@svc', packageName);
    let copies: readonly string[];
    let tarball: string;
    after(() => rmSync(folder, { recursive: true }));

    before(async () => {
      const places = [join(folder, 'copy'), join(folder, 'a longer path', 'of another depth')];
      copies = await Promise.all(places.map((place) => buildCopy(packageName, place)));
      tarball = packPackage(copies[0] as string, folder);
      mkdirSync(installed, { recursive: true });
      execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
      for (const one of readdirSync(join(import.meta.dirname, 'frameworks')))
        cpSync(join(import.meta.dirname, 'frameworks', one), join(modules, one), { recursive: true });
      for (const one of ['lit', 'lit-html', 'lit-element', '@lit'])
        cpSync(join(root, 'node_modules', one), join(modules, one), { recursive: true });
    });

    const readJson = (file: string) => JSON.parse(readFileSync(join(installed, file), 'utf8'));
    const run = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
      return { isFine: status === 0, output: stdout + stderr };
    };

    test('is built reproducibly, with the bytes of the release if there is one', () => {
      const [one, other] = copies.map((copy) => readTree(join(copy, 'dist'))) as [
        ReadonlyMap<string, Buffer>,
        ReadonlyMap<string, Buffer>,
      ];
      assert.ok(one.has(`${name}.js`) && one.has('index.js') && one.has('integrity.json'));
      assert.deepEqual([...one.keys()], [...other.keys()]);
      const differing = [...one].filter(([path, bytes]) => !other.get(path)?.equals(bytes)).map(([path]) => path);
      assert.deepEqual(differing, []);
      for (const bytes of one.values()) assert.ok(!bytes.includes(folder), 'it contains no path of this machine');
      const releases = join(folder, 'releases');
      const { version } = releaseWidget(join(copies[0] as string, 'dist'), releases);
      const kept = join(widgetPlaces.releases, name);
      const released = existsSync(kept) ? readTree(kept) : new Map<string, Buffer>();
      for (const [path, bytes] of readTree(releases)) {
        const known = released.get(path);
        assert.ok(known === undefined || known.equals(bytes), `${path}: raise the version, ${version} is released`);
      }
    });

    test('passes publint and attw', async () => {
      const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
      const manifest = readJson('package.json');
      assert.deepEqual(
        messages.map((message) => formatMessage(message, manifest)),
        [],
      );
      const { isFine, output } = run(attw, tarball, '--profile', 'esm-only', '--format', 'ascii');
      assert.ok(isFine, output);
    });

    test('has every file of its exports, manifest and integrity.json, and its license', () => {
      const { exports, customElements, license } = readJson('package.json');
      const targets = Object.values<string | Record<string, string>>(exports).flatMap((target) =>
        typeof target === 'string' ? [target] : Object.values(target),
      );
      const { files } = readJson('dist/integrity.json');
      for (const { file } of files ?? []) targets.push(`./dist/${file}`);
      for (const target of [...targets, customElements].filter((one) => !one.includes('*')))
        assert.ok(readFileSync(join(installed, target)).length > 0, target);
      assert.equal(license, 'Apache-2.0');
      assert.ok(readFileSync(join(installed, 'LICENSE')).equals(readFileSync(join(root, 'LICENSE'))));
      assert.ok(!readdirSync(installed).includes('test'));
    });

    test('can be imported on a server, with the entry of each framework', () => {
      const entries = ['', '/react', '/vue', '/svelte'].map((entry) => `import '@svc/${packageName}${entry}';`);
      const { isFine, output } = run('--input-type=module', '--eval', entries.join('\n'));
      assert.deepEqual([isFine, output], [true, '']);
    });

    test('has types for React, Vue and Svelte that know the element and its attributes', () => {
      const source = readFileSync(join(import.meta.dirname, 'typings', `${name}.tsx.txt`), 'utf8');
      writeFileSync(join(project, 'page.tsx'), source);
      const options = '--noEmit --strict --exactOptionalPropertyTypes --noUnusedLocals false --jsx react-jsx';
      const target = '--target es2022 --module nodenext --lib es2024,dom,dom.iterable --types';
      const words = `${options} ${target}`.split(' ');
      const { isFine, output } = run(compiler, ...words, '', 'page.tsx');
      assert.ok(isFine, output);
    });

    test('has a manifest whose attributes are those of the element, each described', () => {
      const { modules: described } = readJson('dist/custom-elements.json');
      const [element, ...further] = described.flatMap(({ path, declarations }: ManifestModule) => {
        assert.ok(readFileSync(join(installed, path)).length > 0, path);
        return declarations.filter(({ tagName }) => tagName !== undefined);
      });
      assert.equal(element.tagName, name);
      const types = readFileSync(join(installed, 'dist/element-attributes.d.ts'), 'utf8');
      assert.ok(element.attributes.length > 0);
      for (const { attributes = [], tagName } of [element, ...further]) {
        const own = types.split(`<${tagName}>`)[1] ?? '';
        for (const { name: attribute, description, type } of attributes) {
          assert.ok(description && type.text, attribute);
          assert.match(own, new RegExp(`^  '?${attribute}'?\\??: `, 'm'));
        }
      }
    });
  });
}
