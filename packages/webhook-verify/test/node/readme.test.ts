import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createSignedRequest, type SignedRequest } from '../../src/testing.ts';
import { digest, event, secret, text } from './vectors.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code as string);
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'lib/tsc.js');

describe('the README', () => {
  // Inside the package, where its own name and the frameworks resolve.
  mkdirSync(join(root, 'test/dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'test/dist/readme-'));
  after(() => rmSync(folder, { recursive: true }));
  const files = blocks.map((code, index) => {
    const file = join(folder, `block-${index + 1}.ts`);
    // Unexported handlers of a block are sent a delivery too.
    const kept = /^const (app|handle) = /m.exec(code)?.[1] ?? '';
    writeFileSync(file, `${code}export { ${kept} };\n`);
    return file;
  });

  test('has code blocks that compile', () => {
    const config = {
      extends: '../../../../../tsconfig.json',
      include: ['*.ts'],
      exclude: [],
      compilerOptions: { noUnusedLocals: false },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    assert.ok(files.length >= 12);
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  test('has code that a build can load, without environment variables', () => {
    const code = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});`).join('\n');
    const options = ['-C', '@svc/source', '--input-type=module', '-e', code];
    const env = { PATH: process.env.PATH };
    const { status, stderr } = spawnSync(process.execPath, options, { cwd: folder, encoding: 'utf8', env });
    assert.equal(status, 0, stderr);
  });

  let assertions = 0;
  for (const [index, file] of files.entries())
    test(`has code that runs: block ${index + 1}`, async (context) => {
      process.env.SVC_WEBHOOK_SECRET = secret;
      process.env.SVC_WEBHOOK_SECRET_OLD = 'whsec_old';
      const assertion = context.mock.method(console, 'assert');
      const log = context.mock.method(console, 'log', () => undefined);
      const { app, handle, POST, default: handler } = await import(pathToFileURL(file).href);
      for (const call of assertion.mock.calls) assert.equal(call.arguments[0], true);
      assertions += assertion.mock.callCount();
      const receive = app ?? handle ?? POST ?? handler;
      if (receive === undefined || !blocks[index]?.includes('SVC_WEBHOOK_SECRET')) return;
      const signed = await createSignedRequest({ event, secrets: secret });
      assert.equal(await deliver(receive, signed), 200);
      assert.ok(log.mock.callCount() > 0);
    });

  test('asserts its statements, and shows every adapter', () => {
    assert.equal(assertions, (readme.match(/console\.assert\(/g) ?? []).length);
    assert.ok(assertions >= 4);
    for (const name of ['express', 'koa', 'fastify', 'hono', 'next', 'fetch', 'lambda'])
      assert.ok(blocks.some((code) => code.includes(`@svc/webhook-verify/${name}'`)));
  });

  test('has commands that run, and report a genuine delivery', async () => {
    const { headers } = await createSignedRequest({ event, secrets: secret });
    const signature = headers['svc-signature'];
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    writeFileSync(join(folder, 'captured.http'), `POST / HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
    writeFileSync(join(folder, 'body.json'), text);
    writeFileSync(join(folder, 'secret.txt'), `${secret}\n`);
    // A script in place of npx, which would resolve the command of the installed package.
    const found = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(root, 'src/cli.ts')}' "$@"\n`;
    writeFileSync(join(folder, 'npx'), found, { mode: 0o755 });
    const [install, ...commands] = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code as string);
    assert.equal(install, 'npm install @svc/webhook-verify\n');
    assert.equal(commands.length, 1);
    for (const command of commands.join('').trim().split('\n')) {
      const whole = command.replace('whsec_…', secret).replace('t=…,v1=…', signature);
      const env = { PATH: `${folder}:${process.env.PATH}` };
      const { status, stdout, stderr } = spawnSync('sh', ['-c', whole], { cwd: folder, encoding: 'utf8', env });
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /^Genuine/);
    }
  });

  test('contains the digest of its vector', () => {
    assert.match(readme, new RegExp(`t=1767225600,v1=${digest('{}')}`));
  });

  test('has every error code in its table', () => {
    const codes = readFileSync(join(root, 'src/error.ts'), 'utf8').matchAll(/^ {2}\| '(\w+)'/gm);
    for (const [, code] of codes) assert.match(readme, new RegExp(`^\\|.*\`${code}\``, 'm'));
  });
});

// biome-ignore lint/suspicious/noExplicitAny: each framework has a type of its own
async function deliver(receive: any, signed: SignedRequest): Promise<number> {
  const path = '/webhooks/svc';
  const request = new Request(`https://example.com${path}`, signed);
  if (receive.listen === undefined) {
    if (receive.fetch !== undefined) return (await receive.fetch(request, { SVC_WEBHOOK_SECRET: secret })).status;
    // The pages router of Next.js is the one that takes two.
    if (receive.length < 2) return (await receive(request)).status;
  }
  if (receive.ready !== undefined) {
    await using _ = { [Symbol.asyncDispose]: () => receive.close() };
    return (await fetch((await receive.listen({ port: 0 })) + path, signed)).status;
  }
  const server: Server = receive.listen === undefined ? createServer(receive).listen(0) : receive.listen(0);
  await new Promise((resolve) => (server.listening ? resolve(undefined) : server.once('listening', resolve)));
  try {
    return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, signed)).status;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
