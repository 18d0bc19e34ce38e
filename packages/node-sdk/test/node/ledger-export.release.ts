import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../../../server/installation/installation.ts';
import { nameOrigin, writeCheckpoint } from '../../../../server/ledger/checkpoint.ts';
import { NoteSigner } from '../../../../server/ledger/signed-note.ts';
import { openTestInstallation } from '../../../../server/test/harness.ts';
import {
  appendOne,
  createLedger,
  exportText,
  type Ledger,
  latestOf,
  signNow,
  time,
} from '../../../../server/test/ledger/exported.ts';
import { AbortError, ConfigurationError, SvcError } from '../../src/index.ts';
import { type Chunks, LedgerVerificationError, verifyExport } from '../../src/ledger/index.ts';

describe('verifyExport', () => {
  let installation: Installation;
  let publicKey: string;
  before(async () => {
    installation = await openTestInstallation('sqlite');
    publicKey = installation.signer.verifierKey;
  });
  after(() => installation[Symbol.asyncDispose]());

  const steps = fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 30 });
  const edge = fc.option(fc.integer({ min: -1, max: 40 }).map(time), { nil: null });

  test('accepts every export of the server, for any ledger, range and stored checkpoint', async () => {
    await fc.assert(
      fc.asyncProperty(steps, edge, edge, fc.nat(), async (wanted, from, to, pick) => {
        fc.pre(from === null || to === null || from <= to);
        const ledger = await createLedger(installation, wanted);
        const kept = ledger.checkpoints[pick % ledger.checkpoints.length] as Ledger['checkpoints'][number];
        const file = await exportText(installation, ledger.of, latestOf(ledger), { from, to, since: kept.size });
        const { tenantId } = ledger.of;
        const options = { publicKey, tenantId, ledger: 'audit' as const, from, to, checkpoint: kept.note };
        const found = await verifyExport([file], options);
        const { entries, isConsistent, first, last, newer, until, note, checkpoint } = found;
        assert.deepEqual([found.from, found.to, newer, isConsistent], [from, to, 0, true]);
        assert.deepEqual([entries, last - first + 1], Array(2).fill(file.trimEnd().split('\n').length - 1));
        assert.equal(until, to === null || checkpoint.at < to ? checkpoint.at : to);
        assert.equal(note, latestOf(ledger).note);
        assert.deepEqual([checkpoint.tenantId, checkpoint.ledger], [tenantId, 'audit']);
      }),
      { numRuns: 50 },
    );
  });

  describe('of a changed export', () => {
    let kept: string;
    let files: readonly string[];
    before(async () => {
      const ledger = await createLedger(installation, [1, 1, 1, -1, 1, 1, 1, 1, 1, 1]);
      kept = ledger.checkpoints[0]?.note as string;
      const ranges = [{}, { from: time(6), to: time(7), since: ledger.checkpoints[0]?.size as number }];
      files = await Promise.all(ranges.map((range) => exportText(installation, ledger.of, latestOf(ledger), range)));
    });

    const check = (file: Uint8Array, checkpoint: string | null = kept) =>
      errorOf([file], { publicKey, checkpoint: checkpoint ?? undefined });

    test('throws only its own errors, whatever values and lines are changed', async () => {
      const json = fc.oneof(
        fc.constantFrom(null, 0, -1, 1, 1.5, 5, '', 'x', time(3), time(7), [], {}, '0'.repeat(64)),
        fc.jsonValue({ maxDepth: 1 }),
      );
      const change = fc.record({ file: fc.nat(1), line: fc.nat(30), key: fc.nat(30), value: json, other: fc.nat(30) });
      await fc.assert(
        fc.asyncProperty(change, async ({ file, line, key, value, other }) => {
          const lines = (files[file] as string).trimEnd().split('\n');
          const at = line % lines.length;
          const object = JSON.parse(lines[at] as string);
          const keys = Object.keys(object);
          const changed = JSON.stringify({ ...object, [keys[key % keys.length] as string]: value });
          await check(join(lines.with(at, changed)));
          const swapped = other % lines.length;
          await check(join(lines.with(at, lines[swapped] as string).with(swapped, lines[at] as string)));
          await check(join(lines.toSpliced(at, 1)));
          await check(join(lines.toSpliced(at, 0, lines[swapped] as string)));
          await check(join(lines.slice(0, at)));
        }),
        { numRuns: 300 },
      );
    });

    test('rejects proofs that do not lead from the stored checkpoint to the export', async () => {
      const [text = '', ...rest] = (files[1] as string).trimEnd().split('\n');
      const header = JSON.parse(text);
      const { from, hashes } = header.consistency;
      const other = Buffer.alloc(32, 3).toString('base64');
      for (const consistency of [
        null,
        { from: from - 1, hashes },
        { from: from + 1, hashes },
        { from, hashes: [] },
        { from, hashes: hashes.slice(1) },
        { from, hashes: hashes.toReversed() },
        { from, hashes: [...hashes, other] },
        { from, hashes: hashes.with(0, other) },
      ]) {
        const error = await check(join([JSON.stringify({ ...header, consistency }), ...rest]));
        assert.match(error?.code ?? '', /^(history_rewritten|consistency_missing)$/);
      }
    });

    test('rejects a stored checkpoint of another ledger or key', async () => {
      const other = await createLedger(installation, [1, 1, 1, 1]);
      const stranger = new NoteSigner('the secret of another installation');
      const foreign = stranger.sign(`${kept.split('\n\n')[0]}\n`);
      for (const file of files)
        for (const [note, code] of [
          [latestOf(other).note, 'checkpoint_foreign'],
          [foreign, 'checkpoint_not_signed'],
          ['', 'checkpoint_not_signed'],
          ['x', 'checkpoint_not_signed'],
          [null, undefined],
          [kept, undefined],
        ] as const)
          assert.equal((await check(Buffer.from(file), note))?.code, code);
    });

    test('detects a change of any byte', async () => {
      const [file = ''] = files;
      const bytes = Buffer.from(file);
      const header = bytes.indexOf('\n');
      for (let at = header + 1; at < bytes.length - 1; at += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ 1;
        assert.notEqual(await errorOf([changed], { publicKey }), null, `byte ${at}`);
      }
    });
  });

  test('reports each error by a code, with line and number', async () => {
    const ledger = await createLedger(installation, [1, 1, 1, -1, 1, 1]);
    const [header = '', first = '', second = '', third = '', ...rest] = (
      await exportText(installation, ledger.of, latestOf(ledger))
    )
      .trimEnd()
      .split('\n');
    const kept = ledger.checkpoints[0]?.note as string;
    const codeOf = async (lines: readonly string[], more = {}) => {
      const error = await errorOf([join(lines)], { publicKey, ...more });
      return [error?.code, error?.line, error?.sequence];
    };
    const changed = second.replace('"module":"consent"', '"module":"Consent"');
    const rehashed = second.replace(/"hash":"\w{64}"/, `"hash":"${'0'.repeat(64)}"`);
    assert.deepEqual(await codeOf([header, first, changed, third, ...rest]), ['hash_mismatch', 3, 2]);
    assert.deepEqual(await codeOf([header, first, rehashed, third, ...rest]), ['hash_mismatch', 3, 2]);
    assert.deepEqual(await codeOf([header, first, third, ...rest]), ['entry_missing', 3, 2]);
    assert.deepEqual(await codeOf([header, first, second]), ['entry_missing', 4, null]);
    assert.deepEqual(await codeOf([header, first, '{', third]), ['line_malformed', 3, null]);
    assert.deepEqual(await codeOf([]), ['line_malformed', 1, null]);
    assert.deepEqual(await codeOf([header.replace(':', ': ')]), ['header_invalid', 1, null]);
    const whole = [header, first, second, third, ...rest];
    for (const wanted of [{ tenantId: 'x' }, { ledger: 'consent' }, { from: time(1) }, { to: time(1) }])
      assert.deepEqual(await codeOf(whole, wanted), ['export_foreign', 1, null]);
    assert.deepEqual(await codeOf(whole, { publicKey: 'x' }), ['key_invalid', null, null]);
    const older = (await exportText(installation, ledger.of, ledger.checkpoints[0] as never)).trimEnd().split('\n');
    assert.deepEqual(await codeOf(older, { checkpoint: latestOf(ledger).note }), ['ledger_shrunk', 1, null]);
    assert.deepEqual(await codeOf(older, { checkpoint: kept }), [undefined, undefined, undefined]);
  });

  test('detects entries of another tenant, and entries younger than their checkpoint', async () => {
    const { signer } = installation;
    const ledger = await createLedger(installation, [5, 5, 5]);
    const { size, rootHash, at } = latestOf(ledger);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    const [header = '', ...lines] = file.trimEnd().split('\n');
    const signAs = (tenantId: string, time: string) => {
      const origin = nameOrigin(signer.verifier.name, tenantId, 'audit');
      const checkpoint = signer.sign(writeCheckpoint({ origin, size, rootHash, at: time }));
      return join([JSON.stringify({ ...JSON.parse(header), tenantId, checkpoint }), ...lines]);
    };
    const { tenantId } = ledger.of;
    assert.equal(await errorOf([signAs(tenantId, at)], { publicKey }), null);
    assert.equal((await errorOf([signAs('another', at)], { publicKey }))?.code, 'entry_foreign');
  });

  test('rejects an entry that is dated back before the stored checkpoint', async () => {
    const ledger = await createLedger(installation, [1, 1]);
    await appendOne(installation, ledger.of.tenantId, time(10), 'in time');
    const { note } = await signNow(installation, ledger.of, time(600));
    await appendOne(installation, ledger.of.tenantId, time(300), 'dated back');
    const file = await exportText(installation, ledger.of, await signNow(installation, ledger.of, time(700)));
    assert.equal((await errorOf([file], { publicKey, checkpoint: note }))?.code, 'time_implausible');
    assert.equal(await errorOf([file], { publicKey }), null);
  });

  test('verifies after the clock was a day ahead, and counts how often the times decrease', async () => {
    const day = 24 * 60 * 60;
    const ledger = await createLedger(installation, [1, 1]);
    await appendOne(installation, ledger.of.tenantId, time(day), 'a day ahead');
    await appendOne(installation, ledger.of.tenantId, time(10), 'set back');
    const file = await exportText(installation, ledger.of, await signNow(installation, ledger.of, time(11)));
    assert.equal((await verifyExport([file], { publicKey })).clockFalls, 1);
  });

  test('reads bytes and text in chunks of any size, and notes as changed by mail programs', async () => {
    const ledger = await createLedger(installation, [1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    const { note } = latestOf(ledger);
    const options = { publicKey: ` ${publicKey}\r\n`, checkpoint: `\uFEFF${note.replaceAll('\n', '\r\n')}\r\n` };
    const cut = <Whole extends { slice(start: number, end: number): Whole; readonly length: number }>(
      whole: Whole,
      size: number,
    ) => Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size));
    for (const size of [1, 2, 3, 7, 1000, 1e9])
      for (const chunks of [cut(file, size), cut(new Uint8Array(Buffer.from(file)), size)])
        assert.equal((await verifyExport(chunks, options)).entries, 10);
    assert.equal((await verifyExport([file.replaceAll('\n', '\r\n')], options)).entries, 10);
  });

  test('reports progress, and aborts with the reason of its signal', async () => {
    const ledger = await createLedger(installation, [1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    const progress: number[] = [];
    await verifyExport([file], { publicKey, onProgress: (entries) => progress.push(entries) });
    assert.deepEqual(progress, [4]);
    const controller = new AbortController();
    const reason = new Error('enough');
    async function* stopInTheMiddle() {
      yield file.slice(0, 2000);
      controller.abort(reason);
      yield file.slice(2000);
    }
    const { signal } = controller;
    const isStopped = (error: unknown) => AbortError.isInstance(error) && error.cause === reason;
    await assert.rejects(verifyExport(stopInTheMiddle(), { publicKey, signal }), isStopped);
    await assert.rejects(verifyExport([file], { publicKey, signal }), isStopped);
    const later = new AbortController();
    const source = Readable.from([file.slice(0, 2000), file.slice(2000)], { signal: later.signal });
    source.once('data', () => later.abort(reason));
    await assert.rejects(verifyExport(source, { publicKey, signal: later.signal }), isStopped);
  });

  test('accepts a whole export, and rejects any other type', async () => {
    const ledger = await createLedger(installation, [1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    for (const whole of [file, Buffer.from(file), new Uint8Array(Buffer.from(file))])
      assert.equal((await verifyExport(whole, { publicKey })).entries, 4);
    for (const odd of [undefined, null, 5, {}, [1, 2], [{}], new ArrayBuffer(8)])
      await assert.rejects(verifyExport(odd as never, { publicKey }), (error) => ConfigurationError.isInstance(error));
    for (const key of [undefined, null, 5])
      assert.equal((await errorOf(file, { publicKey: key as never }))?.code, 'key_invalid');
    // A note that a program lost differs from no note.
    assert.equal((await errorOf(file, { publicKey, checkpoint: null as never }))?.code, 'checkpoint_not_signed');
  });

  test('fails with errors of the package, whose codes describe the finding', async () => {
    const error = await errorOf('{}', { publicKey });
    assert.ok(error instanceof LedgerVerificationError && SvcError.isInstance(error));
    assert.deepEqual([error.name, error.operation, error.attempts], ['LedgerVerificationError', null, 0]);
    assert.deepEqual(JSON.parse(JSON.stringify(error)), {
      ...{ name: error.name, message: error.message, code: 'line_malformed', line: 1, sequence: null },
      ...{ operation: null, idempotencyKey: null, attempts: 0, retry: null },
    });
    assert.ok(!LedgerVerificationError.isInstance(new SvcError('x', 'y')));
  });

  test('passes on errors of the source, and reads no overlong line', async () => {
    const broken = new Error('connection lost');
    // biome-ignore lint/correctness/useYield: it fails before its first chunk
    async function* fail(): AsyncGenerator<string> {
      throw broken;
    }
    await assert.rejects(verifyExport(fail(), { publicKey }), (error) => error === broken);
    let read = 0;
    function* endless() {
      for (; read < 1000; read += 1) yield Buffer.alloc(1 << 20, 0x20);
    }
    assert.equal((await errorOf(endless(), { publicKey }))?.code, 'line_malformed');
    assert.ok(read < 20);
  });
});

const join = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));

async function errorOf(chunks: Chunks, options: Parameters<typeof verifyExport>[1]) {
  try {
    await verifyExport(chunks, options);
    return null;
  } catch (error) {
    if (LedgerVerificationError.isInstance(error)) return error;
    throw error;
  }
}
