import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readWidget, readWidgets, type Widget } from '../../../site/widgets/widget.ts';
import { runSvc } from '../../cli/run-svc.ts';
import { startTestServer, type TestServer } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { requestText, sendRaw } from '../../http/raw-socket.ts';
import { hashFile } from './places.ts';

interface Index {
  readonly widgets: readonly {
    readonly name: string;
    readonly package: string;
    readonly versions: readonly {
      readonly version: string;
      readonly released: boolean;
      readonly script: string;
      readonly element: string;
      readonly tag: string;
      readonly addOns: readonly { name: string; file: string; tag: string }[];
      readonly files: readonly { file: string; url: string; bytes: number; integrity: string }[];
    }[];
  }[];
}

const path = '/widgets/index.json';

describe('the list of widgets', () => {
  let server: TestServer;
  let index: Index;
  before(async () => {
    server = await startTestServer();
    index = (await server.request('GET', path, { key: null })).body;
  });
  after(() => server[Symbol.asyncDispose]());

  test('lists every version of both widgets, newest first', () => {
    assert.deepEqual(
      index.widgets.map(({ name, package: packageName }) => [name, packageName]),
      [
        ['svc-consent', '@svc/consent-banner'],
        ['svc-trust-badge', '@svc/trust-badge'],
      ],
    );
    const listed = index.widgets.flatMap(({ name, versions }) => versions.map(({ version }) => `${name} ${version}`));
    assert.deepEqual(
      listed,
      readWidgets().map(({ name, version }) => `${name} ${version}`),
    );
  });

  test('lists every file with its address, size and hash', async () => {
    for (const { files } of index.widgets.flatMap(({ versions }) => versions)) {
      for (const { url, bytes, integrity } of files) {
        const content = Buffer.from(await (await fetch(url)).arrayBuffer());
        assert.deepEqual([content.length, hashFile(content)], [bytes, integrity], url);
      }
    }
  });

  test('has the tags of each version: the pinned script and the element', () => {
    for (const { name, versions } of index.widgets) {
      for (const { version, script, element, tag, files } of versions) {
        assert.equal(tag, `${script}\n${element}`);
        const source = `${server.url}/widgets/${name}/${version}/${name}.js`;
        assert.equal(
          script,
          `<script src="${source}" integrity="${files[0]?.integrity}" crossorigin="anonymous" defer></script>`,
        );
        assert.equal(files[0]?.url, source);
      }
    }
    assert.deepEqual(
      index.widgets.map(({ versions }) => versions[0]?.element),
      [
        '<svc-consent notice-id="YOUR-NOTICE-ID"></svc-consent>',
        `<svc-trust-badge tenant="your-tenant"><a href="${server.url}/trust/your-tenant">Trust center</a></svc-trust-badge>`,
      ],
    );
  });

  test('has the pinned tag of each add-on, with example settings', async () => {
    const [banner, badge] = index.widgets;
    const newest = banner?.versions[0];
    assert.deepEqual(
      newest?.addOns.map(({ name }) => name),
      ['gpp', 'inspector', 'record', 'requests', 'signals'],
    );
    for (const { name, file, tag } of newest?.addOns ?? []) {
      const built: { readonly url: string; readonly integrity: string } | undefined = newest?.files.find(
        (one) => one.file === file,
      );
      assert.equal(built?.url, `${server.url}/widgets/svc-consent/${newest?.version}/svc-consent-${name}.js`);
      const written = /^<script src="(.*)" integrity="(.*)" crossorigin="anonymous"(.*)><\/script>$/.exec(tag);
      assert.deepEqual(written?.slice(1, 3), [built?.url, built?.integrity], tag);
      const hasSettings = name !== 'inspector' && name !== 'record';
      assert.equal(written?.[3]?.startsWith(' data-'), hasSettings);
      assert.equal(tag.includes(' defer'), name === 'inspector', 'the others run before the scripts that need them');
    }
    assert.deepEqual(badge?.versions[0]?.addOns, []);
  });

  test('allows any origin, and is cached for a minute', async () => {
    const { headers } = await server.request('GET', path, { key: null });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('cache-control'), 'public, max-age=60');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  test('uses the Host of the request, and rejects an invalid one', async () => {
    const [other] = await sendRaw(server, requestText('GET', path, { Host: 'privacy.example:8443' }));
    assert.ok(other?.text.includes('http://privacy.example:8443/widgets/'));
    assert.ok(!other?.text.includes(server.url));
    for (const Host of ['"><script>', 'a b', "x'onerror=", '']) {
      const [answer] = await sendRaw(server, requestText('GET', path, { Host }));
      assert.ok(answer, Host);
      assertProblem(answer, 'invalid_header');
      assert.ok(Host === '' || !answer.text.includes(Host));
    }
  });
});

test('the list of widgets behind a proxy uses the public address for any Host', async () => {
  await using server = await startTestServer('sqlite', { SVC_BASE_URL: 'https://privacy.example.com' });
  const { body, text } = await server.request('GET', path, { key: null });
  assert.ok(!text.includes('http://'));
  for (const { url } of (body as Index).widgets.flatMap(({ versions }) => versions.flatMap(({ files }) => files)))
    assert.ok(url.startsWith('https://privacy.example.com/widgets/'));
});

describe('svc widgets', () => {
  const environment = { SVC_BASE_URL: 'https://privacy.example.com', SVC_DATA_DIR: '/nowhere' };
  const notice = '0199f0c4-6f2e-7c4a-9a51-3d2f6f0f8f11';

  test('prints the tags of the newest versions, with the notice and tenant filled in', async () => {
    const { code, stdout, stderr } = await runSvc(['widgets', '--notice', notice, '--tenant', 'acme'], environment);
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(stdout.includes(`<svc-consent notice-id="${notice}"></svc-consent>`));
    assert.ok(stdout.includes('<svc-trust-badge tenant="acme"><a href="https://privacy.example.com/trust/acme">'));
    assert.match(
      stdout,
      /<script src="https:\/\/privacy\.example\.com\/widgets\/svc-consent\/[\w.-]+\/svc-consent\.js"/,
    );
    assert.equal(stdout.split('<script').length, 3);
  });

  test('prints the same JSON as the server', async () => {
    const { stdout } = await runSvc(['widgets', '--json'], environment);
    await using server = await startTestServer('sqlite', { SVC_BASE_URL: 'https://privacy.example.com' });
    assert.deepEqual(JSON.parse(stdout), (await server.request('GET', path, { key: null })).body);
  });

  test('prints the tags of a requested version', async () => {
    const { version, integrity } = readWidget('consent-banner') as Widget;
    const { stdout } = await runSvc(['widgets', '--release', version], environment);
    assert.ok(stdout.includes(`/svc-consent/${version}/svc-consent.js" integrity="${integrity}"`));
  });

  test('prints the tag of a requested add-on', async () => {
    const { stdout: plain } = await runSvc(['widgets'], environment);
    assert.match(plain, /^Add-ons: gpp, inspector, record, requests, signals /m);
    const { stdout } = await runSvc(['widgets', '--add-on', 'signals'], environment);
    assert.match(stdout, /svc-consent-signals\.js" integrity="sha384-[^"]+" crossorigin="anonymous" data-signals="/);
    assert.equal(stdout.split('<script').length, 4);
  });

  test('puts the published notice into the tag, byte for byte, and safe in HTML', async () => {
    await using server = await startTestServer();
    const { dataDir } = server.installation.settings;
    const hostile = `</script><!--<script>$& $' "' ]]>`;
    const analytics = { key: 'analytics', label: hostile, description: `${hostile}\n&lt;`, required: false };
    const german = { de: { purposes: { analytics: { label: 'Statistik', description: 'Zählt.' } } } };
    const id = await server.createNotice({ content: { name: hostile, purposes: [analytics], translations: german } });
    const print = (...words: readonly string[]) =>
      runSvc(['widgets', '--notice', id, '--inline', ...words], { ...environment, SVC_DATA_DIR: dataDir });
    for (const [words, language, attribute] of [
      [[], 'en', ''],
      [['--language', 'DE'], 'de', ' language="de"'],
    ] as const) {
      const shown = await server.request('GET', `/v1/public/consent/${id}?language=${language}`, { key: null });
      const element = `<svc-consent notice-id="${id}"${attribute}><script type="application/json">${shown.text}</script></svc-consent>`;
      const { code, stdout } = await print(...words);
      assert.equal(code, 0);
      assert.ok(stdout.includes(element), stdout);
      assert.equal(stdout.split('<!--').length, 1);
      assert.equal(stdout.split(/<\/script/i).length, 4);
      const json = JSON.parse((await print(...words, '--json')).stdout) as Index;
      const [banner, badge] = json.widgets.map(({ versions }) => versions[0]);
      assert.equal(banner?.element, element);
      assert.doesNotMatch(badge?.element ?? '', /application\/json/);
    }
  });

  test('rejects an inline notice that is missing, not published or not in the language', async () => {
    await using server = await startTestServer();
    const draft = await server.createNotice({ publish: false });
    const archived = await server.createNotice();
    await server.request('POST', `/v1/consent/${archived}/archive`);
    const published = await server.createNotice();
    const { dataDir } = server.installation.settings;
    for (const [words, message] of [
      [[], '--inline needs --notice.'],
      [['--notice', notice], `--notice: there is no notice ${notice}.`],
      [['--notice', draft], '--notice: the notice is draft; publish it before you put it into pages.'],
      [['--notice', archived], '--notice: the notice is archived; publish it before you put it into pages.'],
      [['--notice', published, '--language', 'fr'], '--language: the published notice is not in fr; it is in en.'],
      [['--notice', published, '--language', 'x'], '--language must be a BCP 47 language tag such as en or pt-BR'],
    ] as const) {
      const run = await runSvc(['widgets', '--inline', ...words], { ...environment, SVC_DATA_DIR: dataDir });
      assert.deepEqual([run.code, run.stdout], [2, '']);
      assert.ok(run.stderr.startsWith(`svc: ${message}`), run.stderr);
    }
    const without = await runSvc(['widgets', '--inline', '--notice', published], environment);
    assert.deepEqual([without.code, /There is no database in/.test(without.stderr)], [2, true]);
    const uninlined = await runSvc(['widgets', '--language', 'de'], environment);
    assert.match(uninlined.stderr, /^svc: --language needs --inline\./);
  });

  test('rejects an invalid notice, tenant, version or add-on', async () => {
    for (const words of [
      ['--notice', '"><script>'],
      ['--tenant', 'Acme GmbH'],
      ['--release', '0.0.0'],
      ['--add-on', 'nothing'],
      ['--add-on', 'toString'],
    ]) {
      const { code, stdout, stderr } = await runSvc(['widgets', ...words], environment);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`^svc: ${words[0]}`));
    }
  });
});
