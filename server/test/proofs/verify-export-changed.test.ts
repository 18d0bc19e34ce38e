import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { openTestInstallation } from '../harness.ts';
import { createLedger, exportText, type Ledger, latestOf, time, verifyFile, type Wanted } from '../ledger/exported.ts';

describe('an export that was changed', () => {
  let installation: Installation;
  let key: string;
  let ledger: Ledger;
  /** A whole export and a partial one, with the note of the earlier checkpoint that both extend. */
  let files: readonly string[];
  let earlier: string;
  before(async () => {
    installation = await openTestInstallation('sqlite');
    key = installation.signer.verifierKey;
    ledger = await createLedger(installation, [1, 1, 1, -1, 1, 1, 1, 1, 1, 1]);
    const since = ledger.checkpoints[0]?.size as number;
    earlier = ledger.checkpoints[0]?.note as string;
    const ranges: readonly Wanted[] = [{}, { from: time(6), to: time(7), since }];
    files = await Promise.all(ranges.map((range) => exportText(installation, ledger.of, latestOf(ledger), range)));
    for (const file of files) assert.equal((await verifyFile(file, key, earlier)).fault, null);
  });
  after(() => installation[Symbol.asyncDispose]());

  const assertFound = async (file: string | Uint8Array, what?: string) => {
    const { fault, isConsistent } = await verifyFile(file, key, earlier);
    assert.notEqual(fault, null, what);
    assert.notEqual(isConsistent, true, what);
    assert.ok((fault?.line ?? 0) > 0 && fault?.issue !== '');
  };
  const linesOf = (file: string) => file.trimEnd().split('\n');
  const join = (lines: readonly string[]) => `${lines.join('\n')}\n`;

  test('is rejected with any byte changed', async () => {
    const anyChange = fc.record({
      file: fc.nat(1),
      at: fc.nat(1_000_000),
      difference: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ file, at, difference }) => {
        const original = files[file] as string;
        const changed = Buffer.from(original);
        const place = at % (changed.length - 1);
        changed[place] = (changed[place] as number) ^ difference;
        fc.pre(!isUnreported(original, changed.toString()));
        await assertFound(changed, `byte ${place}`);
      }),
      { numRuns: 700 },
    );
  });

  test('is rejected with bytes that decode to the same character', async () => {
    for (const file of files) {
      const bytes = Buffer.from(file);
      const at = bytes.indexOf(Buffer.from('\uFFFD'));
      if (at === -1) continue;
      bytes[at] = 0xf0;
      assert.equal(bytes.toString(), file);
      await assertFound(bytes);
    }
    assert.ok(files[0]?.includes('\uFFFD'));
  });

  test('is rejected with a line removed, duplicated, swapped, moved or empty', async () => {
    for (const file of files) {
      const lines = linesOf(file);
      for (const [at, line] of lines.entries()) {
        await assertFound(join(lines.toSpliced(at, 1)), `line ${at} removed`);
        await assertFound(join(lines.toSpliced(at, 0, line)), `line ${at} doubled`);
        await assertFound(join(lines.toSpliced(at, 0, '')), `an empty line at ${at}`);
        await assertFound(
          join([...lines.toSpliced(at, 1), line].slice(at === lines.length - 1 ? 1 : 0)),
          `${at} moved`,
        );
        if (at > 0)
          await assertFound(join(lines.with(at, lines[at - 1] as string).with(at - 1, line)), `${at} swapped`);
      }
      await assertFound(`${file}{}\n`);
      await assertFound(`${file}\n`);
    }
  });

  test('is rejected if truncated at any byte', async () => {
    for (const file of files) {
      const bytes = Buffer.from(file);
      const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a).flatMap((at) => [at - 1, at, at + 1]);
      const places = [...bytes.keys()].filter((at) => at % 13 === 0 || ends.includes(at));
      for (const at of places.filter((place) => place < bytes.length - 1))
        await assertFound(bytes.subarray(0, at), `cut at ${at}`);
    }
  });

  test('is rejected with lines of another ledger', async () => {
    const other = await createLedger(installation, [1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const foreign = linesOf(await exportText(installation, other.of, latestOf(other)));
    const lines = linesOf(files[0] as string);
    for (let at = 0; at < lines.length; at += 1) await assertFound(join(lines.with(at, foreign[at] as string)));
    await assertFound(join([lines[0] as string, ...foreign.slice(1)]));
  });

  test('is rejected with a duplicate key in an object, or a key in another spelling', async () => {
    for (const file of files) {
      const [header = '', first = '', ...rest] = linesOf(file);
      const spellings = [
        first.replace('"entry":{', '"entry":{"action":"thing.else",'),
        first.replace('{"sequence"', '{"hash":"f","sequence"'),
        first.replace('"entry":{', '"entry":{"__proto__":{"action":"x"},'),
        first.replace('{"sequence"', '{"__proto__":1,"sequence"'),
        first.replace('"action"', '"\\u0061ction"'),
        first.replace(':', ': '),
        first.replace(/"sequence":(\d+)/, '"sequence":$1.0'),
      ];
      for (const line of spellings) {
        assert.notEqual(line, first);
        await assertFound(join([header, line, ...rest]), line);
      }
      const headers = [
        header.replace('{', '{"last":1,'),
        header.replace('{', '{"more":1,'),
        header.replace('{', '{"__proto__":1,'),
        header.replace(':', ' :'),
      ];
      for (const line of headers) await assertFound(join([line, first, ...rest]), line);
    }
  });

  test('is rejected with another value in the header, unless it claims less', async () => {
    for (const file of files) {
      const [text = '', ...rest] = linesOf(file);
      const header = JSON.parse(text);
      const values: Readonly<Record<string, readonly unknown[]>> = {
        format: ['svc-ledger-export/2', '', null],
        tenantId: ['', 'another', null],
        ledger: ['consent', 'other'],
        from: ['', 'x', 5, '2026-11-21', `${header.from} `, ...(header.from === null ? [] : [null, time(0), time(3)])],
        to: ['', 'x', 5, '~', ...(header.to === null ? [] : [null, time(8), time(100)])],
        first: [0, -1, 1.5, '1', null, header.first + 1, header.first - 1, 1e15],
        last: [0, -1, 1.5, '1', null, header.last + 1, header.last - 1, 1e15],
        newer: [-1, 1.5, '0', null],
        verifierKey: ['', new NoteSigner('the secret of another installation').verifierKey, `${header.verifierKey} `],
        checkpoint: ['', header.checkpoint.trim(), `${header.checkpoint}\n`, earlier],
        before: [null, [...header.before, header.before[0] ?? hashOf(1)], header.before.slice(1), [hashOf(2)]],
        after: [null, [...header.after, hashOf(1)], header.after.slice(1), [hashOf(2)], ['']],
      };
      for (const [name, others] of Object.entries(values)) {
        for (const value of others) {
          const changed = JSON.stringify({ ...header, [name]: value });
          if (changed !== text) await assertFound(join([changed, ...rest]), `${name} ${JSON.stringify(value)}`);
        }
        const { [name]: _, ...without } = header;
        await assertFound(join([JSON.stringify(without), ...rest]), `${name} left out`);
      }
    }
  });

  test('is rejected if it does not extend the earlier checkpoint', async () => {
    const [text = '', ...rest] = linesOf(files[1] as string);
    const header = JSON.parse(text);
    const { from, hashes } = header.consistency;
    const others = [
      null,
      { from: from - 1, hashes },
      { from: from + 1, hashes },
      { from, hashes: [] },
      { from, hashes: hashes.slice(1) },
      { from, hashes: hashes.toReversed() },
      { from, hashes: [...hashes, hashes[0]] },
      { from, hashes: hashes.with(0, hashOf(3)) },
    ];
    for (const consistency of others) await assertFound(join([JSON.stringify({ ...header, consistency }), ...rest]));
  });

  test('is rejected with fewer entries than its range, even if the header agrees', async () => {
    const [text = '', ...rest] = linesOf(files[1] as string);
    const header = JSON.parse(text);
    // The hash of the omitted entry goes where it would be in an honest export of the rest.
    const cut = { ...header, first: header.first + 1 };
    await assertFound(join([JSON.stringify(cut), ...rest.slice(1)]));
    const latest = latestOf(ledger);
    const narrow = await exportText(installation, ledger.of, latest, { from: time(7), to: time(8), since: 4 });
    const [honest = '', ...lines] = linesOf(narrow);
    for (const [name, value] of [
      ['from', time(6)],
      ['from', null],
      ['to', time(9)],
      ['to', null],
    ] as const)
      await assertFound(join([JSON.stringify({ ...JSON.parse(honest), [name]: value }), ...lines]), `${name} ${value}`);
  });

  test('is rejected if it cannot be parsed', async () => {
    const [header = ''] = linesOf(files[0] as string);
    const deep = `{"sequence":1,"prevHash":null,"hash":"x","entry":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    const lone = '{"sequence":1,"prevHash":null,"hash":"x","entry":{"a":"\\ud800"}}';
    for (const line of [
      deep,
      lone,
      'null',
      '[]',
      '1',
      '""',
      '{}',
      '{"sequence":1,"prevHash":null,"hash":"x","entry":[]}',
    ])
      await assertFound(join([header, line]), line.slice(0, 80));
    for (const file of ['', '\n', 'null', '[]', '{}', '\u0000', Buffer.of(0xff, 0xfe), ' '.repeat(17 * 1024 * 1024)])
      await assertFound(file);
  });
});

const hashOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** Header values that are not proven, or that claim less than there is. */
function isUnreported(file: string, changed: string): boolean {
  const read = (text: string) => {
    try {
      const { newer, from, to, ...rest } = JSON.parse(text.slice(0, text.indexOf('\n')));
      return { header: JSON.stringify([newer, from, to]), rest: JSON.stringify(rest) };
    } catch {
      return null;
    }
  };
  const [one, other] = [read(file), read(changed)];
  return other !== null && one?.rest === other.rest && one.header !== other.header;
}
