import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { append, fetchPublicKey, requestCheckpoint, type ShownCheckpoint } from '../proofs/ledger-requests.ts';
import { assertUsageError, environmentOf, runSvc } from './run-svc.ts';

describeOnOneDatabase('svc export', (dialect) => {
  let server: TestServer;
  let folder: string;
  let environment: Readonly<Record<string, string>>;
  let key: string;
  let earlier: ShownCheckpoint;
  before(async () => {
    server = await startTestServer(dialect);
    folder = join(server.installation.settings.dataDir, 'exports');
    mkdirSync(folder);
    environment = environmentOf(server);
    key = (await fetchPublicKey(server)).trim();
    await append(server, server.tenant.id, 'audit', 3);
    earlier = await requestCheckpoint(server, server.tenant, 'audit');
    await append(server, server.tenant.id, 'audit', 3);
    await append(server, server.tenant.id, 'consent', 2);
  });
  after(() => server[Symbol.asyncDispose]());

  let files = 0;
  const inFolder = (content?: string | Uint8Array) => {
    files += 1;
    const file = join(folder, `file-${files}`);
    if (content !== undefined) writeFileSync(file, content);
    return file;
  };
  const create = (...words: readonly string[]) => runSvc(['export', 'create', ...words], environment);
  /** Without any database: the file and the key are enough. */
  const verify = (...words: readonly string[]) => runSvc(['export', 'verify', ...words], { SVC_DATA_DIR: '/nowhere' });
  const createFile = async (...words: readonly string[]) => {
    const file = inFolder();
    const made = await create('--tenant', 'first', '--ledger', 'audit', '--file', file, ...words);
    assert.equal(made.code, 0, made.stderr);
    return { file, ...made };
  };

  test('creates a file of the whole ledger while the server runs, and prints how to verify it', async () => {
    const { file, stdout } = await createFile();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.deepEqual(stdout.split('\n'), [
      `${lines.length - 1} entries of first are in ${file}. Verify them with:`,
      `svc export verify --file ${file} --key ${key}`,
      '',
    ]);
    assert.equal(JSON.parse(lines[0] as string).newer, 0);
    const { code, stdout: verified, stderr } = await verify('--file', file, '--key', key);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      verified,
      new RegExp(`^✓ ${lines.length - 1} entries, numbers 1 to ${lines.length - 1}, are covered by the checkpoint`),
    );
    assert.match(verified, /Not compared with a checkpoint that you kept/);
  });

  test('verifies against a kept checkpoint, as a note or as a response of the API', async () => {
    const { file } = await createFile();
    const answers = [
      earlier.note,
      JSON.stringify(earlier),
      `\n${JSON.stringify({ data: earlier }, null, 2)}\n`,
      // As editors and mail programs leave it.
      `\uFEFF${earlier.note.replaceAll('\n', '\r\n')}`,
      earlier.note.trimEnd(),
      `${earlier.note}\n`,
    ];
    for (const kept of answers) {
      const { code, stdout } = await verify(
        '--file',
        file,
        '--key',
        inFolder(`${key}\n`),
        '--checkpoint',
        inFolder(kept),
      );
      assert.equal(code, 0, stdout);
      const expected = `✓ No entry that the earlier checkpoint (${earlier.size} entries, ${earlier.at}) covers was changed.\n`;
      assert.ok(stdout.endsWith(expected), stdout);
    }
  });

  test('of a range names the range', async () => {
    const from = server.clock.now();
    const { file, stdout } = await createFile('--from', from, '--json');
    const made = JSON.parse(stdout);
    assert.deepEqual([made.file, made.verifierKey], [file, key]);
    assert.equal(made.entries, made.last - made.first + 1);
    const plain = await verify('--file', file, '--key', key);
    assert.ok(plain.stdout.includes(`all entries of the ledger from ${from} until `), plain.stdout);
    for (const [words, code] of [
      [['--from', from], 0],
      [['--from', '2026-01-01T00:00:00Z'], 1],
      [['--from', from, '--to', '2027-01-01T00:00:00Z'], 1],
    ] as const)
      assert.equal((await verify('--file', file, '--key', key, ...words)).code, code, words.join(' '));
    const json = JSON.parse((await verify('--file', file, '--key', key, '--json')).stdout);
    assert.deepEqual([json.intact, json.entries, json.isConsistent, json.fault], [true, made.entries, null, null]);
    const { until, ...range } = json.range;
    assert.deepEqual(range, { first: made.first, last: made.last, from, to: null, newer: 0 });
    assert.equal(until, json.checkpoint.at);
  });

  test('of a range proves with --since that it continues an earlier checkpoint', async () => {
    const { file } = await createFile('--from', server.clock.now(), '--since', String(earlier.size));
    const { code, stdout } = await verify('--file', file, '--key', key, '--checkpoint', inFolder(earlier.note));
    assert.equal(code, 0, stdout);
  });

  test('exits with 1 for another key, and for a checkpoint of another ledger', async () => {
    const { file } = await createFile();
    const { verifierKey } = new NoteSigner('the secret of another installation');
    assert.equal((await verify('--file', file, '--key', verifierKey)).code, 1);
    const consent = await requestCheckpoint(server, server.tenant, 'consent');
    const { code, stdout } = await verify('--file', file, '--key', key, '--checkpoint', inFolder(consent.note));
    assert.equal(code, 1);
    assert.match(stdout, /belongs to another ledger/);
  });

  test('does not overwrite a file', async () => {
    const file = inFolder('precious');
    const { code, stderr } = await create('--tenant', 'first', '--ledger', 'audit', '--file', file);
    assert.deepEqual([code, stderr], [2, `svc: ${file} already exists; it was not changed.\n`]);
    assert.equal(readFileSync(file, 'utf8'), 'precious');
  });

  // The next tests only read files, so one database is enough.
  if (dialect === 'postgres') return;

  test('escapes control characters of file names and files', async () => {
    const file = join(folder, 'a\u001b[1A\u202e');
    writeFileSync(file, 'nonsense');
    const { code, stdout } = await verify('--file', file, '--key', key);
    assert.equal(code, 1);
    assert.match(stdout, /\\u\{1b\}\[1A\\u\{202e\}/);
  });

  test('exits with 1 and names the line that was changed', async () => {
    const { file } = await createFile();
    const text = readFileSync(file, 'utf8');
    const changed = inFolder(text.replace('"thing.done"', '"thing.gone"'));
    const line = text.slice(0, text.indexOf('"thing.done"')).split('\n').length;
    const plain = await verify('--file', changed, '--key', key);
    assert.deepEqual([plain.code, plain.stderr], [1, '']);
    assert.equal(plain.stdout, `✗ ${changed}, line ${line}: the hash of entry ${line - 1} does not fit it\n`);
    const json = await verify('--file', changed, '--key', key, '--json');
    assert.equal(json.code, 1);
    const { intact, fault } = JSON.parse(json.stdout);
    assert.deepEqual([intact, fault.line], [false, line]);
    for (const wrong of [text.slice(0, -100), '', 'nonsense', Buffer.from([0xff, 0x0a])])
      assert.equal((await verify('--file', inFolder(wrong), '--key', key)).code, 1);
  });

  test('rejects invalid options with exit code 2 and a hint', async () => {
    const { file } = await createFile();
    const wanted = ['--tenant', 'first', '--ledger', 'audit', '--file', inFolder()];
    const wrong: readonly [run: typeof create, words: readonly string[], hint: string][] = [
      [create, [], '--tenant, --ledger, --file'],
      [create, ['--tenant', 'unknown', '--ledger', 'audit', '--file', inFolder()], 'There is no tenant unknown.'],
      [
        create,
        ['--tenant', 'first', '--ledger', 'toString', '--file', inFolder()],
        '--ledger: there is no ledger toString.',
      ],
      [
        create,
        ['--tenant', 'first', '--ledger', 'audit', '--file', join(folder, 'no', 'file')],
        'There is no folder for',
      ],
      [create, ['--tenant', 'first', '--ledger', 'audit', '--file', folder], 'already exists'],
      [create, [...wanted, '--from', 'yesterday'], '--from: must be a time'],
      [create, [...wanted, '--to', '2026-11-21'], '--to: must be a time'],
      [create, [...wanted, '--since', '99999'], '--since: '],
      [verify, [], '--file, --key'],
      [verify, ['--file', inFolder(), '--key', key], 'There is no file'],
      [verify, ['--file', folder, '--key', key], 'There is no file'],
      [verify, ['--file', file, '--key', 'nonsense'], '--key: not a public key of a ledger (svc-…+…+…).'],
      [verify, ['--file', file, '--key', folder], '--key: not a public key of a ledger (svc-…+…+…).'],
      [verify, ['--file', file, '--key', `${key}0`], '--key: not a public key of a ledger (svc-…+…+…).'],
      [verify, ['--file', file, '--key', 'k'.repeat(10_000)], '--key: not a public key of a ledger (svc-…+…+…).'],
      [verify, ['--file', file, '--key', key, '--checkpoint', inFolder()], '--checkpoint: there is no file'],
      [verify, ['--file', file, '--key', key, '--checkpoint', inFolder('{')], 'contains no checkpoint'],
      [verify, ['--file', file, '--key', key, '--checkpoint', inFolder('{"data":null}')], 'contains no checkpoint'],
      [verify, ['--file', file, '--key', key, '--checkpoint', inFolder('{"data":{}}')], 'contains no checkpoint'],
    ];
    for (const [run, words, hint] of wrong) assertUsageError(await run(...words), hint);
    assert.ok(!existsSync(wanted.at(-1) as string), 'a file that is not whole is removed');
  });
});
