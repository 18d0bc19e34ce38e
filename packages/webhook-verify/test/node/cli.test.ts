import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { body, digest, event, otherSecret, secret, sign, text, time } from './vectors.ts';

const cli = join(import.meta.dirname, '../../src/cli.ts');

describe('svc-webhook-verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-webhook-verify-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | Uint8Array) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const run = (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = { SVC_WEBHOOK_SECRET: secret },
    input = '',
  ) => {
    const options = { encoding: 'utf8', input, env: { PATH: process.env.PATH ?? '', ...environment } } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options);
    assert.doesNotMatch(stdout + stderr, /whsec_[A-Z]/);
    return { status, stdout, stderr };
  };
  const header = ['--header', `Svc-Signature: ${sign(body)}`];

  test('reports that a captured request is genuine, and by which secret it was signed', () => {
    const head = `POST /webhooks/svc HTTP/1.1\r\nHost: example.com\r\nsvc-signature:  ${sign(body)}\r\n\r\n`;
    const request = write('request.http', Buffer.concat([Buffer.from(head), body]));
    const { status, stdout } = run(['--request', request], { SVC_WEBHOOK_SECRET: `${otherSecret},${secret}` });
    assert.equal(status, 0);
    assert.match(
      stdout,
      /^Genuine: signed with secret 2 at 2026-01-01T00:00:00\.000Z\.\n.*dsr\.completed\.\n.*not judged/s,
    );
  });

  test('accepts a body, a header, and the secret from standard input; prints JSON', () => {
    const file = write('body.json', body);
    const { status, stdout } = run(['--body', file, ...header, '--secret-stdin', '--json'], {}, `${secret}\n`);
    assert.equal(status, 0);
    assert.deepEqual(
      { ...JSON.parse(stdout), lines: [] },
      {
        isGenuine: true,
        code: 'genuine',
        lines: [],
        secretName: 'secret 1',
        timestamp: time,
        eventId: event.id,
        eventType: event.type,
      },
    );
  });

  test('prints JSON for every error: of the delivery, a secret or the arguments', () => {
    const file = write('body.json', body);
    const nothing = { isGenuine: false, secretName: null, timestamp: null, eventId: null, eventType: null };
    for (const [args, environment, code, status] of [
      [['--body', file], undefined, 'signature_missing', 1],
      [['--body', file, ...header], {}, 'secret_invalid', 2],
      [['--body', file, '--nonsense'], undefined, 'usage_invalid', 2],
      [[], undefined, 'usage_invalid', 2],
    ] as const) {
      const result = run([...args, '--json'], environment);
      const { lines, ...rest } = JSON.parse(result.stdout);
      assert.deepEqual([rest, result.status, result.stderr], [{ ...nothing, code }, status, '']);
      assert.ok(lines.length > 0);
    }
  });

  test('reports what happened to a body in transit', () => {
    const pretty = JSON.stringify(event, null, 2);
    const lines = text.replace(',', ',\n');
    for (const [content, signature, hint] of [
      [`${text}\n`, sign(body), /line break at the end/],
      [`\uFEFF${text}`, sign(body), /byte order mark/],
      [lines.replace('\n', '\r\n'), sign(lines), /CR LF/],
      [pretty, sign(body), /parsed and written again/],
      [text.replace('access', 'erase'), sign(body), /^signature_mismatch: [^\n]*\n$/],
    ] as const) {
      const { status, stdout } = run([
        '--body',
        write('changed.json', content),
        '--header',
        `Svc-Signature: ${signature}`,
      ]);
      assert.equal(status, 1);
      assert.match(stdout, /^signature_mismatch/);
      assert.match(stdout, hint);
    }
  });

  test('checks the age if the time of the request is given', () => {
    const file = write('body.json', body);
    const at = (seconds: number) => new Date((time + seconds) * 1000).toISOString();
    assert.equal(run(['--body', file, ...header, '--received', at(300)]).status, 0);
    assert.match(run(['--body', file, ...header, '--received', at(301)]).stdout, /^timestamp_too_old/);
    assert.match(
      run(['--body', file, ...header, '--received', at(-11), '--tolerance', '10']).stdout,
      /^timestamp_too_new/,
    );
    assert.match(run(['--body', file, ...header, '--received', 'now']).stdout, /^timestamp_too_old/);
  });

  test('names a header that is missing, repeated or malformed', () => {
    const file = write('body.json', body);
    assert.match(run(['--body', file]).stdout, /^signature_missing/);
    assert.match(run(['--body', file, ...header, ...header]).stdout, /^signature_malformed/);
    assert.match(run(['--body', file, '--header', `Svc-Signature: v1=${digest(body)}`]).stdout, /^signature_malformed/);
  });

  test('distinguishes wrong arguments from deliveries that are not genuine', () => {
    const file = write('body.json', body);
    const captured = write('captured.http', `svc-signature: ${sign(body)}\r\n\r\n${text}`);
    for (const args of [
      [],
      ['--body', file, '--request', file],
      ['--request', file],
      ['--body', join(folder, 'absent')],
      ['--body', file, ...header, '--received', 'yesterday'],
      ['--body', file, ...header, '--tolerance', 'x'],
      ['--body', file, ...header, '--received', 'now', '--tolerance', 'x'],
      ['--body', file, ...header, '--received', 'now', '--tolerance', ''],
      ['--body', file, ...header, '--received', 'now', '--tolerance', '-1'],
      ['--body', file, ...header, '--tolerance', '10'],
      ['--body', file, '--header', 'no header'],
      ['--request', captured, ...header],
      ['--body', file, ...header, '--secret-stdin', '--secret-env', 'X'],
      ['--body', file, ...header, 'positional'],
      ['--secret', 'x'],
    ]) {
      const { status, stdout, stderr } = run(args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, /--request captured\.http/);
    }
    assert.match(run(['--body', file, ...header], {}).stdout, /^secret_invalid/);
    assert.equal(run(['--body', file, ...header], {}).status, 2);
    assert.match(run(['--help']).stdout, /--secret-stdin/);
  });
});
