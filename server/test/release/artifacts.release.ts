import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { readImage, rehearseRelease, unpack } from './released.ts';

const root = join(import.meta.dirname, '../../..');
const platform = `${process.platform}-${process.arch}`;
/** The packages of a lockfile. */
type Locked = Readonly<Record<string, { readonly version?: string }>>;
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

describe('a release', { skip: process.platform !== 'linux' && 'releases are built on Linux' }, () => {
  let release: ReturnType<typeof rehearseRelease>;
  let layout: string;
  /** The unpacked root file system of the image, by architecture. */
  const systems = new Map<string, string>();
  before(() => {
    release = rehearseRelease();
    layout = unpack(join(release.to, `svc-${release.version}-image.tar`), join(release.folder, 'image'));
    for (const one of ['amd64', 'arm64']) {
      const system = join(release.folder, `system-${one}`);
      for (const layer of readImage(layout, one).layers) unpack(layer, system);
      systems.set(one, system);
    }
  });
  after(() => rmSync(release.folder, { recursive: true }));

  const nameVersion = (place: string, packages: Locked) =>
    `${place.replace(/^.*node_modules\//, '')}@${packages[place]?.version}`;
  const readShrinkwrap = (): Locked => {
    const folder = unpack(join(release.to, `npm/svc-server-${release.version}.tgz`), join(release.folder, 'server'));
    return JSON.parse(readFileSync(join(folder, 'package/npm-shrinkwrap.json'), 'utf8')).packages;
  };

  it('is built twice to the same bytes, and lists them', () => {
    assert.match(release.output, /^Both builds have the same bytes\.$/m);
    const names = readdirSync(release.to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sums = readFileSync(join(release.to, 'SHA256SUMS'), 'utf8');
    assert.equal(sums.split('\n').length, names.length);
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: release.to });
  });

  it('has packages that name the commit they are from', () => {
    const packages = readdirSync(join(release.to, 'npm'));
    assert.equal(packages.length, 5);
    for (const name of packages) {
      const folder = unpack(join(release.to, 'npm', name), join(release.folder, name));
      const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
      assert.equal(manifest.version, release.version, name);
      assert.match(manifest.repository.url, /^git\+https:\/\/.+\.git$/);
      assert.ok(existsSync(join(root, manifest.repository.directory, 'package.json')), name);
      assert.ok(manifest.homepage.startsWith('https://') && manifest.bugs.startsWith('https://'), name);
      assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true });
      assert.match(
        readFileSync(join(folder, 'package/CHANGELOG.md'), 'utf8'),
        new RegExp(`^## ${release.version}$`, 'm'),
      );
    }
  });

  it('locks the dependencies of the server to the versions that are tested', () => {
    const tested = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const versions = new Set(Object.keys(tested).map((place) => nameVersion(place, tested)));
    // npm follows it where the package comes from a registry; archive and image are installed by it.
    const locked = readShrinkwrap();
    const places = Object.keys(locked).filter((place) => place !== '');
    assert.ok(places.length > 40);
    for (const place of places) assert.ok(versions.has(nameVersion(place, locked)), place);
  });

  it('has a server that npm installs into an empty folder', () => {
    const project = join(release.folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    const tarball = join(release.to, `npm/svc-server-${release.version}.tgz`);
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', tarball, ...options], { cwd: project, stdio: 'pipe' });
    const { stdout } = spawnSync('npx', ['@svc/server', '--version'], { cwd: project, encoding: 'utf8' });
    assert.equal(stdout.trim(), release.version);
  });

  it('lists every part in its SBOM', () => {
    const document = JSON.parse(readFileSync(join(release.to, `svc-${release.version}.cdx.json`), 'utf8'));
    assert.equal(document.bomFormat, 'CycloneDX');
    const parts: readonly { readonly purl: string; readonly licenses?: unknown }[] = document.components;
    for (const start of [
      'pkg:npm/koa@',
      'pkg:npm/better-sqlite3@',
      'pkg:generic/node@24',
      'pkg:deb/debian/libc6@',
      'pkg:npm/lit@',
    ])
      assert.ok(
        parts.some(({ purl }) => purl.startsWith(start)),
        start,
      );
    const packages = readShrinkwrap();
    const listed = new Set(parts.map(({ purl }) => decodeURIComponent(purl)));
    for (const place of Object.keys(packages))
      if (place !== '') assert.ok(listed.has(`pkg:npm/${nameVersion(place, packages)}`), place);
  });

  it('has an archive that runs from a link, as a user who cannot write to it', async () => {
    const name = `svc-${release.version}-${platform}`;
    const opt = unpack(join(release.to, `${name}.tar.gz`), join(release.folder, 'opt'));
    symlinkSync(name, join(opt, 'svc'));
    const program = join(opt, 'svc/bin/svc');
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
    assert.equal(stdout.trim(), release.version);
    const unit = readFileSync(join(opt, 'svc/deploy/svc.service'), 'utf8');
    assert.deepEqual(findDanglingLinks(join(opt, name)), []);
    const [, command = ''] = /^ExecStart=\/opt\/svc\/(.*)$/m.exec(unit) ?? [];
    const data = join(release.folder, 'data');
    mkdirSync(data);
    // The folder is read-only, and there is nothing of this machine's Node.
    const confined = ['--ro-bind', '/', '/', '--tmpfs', '/root', '--bind', release.folder, release.folder];
    const readOnly = ['--ro-bind', opt, opt, '--bind', data, data, '--proc', '/proc', '--dev', '/dev'];
    const user = [
      '--unshare-user',
      '--uid',
      '10001',
      '--gid',
      '10001',
      '--clearenv',
      '--setenv',
      'PATH',
      '/usr/bin:/bin',
    ];
    const [file = '', ...args] = command.split(' ');
    await using server = await start(
      [...confined, ...readOnly, ...user, '--setenv', 'SVC_DATA_DIR', data, '--setenv', 'PORT', '0'],
      [join(opt, 'svc', file), ...args],
    );
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.equal((await fetch(`${server.url}/docs/`)).status, 200);
    assert.equal(await server.stop(), 0);
  });

  it('has an image of at most 70 MB for each architecture, without a shell', () => {
    for (const [one, system] of systems) {
      const { config, bytes } = readImage(layout, one);
      assert.ok(bytes < 70e6, `${one}: ${bytes}`);
      assert.equal(config.User, '10001:10001');
      assert.deepEqual([...config.Entrypoint, ...config.Cmd], ['svc', 'serve']);
      assert.deepEqual(readdirSync(join(system, 'usr/bin')), ['svc']);
      assert.equal(existsSync(join(system, 'bin')), false);
      assert.ok(existsSync(join(system, 'usr/lib/os-release')));
      assert.ok(readdirSync(join(system, 'var/lib/dpkg/status.d')).includes('libc6'));
    }
  });

  it('has an image that serves as process 1 of a read-only system, and stops on SIGTERM', async () => {
    const system = systems.get(architecture) ?? assert.fail(architecture);
    const { config } = readImage(layout, architecture);
    const data = join(release.folder, 'volume');
    mkdirSync(data);
    const environment = (config.Env as readonly string[]).flatMap((entry) => [
      '--setenv',
      ...entry.split(/=(.*)/).slice(0, 2),
    ]);
    const isolated = [
      '--ro-bind',
      system,
      '/',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--clearenv',
      ...environment,
    ];
    const volume = ['--bind', data, '/var/lib/svc', '--chdir', config.WorkingDir];
    const process1 = [
      '--unshare-user',
      '--uid',
      '10001',
      '--gid',
      '10001',
      '--unshare-pid',
      '--as-pid-1',
      '--cap-drop',
      'ALL',
    ];
    await using server = await start(
      [...isolated, ...volume, ...process1, '--setenv', 'PORT', '0'],
      [...config.Entrypoint, ...config.Cmd],
    );
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    const { port } = new URL(server.url);
    const health = spawnSync('bwrap', [...isolated, '--setenv', 'PORT', port, 'svc', 'health'], { encoding: 'utf8' });
    assert.equal(health.status, 0, health.stdout + health.stderr);
    assert.deepEqual(
      readdirSync(data).filter((name) => name === 'secret.key'),
      ['secret.key'],
    );
    assert.equal(await server.stop(), 0);
  });

  it('has a Compose file with its image, known settings and the health check of the image', () => {
    const { services } = parseYaml(readFileSync(join(release.to, 'compose.yaml'), 'utf8'));
    assert.equal(services.svc.image, `svc:${release.version}`);
    assert.deepEqual(services.svc.healthcheck.test, ['CMD', 'svc', 'health']);
    const environment = {
      ...services.svc.environment,
      SVC_BASE_URL: 'https://a.example',
      DATABASE_URL: 'postgres://a@b/c',
    };
    const known = spawnSync(process.execPath, ['server/cli/svc.js', 'widgets', '--json'], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment },
    });
    assert.equal(known.status, 0, known.stderr);
    assert.deepEqual(services.caddy.volumes[0], './Caddyfile:/etc/caddy/Caddyfile:ro');
    assert.ok(existsSync(join(release.to, 'Caddyfile')));
  });
});

/** The links in a folder that lead to nothing, or out of it. */
function findDanglingLinks(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((link) => !existsSync(link) || !realpathSync(link).startsWith(realpathSync(folder)));
}

/** Starts a server in a sandbox, and waits until it listens. */
async function start(sandbox: readonly string[], command: readonly string[]) {
  const child = spawn('bwrap', [...sandbox, '--info-fd', '3', '--die-with-parent', ...command], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const info = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
  const text: string[] = [];
  for await (const line of info) text.push(line);
  const pid: number = JSON.parse(text.join(''))['child-pid'];
  let url: string | undefined;
  for await (const line of lines) {
    url = JSON.parse(line).listensOn;
    if (url !== undefined) break;
  }
  child.stdout?.resume();
  assert.ok(url, 'the server did not start');
  return {
    url,
    /** Sends SIGTERM, as a supervisor does. @returns the exit code. */
    stop: async () => {
      process.kill(pid, 'SIGTERM');
      return (await exited)[0] as number | null;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
