import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { capture, payload } from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, TestClock, type TestServer } from '../harness.ts';
import {
  assertUsageError,
  type Environment,
  environmentOf,
  runSvc,
  runSvcProcess,
  runSvcSync,
  spawnSvc,
} from './run-svc.ts';

interface Decision {
  readonly id: string;
  readonly subjectId: string;
  readonly capturedAt: string;
  readonly purposes: Readonly<Record<string, boolean>>;
}

const decision = (id: string, change: object = {}): Decision => ({
  id,
  subjectId: `subject of ${id}`,
  capturedAt: '2024-05-01T10:00:00+02:00',
  purposes: { necessary: true, analytics: true, marketing: false },
  ...change,
});

const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Tests `svc import` beside a server. */
function startBeforeTests(dialect: 'sqlite' | 'postgres') {
  const context = {} as { server: TestServer; environment: Environment; folder: string };
  let made = 0;
  before(async () => {
    context.folder = mkdtempSync(join(findMemoryFolder(), 'svc-import-'));
    // The command has the clock of the machine.
    context.server = await startTestServer(dialect, {}, { clock: new TestClock(Date.now) });
    context.environment = environmentOf(context.server);
  });
  after(async () => {
    await context.server[Symbol.asyncDispose]();
    rmSync(context.folder, { recursive: true, force: true });
  });
  const run = async (notice: string, content: string | Uint8Array, ...words: readonly string[]) => {
    made += 1;
    const file = join(context.folder, `${made}.${words.includes('csv') ? 'csv' : 'jsonl'}`);
    writeFileSync(file, content);
    const command = ['import', '--notice', notice, '--version', '1', '--file', file, '--json', ...words];
    const { code, stdout, stderr } = await runSvc(command, context.environment);
    assert.equal(stderr, '');
    return { code, ...JSON.parse(stdout) };
  };
  /** The records of a notice, oldest first. */
  const read = async (notice: string) => {
    const response = await context.server.request('GET', `/v1/consent/${notice}/records?limit=100`);
    assert.equal(response.status, 200, response.text);
    return response.body.data.data.toReversed();
  };
  const verify = async () => {
    const { code, stdout } = await runSvc(['verify'], context.environment);
    assert.equal(code, 0, stdout);
  };
  return { context, run, read, verify };
}

describeOnEachDatabase('svc import', (dialect) => {
  const { context, run, read, verify } = startBeforeTests(dialect);

  test('appends records with their original times, in the order of time, beside a server', async () => {
    const { server } = context;
    const notice = await server.createNotice();
    const url = 'https://receiver.example.com/hook';
    const types = ['consent.recorded', 'consent.withdrawn'];
    const endpoint = await server.request('POST', '/v1/webhooks', {
      body: { url, eventTypes: types },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    assert.equal(endpoint.status, 201, endpoint.text);
    const withdrawn = { capturedAt: '2024-06-01T00:00:00Z', purposes: { necessary: true, marketing: false } };
    const content = lines(
      decision('2', { subjectId: 'anna', ...withdrawn }),
      decision('1', { subjectId: 'anna', purposes: { necessary: true, marketing: true }, method: 'banner' }),
      decision('3', { ip: '203.0.113.7', subjectChannel: 'email' }),
    );
    const dry = await run(notice, content, '--dry-run');
    assert.deepEqual([dry.code, dry.decisions, dry.imported, dry.isDryRun], [0, 3, 0, true]);
    assert.deepEqual(await read(notice), []);

    const done = await run(notice, content);
    assert.deepEqual(
      [done.code, done.lines, done.decisions, done.imported, done.withdrawals, done.present, done.invalid, done.faults],
      [0, 3, 3, 3, 1, 0, 0, []],
    );
    const [first, other, second] = await read(notice);
    assert.deepEqual(
      [first.subjectId, first.capturedAt, first.source, first.space, first.kind, first.method, first.noticeVersion],
      ['anna', '2024-05-01T08:00:00.000Z', 'import', 'api', 'capture', 'banner', 1],
    );
    assert.equal(other.subjectChannel, 'email');
    assert.match(other.ipHash, /^[0-9a-f]{64}$/);
    assert.deepEqual([second.kind, second.withdrawsRecordId], ['withdrawal', first.id]);
    assert.match(first.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const state = payload(await server.request('GET', '/v1/consent/subjects/anna'), 200).state.api;
    assert.equal(state[0].purposes.marketing.granted, false);

    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const { transfers } = payload(await server.request('GET', '/v1/system', { headers }), 200);
    const { at, ...transfer } = transfers[0];
    assert.match(at, /^20.*Z$/);
    assert.deepEqual(transfer, {
      kind: 'import',
      status: 'completed',
      source: done.sha256,
      tenantId: server.tenant.id,
      noticeId: notice,
      rowCount: 3,
      totalCount: 3,
    });

    const events = await server.request('GET', `/v1/audit?targetId=${notice}&action=consent.imported`);
    const [event, ...more] = events.body.data.items;
    assert.equal(more.length, 0);
    const detail = payload(await server.request('GET', `/v1/audit/${event.id}`), 200);
    assert.deepEqual(detail.diff, {
      file: done.sha256,
      noticeVersion: 1,
      records: 3,
      withdrawals: 1,
      remaining: 0,
      firstSequence: first.sequence,
      lastSequence: second.sequence,
      ledgerHash: second.ledgerHash,
    });
    const deliveries = await server.request('GET', '/v1/webhooks/deliveries');
    assert.deepEqual(deliveries.body.data.items, []);
    // The server goes on where the import ended.
    const next = payload(await capture(server, notice, { subjectId: 'anna', purposes: { marketing: true } }));
    assert.equal(next.sequence, second.sequence + 1);
    await verify();
  });

  test('skips what was imported before, by its id', async () => {
    const notice = await context.server.createNotice();
    assert.equal((await run(notice, lines(decision('1'), decision('2')))).imported, 2);
    const again = await run(notice, lines(decision('1'), decision('2'), decision('3')));
    assert.deepEqual([again.code, again.imported, again.present], [0, 1, 2]);
    assert.equal((await run(notice, lines(decision('1'), decision('2'), decision('3')))).imported, 0);
    assert.equal((await read(notice)).length, 3);
    // The same id on another notice is another decision.
    const other = await context.server.createNotice();
    assert.equal((await run(other, lines(decision('1')))).imported, 1);
  });

  test('recognizes decisions whose subject was erased, and does not record them again', async () => {
    const { server } = context;
    const notice = await server.createNotice();
    const content = lines(decision('1', { subjectId: 'erased' }));
    await run(notice, content);
    const erased = await server.request('POST', '/v1/consent/subjects/erased/erase', { body: { reason: 'request' } });
    assert.equal(erased.body.data.counts.records, 1);
    const again = await run(notice, content);
    assert.deepEqual([again.code, again.imported, again.present], [0, 0, 1]);
    assert.equal((await read(notice))[0].subjectId, null);
    await verify();
  });

  test('continues after batches that were written', async () => {
    const { server } = context;
    const notice = await server.createNotice();
    const all = Array.from({ length: 1203 }, (_, index) => decision(`${index}`, { subjectId: `subject ${index % 7}` }));
    await run(notice, lines(...all.slice(0, 600)));
    const rest = await run(notice, lines(...all));
    assert.deepEqual([rest.code, rest.imported, rest.present], [0, 603, 600]);
    const shown = await server.request('GET', `/v1/consent/${notice}/records?limit=1`);
    assert.equal(shown.body.data.page.total, 1203);
    await verify();
  });

  test('records each decision once if two processes import the same file while a server captures', async () => {
    const { server, environment, folder } = context;
    const notice = await server.createNotice();
    const file = join(folder, 'both.jsonl');
    const all = Array.from({ length: 1100 }, (_, index) => {
      const capturedAt = new Date(Date.UTC(2024, 4, 1, 0, index)).toISOString();
      // Subjects of many decisions, and of one: a process that comes second must not record either kind again.
      return decision(`${index}`, { subjectId: `subject ${index % 2 === 0 ? index % 3 : index}`, capturedAt });
    });
    writeFileSync(file, lines(...all));
    const words = ['import', '--notice', notice, '--version', '1', '--file', file, '--json'];
    const running = Promise.all([1, 2].map(() => runSvcProcess(words, environment)));
    let isRunning = true;
    void running.finally(() => {
      isRunning = false;
    });
    let captured = 0;
    for (; isRunning; captured += 1)
      payload(await capture(server, notice, { subjectId: `live ${captured}`, purposes: { analytics: true } }));
    const done = (await running).map(({ code, stdout, stderr }) => {
      assert.deepEqual([code, stderr], [0, ''], stdout);
      return JSON.parse(stdout);
    });
    assert.equal(done[0].imported + done[1].imported, 1100);
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const { transfers } = payload(await server.request('GET', '/v1/system', { headers }), 200);
    const own: { status: string; rowCount: number }[] = transfers.filter(
      ({ noticeId }: { noticeId: string }) => noticeId === notice,
    );
    assert.ok(own.every(({ status }) => status === 'completed'));
    assert.equal(
      own.reduce((sum, { rowCount }) => sum + rowCount, 0),
      1100,
    );
    const shown = await server.request('GET', `/v1/consent/${notice}/records?limit=1`);
    assert.equal(shown.body.data.page.total, 1100 + captured);
    await verify();
  });

  test('goes on beside an erasure of a subject that it imports, which a second erasure completes', async () => {
    const { server, environment, folder } = context;
    const notice = await server.createNotice();
    const file = join(folder, 'erased.jsonl');
    const subjectId = `erased meanwhile ${dialect}`;
    const all = Array.from({ length: 3000 }, (_, index) => {
      const capturedAt = new Date(Date.UTC(2024, 4, 1, 0, index)).toISOString();
      return decision(`${index}`, { subjectId: index % 2 === 0 ? subjectId : `other ${index}`, capturedAt });
    });
    writeFileSync(file, lines(...all));
    const words = ['import', '--notice', notice, '--version', '1', '--file', file, '--json'];
    const running = runSvcProcess(words, environment);
    let isRunning = true;
    void running.finally(() => {
      isRunning = false;
    });
    const erase = async (): Promise<number> => {
      const path = `/v1/consent/subjects/${encodeURIComponent(subjectId)}/erase`;
      return payload(await server.request('POST', path, { body: { reason: 'Asked for it' } }), 200).counts.records;
    };
    let erased = 0;
    while (isRunning) erased += await erase();
    const { code, stdout, stderr } = await running;
    assert.deepEqual([code, stderr, JSON.parse(stdout).imported], [0, '', 3000], stdout);
    assert.equal(erased + (await erase()), 1500);
    assert.equal((await runSvc(words, environment)).code, 0);
    const left = await server.request('GET', `/v1/consent/subjects/${encodeURIComponent(subjectId)}`);
    assert.deepEqual([left.status, left.body.error?.code], [404, 'not_found'], left.text);
    await verify();
  });

  test('continues after it was killed', async () => {
    const { server, environment, folder } = context;
    const notice = await server.createNotice();
    const file = join(folder, 'killed.jsonl');
    writeFileSync(file, lines(...Array.from({ length: 3000 }, (_, index) => decision(`${index}`))));
    const words = ['import', '--notice', notice, '--version', '1', '--file', file, '--json'];
    const child = spawnSvc(words, environment);
    const exited = once(child, 'exit');
    const count = async () => {
      const response = await server.request('GET', `/v1/consent/${notice}/records?limit=1`);
      return response.body.data.page.total as number;
    };
    while ((await count()) === 0 && child.exitCode === null);
    child.kill('SIGKILL');
    await exited;
    const written = await count();
    assert.ok(written > 0 && written % 500 === 0, `${written}`);
    const { session: headers } = await server.createMember({ role: 'platform_admin' });
    const readTransfers = async () => {
      const { transfers } = payload(await server.request('GET', '/v1/system', { headers }), 200);
      return transfers.filter(({ noticeId }: { noticeId: string }) => noticeId === notice);
    };
    const [interrupted] = await readTransfers();
    assert.deepEqual(
      [interrupted.status, interrupted.rowCount, interrupted.totalCount],
      [written < 3000 ? 'incomplete' : 'completed', written, 3000],
    );
    const { code, stdout } = await runSvc(words, environment);
    const { imported, present } = JSON.parse(stdout);
    assert.deepEqual([code, imported, present, await count()], [0, 3000 - written, written, 3000]);
    const completed = { ...interrupted, status: 'completed', rowCount: 3000 };
    assert.deepEqual(await readTransfers(), [completed]);
    assert.equal((await runSvc(words, environment)).code, 0);
    assert.deepEqual(await readTransfers(), [completed], 'nothing came');
    await verify();
  });

  test('refuses an id that was imported with another decision, and one older than what is recorded', async () => {
    const { server } = context;
    const notice = await server.createNotice();
    await run(notice, lines(decision('1')));
    await capture(server, notice, { subjectId: 'customer', purposes: { analytics: false } });
    const refused = await run(
      notice,
      lines(decision('1', { purposes: { necessary: true } }), decision('2', { subjectId: 'customer' }), decision('3')),
    );
    assert.deepEqual([refused.code, refused.imported, refused.invalid], [1, 0, 2]);
    const [older, changed] = refused.faults.toSorted(
      (one: { line: number }, two: { line: number }) => two.line - one.line,
    );
    assert.equal(older.line, 2);
    assert.match(older.issues[0], /^capturedAt: the subject has a newer record, of 20/);
    assert.deepEqual(changed, { line: 1, issues: ['id: was imported before with another decision'] });
    assert.equal((await read(notice)).length, 2);
  });

  test('says how to go on after a subject decided again during the import', async () => {
    const { server, environment, folder } = context;
    const notice = await server.createNotice();
    const write = (name: string, ...decisions: readonly Decision[]) => {
      const file = join(folder, name);
      writeFileSync(file, lines(...decisions));
      return ['import', '--notice', notice, '--version', '1', '--file', file];
    };
    const words = write('slow.jsonl', decision('1'), decision('2', { subjectId: 'again' }));
    const newer = write('newer.jsonl', decision('3', { subjectId: 'again', capturedAt: '2024-06-01T10:00:00Z' }));
    const stopped = await runSvc(words, environment, {
      showProgress: (text) => {
        // After its comparison with the records.
        if (text.includes('compared')) runSvcSync(newer, environment);
      },
    });
    const line = 'Line 2: capturedAt: the subject has a newer record, of 2024-06-01T10:00:00.000Z';
    assert.deepEqual(
      [stopped.code, stopped.stdout],
      [
        1,
        `${line}. It was recorded during the import, which stopped after 0 of 2 decisions. Remove this line, or repeat the command with --skip-invalid.\n`,
      ],
    );
    const again = await runSvc(words, environment);
    assert.deepEqual([again.code, again.stdout], [1, `${line}\n1 line cannot be imported. Nothing was written.\n`]);
    const skipped = await runSvc([...words, '--skip-invalid'], environment);
    assert.deepEqual([skipped.code, (await read(notice)).length], [0, 2], skipped.stdout);
  });
});

describe('what svc import refuses', () => {
  const { context, run, read } = startBeforeTests('sqlite');

  test('names each line and all of its faults, and writes nothing', async () => {
    const notice = await context.server.createNotice();
    const cases: readonly [text: string, issues: readonly string[]][] = [
      ['{"id": 1', ['is not JSON']],
      ['[]', ['is not a JSON object']],
      [lines({ purposes: { necessary: true } }), ['id: is missing', 'subjectId: is missing', 'capturedAt: is missing']],
      [lines(decision('a', { purposes: 'all' })), ['purposes: must be an object']],
      [
        lines(decision('b', { purposes: { necessary: true, telemetry: true } })),
        ['purposes.telemetry: is not a purpose of the notice'],
      ],
      [lines(decision('c', { purposes: { analytics: true } })), ['purposes.necessary: is required but missing']],
      [
        lines(decision('d', { purposes: { necessary: false } })),
        ['purposes.necessary: is required and cannot be refused'],
      ],
      [
        lines(decision('e', { purposes: { necessary: true, analytics: 'maybe' } })),
        ['purposes.analytics: must be true or false'],
      ],
      ...['2024-05-01', '2024-05-01T10:00:00', '2024-02-30T10:00:00Z', 'yesterday', ''].map(
        (capturedAt, index): [string, readonly string[]] => [
          lines(decision(`f${index}`, { capturedAt })),
          ['capturedAt: must be a time with its offset, such as 2026-01-31T09:30:00Z or 2026-01-31 09:30:00+01:00'],
        ],
      ),
      [lines(decision('g', { capturedAt: '1999-12-31T23:59:59Z' })), ['capturedAt: must not be before 2000-01-01']],
      [
        lines(decision('h', { capturedAt: '2999-01-01T00:00:00Z' })),
        ['capturedAt: must not be in the future; here it is …'],
      ],
      [lines(decision('i', { subjectId: 'x\0' })), ['subjectId: must not contain a NUL character']],
      [lines(decision('j', { subjectId: 'x'.repeat(257) })), ['subjectId: must have at most 256 characters']],
      [
        lines(decision('', { subjectId: {}, subjectChannel: 'post', method: 'x'.repeat(65) })),
        [
          'id: must not be empty',
          'subjectId: must be a string',
          'subjectChannel: must be one of email, phone, subject_id',
          'method: must have at most 64 characters',
        ],
      ],
      [lines(decision('k')), []],
      [lines(decision('k')), ['id: is already used in line 19']],
      [`${' '.repeat(70_000)}{}`, ['is longer than 65536 bytes']],
      [JSON.stringify(decision('l', { subjectId: 'x'.repeat(2 ** 21) })), ['is longer than 65536 bytes']],
      [
        JSON.stringify(decision('m')).replace('"analytics":true', '"analytics":true,"analytics":false'),
        ['has the same key twice in an object'],
      ],
      [
        JSON.stringify(decision('n')).replace('{', '{"subjectId" : "\\"other\\": ",'),
        ['has the same key twice in an object'],
      ],
    ];
    const text = cases.map(([line]) => line.replace(/\n?$/, '\n')).join('');
    const refused = await run(notice, text);
    assert.deepEqual([refused.code, refused.imported, refused.lines], [1, 0, cases.length]);
    const found = new Map(
      refused.faults.map(({ line, issues }: { line: number; issues: readonly string[] }) => [line, issues]),
    );
    for (const [index, [, issues]] of cases.entries()) {
      const shown = ((found.get(index + 1) ?? []) as string[]).map((issue) =>
        issue.replace(/here it is .*/, 'here it is …'),
      );
      assert.deepEqual(shown, issues, `line ${index + 1}`);
    }
    assert.deepEqual(await read(notice), []);

    const skipped = await run(notice, text, '--skip-invalid');
    assert.deepEqual([skipped.code, skipped.imported, skipped.invalid], [0, 1, cases.length - 1]);
    assert.equal((await read(notice)).length, 1);
  });

  test('names lines that are not UTF-8, and a file that is UTF-16; accepts a byte order mark', async () => {
    const notice = await context.server.createNotice();
    const text = lines(decision('1'), decision('2', { subjectId: 'Zoë' }), decision('3'));
    const latin = await run(notice, Buffer.from(text, 'latin1'));
    assert.deepEqual([latin.code, latin.faults], [1, [{ line: 2, issues: ['is not UTF-8'] }]]);
    for (const bytes of [
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    ]) {
      const wide = await run(notice, bytes);
      assert.deepEqual([wide.code, wide.faults], [1, [{ line: 1, issues: ['is UTF-16. Convert the file to UTF-8'] }]]);
    }
    // With CRLF, and without a break of the last line.
    assert.equal((await run(notice, `\uFEFF${text.replaceAll('\n', '\r\n').trimEnd()}`)).imported, 3);
    const head = 'id,subjectId,capturedAt,purposes.necessary';
    const zoe = Buffer.from([head, '4,a,2024-05-01T10:00:00Z,1', '5,Zoë,2024-05-01T10:00:00Z,1'].join('\n'), 'latin1');
    const latinCsv = await run(notice, zoe, '--format', 'csv');
    assert.deepEqual([latinCsv.code, latinCsv.faults], [1, [{ line: 3, issues: ['is not UTF-8'] }]]);
    const wideCsv = await run(notice, Buffer.from(`\uFEFF${head}\n`, 'utf16le'), '--format', 'csv');
    assert.deepEqual(
      [wideCsv.code, wideCsv.faults.map(({ line }: { line: number }) => line), (await read(notice)).length],
      [1, [1], 3],
    );
    const csv = `\uFEFFid,subjectId,capturedAt,purposes.necessary\r\n4,Zoë,2024-05-01T10:00:00Z,"1"`;
    assert.equal((await run(notice, csv, '--format', 'csv')).imported, 1);
  });

  test('rejects a notice, version, file, format or mapping that there is not', async () => {
    const { environment, folder, server } = context;
    const notice = await server.createNotice();
    const file = join(folder, 'decisions');
    writeFileSync(file, '');
    const given = { notice, version: '1', file, format: 'jsonl' };
    const cases: readonly [change: Readonly<Record<string, string>>, hint: RegExp][] = [
      [{ notice: 'x' }, /--notice: must be the id of a notice/],
      [{ notice: '01900000-0000-7000-8000-000000000000' }, /There is no notice 01900000/],
      [{ version: '0' }, /--version: must be the number/],
      [{ version: '2' }, /--version: the notice has no published version 2; its latest is 1/],
      [{ file: join(folder, 'nothing') }, /There is no file/],
      [{ file: folder }, /There is no file/],
      [{ format: 'xml' }, /--format: must be one of csv, jsonl, cookieconsent, didomi, iubenda/],
      [{ column: 'subject=x' }, /--column: must be one of id, subjectId/],
      [{ purpose: 'telemetry=x' }, /--purpose: must be one of necessary, analytics, marketing/],
    ];
    for (const [change, hint] of cases) {
      const words = Object.entries({ ...given, ...change }).flatMap(([name, value]) => [`--${name}`, value]);
      assertUsageError(await runSvc(['import', ...words], environment), hint);
    }
    const { format: _, ...unnamed } = given;
    const words = Object.entries(unnamed).flatMap(([name, value]) => [`--${name}`, value]);
    const unknown = 'svc: --format: name one of csv, jsonl, cookieconsent, didomi, iubenda.\n';
    assertUsageError(await runSvc(['import', ...words], environment), unknown);
  });
});

describe('the formats of svc import', () => {
  const { context, run, read } = startBeforeTests('sqlite');
  /** The fields of the records that differ. */
  const show = async (notice: string) =>
    (await read(notice)).map((record: Decision) => [record.subjectId, record.capturedAt, record.purposes]);

  test('read CSV with mapped columns, quoted fields and any of three delimiters', async () => {
    const rows = [
      ['uid', 'visitor', 'when', 'Necessary', 'Statistics', 'purposes.marketing', 'Other', 'note'],
      ['1', 'anna, "a"', '2024-05-01 10:00:00 UTC', 'yes', 'No', '', 'x', 'two\nlines'],
      ['2', 'ben', '1714557600', '1', 'GRANTED', 'false', '', 'a; b\tc'],
      ['3', 'cleo', '1714557601000', 'TRUE', '', 'accepted', '', ''],
    ];
    const words = [
      ...[
        '--format',
        'csv',
        '--ignore',
        'Other',
        '--purpose',
        'necessary=Necessary',
        '--purpose',
        'analytics=Statistics',
      ],
      ...['--column', 'id=uid', '--column', 'subjectId=visitor', '--column', 'capturedAt=when'],
    ];
    for (const delimiter of [',', ';', '\t']) {
      const notice = await context.server.createNotice();
      const text = rows
        .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(delimiter))
        .join('\r\n');
      const done = await run(notice, text, ...words);
      assert.deepEqual([done.code, done.imported, done.faults], [0, 3, []]);
      assert.deepEqual(await show(notice), [
        ['anna, "a"', '2024-05-01T10:00:00.000Z', { necessary: true, analytics: false }],
        ['ben', '2024-05-01T10:00:00.000Z', { necessary: true, analytics: true, marketing: false }],
        ['cleo', '2024-05-01T10:00:01.000Z', { necessary: true, marketing: true }],
      ]);
    }
  });

  test('name each record of CSV that is malformed by its first line', async () => {
    const notice = await context.server.createNotice();
    const row = (id: string, subject = id) => `${id},${subject},2024-05-01T10:00:00Z,1`;
    const text = [
      'id,subjectId,capturedAt,purposes.necessary',
      row('1', '"a\nb"'),
      '2,short',
      row('3', 'x"y"'),
      row('4', '"x"y'),
      row('5'),
      row('6', '"never closed'),
      row('7'),
    ].join('\n');
    const refused = await run(notice, text, '--format', 'csv');
    assert.deepEqual(
      refused.faults.map(({ line, issues }: { line: number; issues: readonly string[] }) => `${line}: ${issues}`),
      [
        '4: has 2 fields, but the header has 4',
        '5: has a misplaced quotation mark',
        '6: has a misplaced quotation mark',
        '8: has a quotation mark that is not closed',
      ],
    );
    assert.deepEqual(await read(notice), []);
    const repeated = await run(notice, 'id,id\n1,2\n', '--format', 'csv');
    assert.deepEqual(repeated.faults, [
      { line: 1, issues: ['has the same name in columns 1 and 2. It is the header: the lines after it were not read'] },
    ]);
    const headerless = await run(notice, `${row('Ann', '2')},Ann\n`, '--format', 'csv');
    assert.doesNotMatch(JSON.stringify(headerless.faults), /Ann/);
  });

  test('lose no line to a stray quotation mark of another', async () => {
    const head = 'id,subjectId,capturedAt,purposes.necessary';
    const row = (id: string, subject = id) => `${id},${subject},2024-05-01T10:00:00Z,1`;
    const misplaced = 'has a misplaced quotation mark';
    const unclosed = 'has a quotation mark that is not closed';
    const cases: readonly [bad: string, fault: string][] = [
      [row('1', '5" screen'), misplaced],
      [row('1', 'x"'), misplaced],
      [row('1', '"x"y'), misplaced],
      // Read as a line of its own, however long it is.
      [row('1', 'x'.repeat(2 ** 21)), 'is longer than 65536 bytes'],
      // Two lines later, the next quotation mark cannot close it.
      [row('1', '"x'), unclosed],
      [`"${row('1')}`, unclosed],
    ];
    for (const [bad, fault] of cases) {
      const notice = await context.server.createNotice();
      const text = [head, bad, row('2'), row('3'), row('4', '"quoted"'), row('5')].join('\n');
      const done = await run(notice, text, '--format', 'csv', '--skip-invalid');
      assert.deepEqual([done.code, done.imported, done.faults], [0, 4, [{ line: 2, issues: [fault] }]], fault);
      assert.deepEqual(
        (await read(notice)).map(({ subjectId }: Decision) => subjectId),
        ['2', '3', 'quoted', '5'],
      );
    }
    const notice = await context.server.createNotice();
    const joined = [head, row('1', '"x'), row('2', 'y"'), `${row('3', '"a\nb"')},`, row('4')].join('\n');
    assert.deepEqual((await run(notice, joined, '--format', 'csv', '--skip-invalid')).faults, [
      { line: 4, issues: ['together with the lines up to 5 has 5 fields, but the header has 4'] },
    ]);
  });

  test('are not imported past a quoted field that stays open, and name the faults of the lines after it', async () => {
    const head = 'id,subjectId,capturedAt,purposes.necessary';
    const row = (id: string, subject = id) => `${id},${subject},2024-05-01T10:00:00Z,1`;
    const notice = await context.server.createNotice();
    const text = [head, row('1'), row('2', '"stray'), row('3'), '4,short', row('5')].join('\n');
    const done = await run(notice, text, '--format', 'csv', '--skip-invalid');
    assert.deepEqual(
      [done.code, done.imported, done.decisions, done.faults],
      [
        1,
        0,
        3,
        [
          { line: 3, issues: ['has a quotation mark that is not closed'] },
          { line: 5, issues: ['has 2 fields, but the header has 4'] },
        ],
      ],
    );
    const file = join(context.folder, 'open.csv');
    writeFileSync(file, text);
    const words = ['import', '--notice', notice, '--version', '1', '--file', file, '--skip-invalid'];
    const { stdout } = await runSvc(words, context.environment);
    assert.match(stdout, /may be part of its field: close it first; --skip-invalid does not skip it\.\n$/);
    assert.deepEqual(await read(notice), []);
  });

  test('keep blank lines of a quoted field, and take nothing of a field that does not end for a record', async () => {
    const notice = await context.server.createNotice();
    const row = (id: string, subject = id) => `${id},${subject},2024-05-01T10:00:00Z,1`;
    const head = 'id,subjectId,capturedAt,purposes.necessary';
    assert.equal((await run(notice, `${head}\n\n${row('1', '"a\n\nb"')}\n\n`, '--format', 'csv')).imported, 1);
    assert.equal((await read(notice))[0].subjectId, 'a\n\nb');
    const long = `"${'xx\n'.repeat(40_000)}${row('2', 'victim')}`;
    const done = await run(notice, [head, row('3', long), row('4')].join('\n'), '--format', 'csv', '--skip-invalid');
    assert.deepEqual([done.code, done.imported], [1, 0]);
    assert.deepEqual(done.faults[0], {
      line: 2,
      issues: ['has a quotation mark that is not closed within 65536 bytes'],
    });
    assert.equal((await read(notice)).length, 1);
  });

  test('are refused without a decision that can be read, and without a column that an option names', async () => {
    const notice = await context.server.createNotice();
    const head = 'id,subjectId,capturedAt,purposes.necessary';
    for (const text of ['', '\n', head, 'id,id\n1,2\n'])
      assert.equal((await run(notice, text, '--format', 'csv', '--skip-invalid')).code, 1, text);
    const { environment, folder } = context;
    const file = join(folder, 'misspelt.csv');
    writeFileSync(file, `${head}\n1,1,2024-05-01T10:00:00Z,1\n`);
    const words = ['import', '--notice', notice, '--version', '1', '--file', file, '--format', 'csv'];
    for (const option of [
      ['--purpose', 'analytics=Statistcs'],
      ['--column', 'method=how'],
      ['--ignore', 'Othr'],
    ]) {
      const missing = option[1]?.split('=').at(-1);
      const csv = await runSvc([...words, ...option], environment);
      assertUsageError(csv, `The file has no column ${missing}. Nothing was written.`);
      const lineFile = join(folder, 'misspelt.jsonl');
      writeFileSync(lineFile, lines(decision('1')));
      const json = await runSvc([...words.with(6, lineFile).with(8, 'jsonl'), ...option], environment);
      assertUsageError(json, `svc: The file has no value ${missing}. Nothing was written.\n`);
    }
    assert.deepEqual(await read(notice), []);
  });

  test('refuse choices that a line repeats or contradicts', async () => {
    const words = ['--purpose', 'analytics=Statistics'];
    const purposes = { necessary: true, analytics: true };
    const contradicted = 'purposes.Statistics: contradicts another name of the same purpose';
    const repeated = 'purposes.analytics: is given more than once';
    const ofTool = { consentId: 'a', consentTimestamp: '2024-05-01T10:00:00Z', categories: ['necessary', 'analytics'] };
    const event = { id: 'e', created_at: '2024-05-01T10:00:00Z', user: { id: 'u' } };
    const both = [
      { id: 'analytics', enabled: true },
      { id: 'analytics', enabled: false },
    ];
    const head = 'id,subjectId,capturedAt,purposes.necessary,purposes.analytics';
    const cases: readonly [content: string, words: readonly string[], issue: string][] = [
      [lines(decision('1', { purposes: { ...purposes, Statistics: false } })), words, contradicted],
      [lines({ ...ofTool, rejectedCategories: ['analytics'] }), ['--format', 'cookieconsent'], repeated],
      [
        lines({ ...event, consents: { purposes: [{ id: 'necessary', enabled: true }, ...both] } }),
        ['--format', 'didomi'],
        repeated,
      ],
      [
        `${head},analytics\n1,1,2024-05-01T10:00:00Z,1,1,0\n`,
        ['--format', 'csv', '--purpose', 'analytics=analytics'],
        repeated,
      ],
    ];
    for (const [content, options, issue] of cases) {
      const notice = await context.server.createNotice();
      const done = await run(notice, content, ...options);
      assert.deepEqual(
        [done.code, done.faults.map(({ issues }: { issues: readonly string[] }) => issues)],
        [1, [[issue]]],
      );
      assert.deepEqual(await read(notice), []);
    }
    // Two names that agree are no contradiction.
    const notice = await context.server.createNotice();
    const agreed = lines(decision('1', { purposes: { ...purposes, Statistics: true } }));
    assert.equal((await run(notice, agreed, ...words)).imported, 1);
  });

  test('read JSON with paths, and grant required purposes on request', async () => {
    const notice = await context.server.createNotice();
    const line = {
      event: { id: 7 },
      user: { key: 'anna' },
      at: '2024-05-01T10:00:00Z',
      purposes: { stats: false, old: true },
    };
    const words = ['--column', 'id=event.id', '--column', 'subjectId=user.key', '--column', 'capturedAt=at'];
    const mapped = [...words, '--purpose', 'analytics=stats', '--ignore', 'old', '--add-required'];
    assert.equal((await run(notice, lines(line), ...mapped)).imported, 1);
    assert.deepEqual(await show(notice), [['anna', '2024-05-01T10:00:00.000Z', { necessary: true, analytics: false }]]);
  });

  test('read the cookie of CookieConsent, of which each change is a decision', async () => {
    const notice = await context.server.createNotice();
    const first = {
      categories: ['necessary', 'analytics'],
      revision: 0,
      data: null,
      consentTimestamp: '2024-05-01T10:00:00.000Z',
      consentId: '4d9cd46f-5b3a-4f0c-9a53-0f6f5dd5e6a1',
      services: { necessary: [], analytics: [] },
      languageCode: 'en',
      lastConsentTimestamp: '2024-05-01T10:00:00.000Z',
      expirationTime: 1_730_368_800_000,
    };
    const later = { ...first, categories: ['necessary', 'ads'], lastConsentTimestamp: '2024-06-01T10:00:00.000Z' };
    const words = ['--format', 'cookieconsent', '--purpose', 'marketing=ads'];
    const done = await run(notice, lines(first, later), ...words);
    assert.deepEqual([done.code, done.imported, done.withdrawals, done.faults], [0, 2, 1, []]);
    assert.deepEqual(await show(notice), [
      [first.consentId, first.consentTimestamp, { necessary: true, analytics: true, marketing: false }],
      [first.consentId, later.lastConsentTimestamp, { necessary: true, analytics: false, marketing: true }],
    ]);
    const bad = await run(notice, lines({ ...first, categories: 'all' }, { ...first, consentId: null }), ...words);
    assert.deepEqual(
      bad.faults.map(({ issues }: { issues: readonly string[] }) => issues.join('; ')),
      ['categories: must be a list of strings', 'id: is missing; subjectId: is missing'],
    );
  });

  test('read events of Didomi, whose later refusals are withdrawals', async () => {
    const notice = await context.server.createNotice();
    const event = (id: string, created_at: string, purposes: readonly object[], change: object = {}) => ({
      id,
      organization_id: 'example',
      created_at,
      user: { id: 'b6dbb4a0', organization_user_id: 'customer-7', country: 'FR' },
      consents: { purposes, vendors: [{ id: 'google', enabled: true }] },
      status: 'confirmed',
      ...change,
    });
    const granted = event('e1', '2024-05-01T10:00:00.000Z', [
      { id: 'measure', enabled: true },
      { id: 'marketing', enabled: true },
    ]);
    const withdrawn = event('e2', '2024-05-02T10:00:00.000Z', [{ id: 'marketing', enabled: false }]);
    const words = ['--format', 'didomi', '--purpose', 'analytics=measure', '--add-required'];
    const done = await run(notice, lines(granted, withdrawn), ...words);
    assert.deepEqual([done.code, done.imported, done.withdrawals, done.faults], [0, 2, 1, []]);
    const [, last] = await read(notice);
    assert.deepEqual(
      [last.subjectId, last.kind, last.purposes],
      ['customer-7', 'withdrawal', { necessary: true, marketing: false }],
    );
    const pending = event('e3', '2024-05-03T10:00:00.000Z', [], { status: 'pending_approval' });
    assert.deepEqual((await run(notice, lines(pending), ...words)).faults, [
      { line: 1, issues: ['status: is not "confirmed"'] },
    ]);
  });

  test('read consents of iubenda', async () => {
    const notice = await context.server.createNotice();
    const consent = {
      id: '7b1f6c1e-9d0c-4b52-8a4f-0a3c8d1f6e55',
      timestamp: '2024-05-01T10:00:00+00:00',
      owner: 'example',
      source: 'public',
      subject: { id: 'a2c1', email: 'anna@example.com', verified: false },
      preferences: { terms: 'true', newsletter: 'false' },
    };
    const words = ['--format', 'iubenda', '--purpose', 'necessary=terms', '--purpose', 'marketing=newsletter'];
    const done = await run(notice, lines(consent), ...words);
    assert.deepEqual([done.code, done.imported, done.faults], [0, 1, []]);
    assert.deepEqual(await show(notice), [['a2c1', '2024-05-01T10:00:00.000Z', { necessary: true, marketing: false }]]);
  });
});
