import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Installation } from '../../installation/installation.ts';
import type { StoredCheckpoint } from '../../ledger/checkpoint-store.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { openTestInstallation } from '../harness.ts';
import { appendOne, createLedger, exportText, latestOf, signNow, time, verifyFile } from '../ledger/exported.ts';

describe('an export', () => {
  let installation: Installation;
  let key: string;
  before(async () => {
    installation = await openTestInstallation('sqlite');
    key = installation.signer.verifierKey;
  });
  after(() => installation[Symbol.asyncDispose]());

  const steps = fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 30 });
  const edge = fc.option(fc.integer({ min: -1, max: 40 }).map(time), { nil: null });

  test('verifies for any ledger, range and earlier checkpoint', async () => {
    await fc.assert(
      fc.asyncProperty(steps, edge, edge, fc.nat(), async (wantedSteps, from, to, pick) => {
        const ledger = await createLedger(installation, wantedSteps);
        const latest = latestOf(ledger);
        const earlier = ledger.checkpoints[pick % ledger.checkpoints.length] as StoredCheckpoint;
        fc.pre(from === null || to === null || from <= to);
        const file = await exportText(installation, ledger.of, latest, { from, to, since: earlier.size });
        const report = await verifyFile(file, key, earlier.note);
        assert.deepEqual([report.fault, report.isConsistent], [null, true]);
        assert.equal(report.entries, file.trimEnd().split('\n').length - 1);
        assert.equal(report.checkpoint?.size, latest.size);
        // Every entry of the range is there: counted independently of the code under test.
        const times = file
          .split('\n')
          .slice(1, -1)
          .map((line) => JSON.parse(line).entry.at as string);
        const isInside = (at: string) => (from === null || at >= from) && (to === null || at < to);
        const all = await installation.database.kysely
          .selectFrom('audit_events')
          .select('at')
          .where('tenant_id', '=', ledger.of.tenantId)
          .execute();
        assert.equal(times.filter(isInside).length, all.filter(({ at }) => isInside(at)).length);
        assert.ok(times.filter((at) => !isInside(at)).length <= 2);
      }),
      { numRuns: 60 },
    );
  });

  test('of everything verifies against every earlier checkpoint without `since`', async () => {
    const ledger = await createLedger(installation, [-1, 0, 0, -1, 1, -1, 0, 0, 0]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    for (const { note } of ledger.checkpoints) assert.deepEqual((await verifyFile(file, key, note)).isConsistent, true);
  });

  test('of a range verifies against the checkpoint that it was made with, and no other without a proof', async () => {
    const ledger = await createLedger(installation, [1, 1, 1, -1, 1, 1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger), { from: time(6) });
    assert.equal((await verifyFile(file, key, latestOf(ledger).note)).isConsistent, true);
    const { fault } = await verifyFile(file, key, ledger.checkpoints[0]?.note);
    assert.match(fault?.issue ?? '', /export it with since=4/);
  });

  test('reports which entries it contains', async () => {
    const ledger = await createLedger(installation, [1, 1, 1, 1, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger), { from: time(3), to: time(4) });
    const { first, last, from, to, newer, until, entries } = await verifyFile(file, key);
    assert.deepEqual([first, last, from, to, newer, until, entries], [3, 5, time(3), time(4), 0, time(4), 3]);
  });

  test('reports the time that it covers, up to its checkpoint, and the number of newer entries', async () => {
    const ledger = await createLedger(installation, [1, 1, -1]);
    await appendOne(installation, ledger.of.tenantId, time(30), 'later');
    const checkpoint = latestOf(ledger);
    const file = await exportText(installation, ledger.of, checkpoint, { to: time(60) });
    const { fault, until, newer } = await verifyFile(file, key);
    assert.deepEqual([fault, until, newer], [null, checkpoint.at, 1]);
  });

  test('without entries is rejected if the ledger has some, with any header', async () => {
    // With four entries the root is the one complete subtree: a header could hide them all behind it.
    const ledger = await createLedger(installation, [1, 1, 1, 1]);
    const checkpoint = latestOf(ledger);
    const [line] = (await exportText(installation, ledger.of, checkpoint)).split('\n');
    for (const [from, to] of [
      [time(0), time(90)],
      [null, null],
    ]) {
      const header = { ...JSON.parse(line as string), from, to, first: 5, last: 4, before: [checkpoint.rootHash] };
      const { fault } = await verifyFile(`${JSON.stringify(header)}\n`, key, checkpoint.note);
      assert.match(fault?.issue ?? '', /cannot be/);
    }
  });

  test('with an entry that is backdated before a kept checkpoint is rejected', async () => {
    const ledger = await createLedger(installation, [1, 1]);
    await appendOne(installation, ledger.of.tenantId, time(10), 'in time');
    const kept = await signNow(installation, ledger.of, time(600));
    await appendOne(installation, ledger.of.tenantId, time(300), 'dated back');
    const file = await exportText(installation, ledger.of, await signNow(installation, ledger.of, time(700)));
    assert.match((await verifyFile(file, key, kept.note)).fault?.issue ?? '', /was not there when/);
    // The clocks of two servers may differ by minutes.
    const other = await createLedger(installation, [1, 1]);
    await appendOne(installation, other.of.tenantId, time(10), 'in time');
    const near = await signNow(installation, other.of, time(600));
    await appendOne(installation, other.of.tenantId, time(595), 'a clock that is behind');
    const honest = await exportText(installation, other.of, await signNow(installation, other.of, time(596)));
    assert.equal((await verifyFile(honest, key, near.note)).fault, null);
  });

  test('verifies after the clock was a day ahead, and reports that times decrease', async () => {
    const day = 24 * 60 * 60;
    const ledger = await createLedger(installation, [1, 1]);
    await appendOne(installation, ledger.of.tenantId, time(day), 'a day ahead');
    const ahead = await signNow(installation, ledger.of, time(day + 1));
    await appendOne(installation, ledger.of.tenantId, time(10), 'set back');
    const latest = await signNow(installation, ledger.of, time(11));
    assert.equal(latest.at, time(11));
    const file = await exportText(installation, ledger.of, latest);
    const { fault, clockFalls } = await verifyFile(file, key, ledger.checkpoints[0]?.note);
    assert.deepEqual([fault, clockFalls], [null, 1]);
    for (const from of [time(2), time(5), time(day)]) {
      const part = await exportText(installation, ledger.of, latest, { from, to: time(day + 5) });
      assert.equal((await verifyFile(part, key)).fault, null);
    }
    // A checkpoint with a wrong time cannot be distinguished from a backdated entry.
    assert.match((await verifyFile(file, key, ahead.note)).fault?.issue ?? '', /one of the two times is wrong/);
  });

  test('of an empty ledger is only a header, and rejects added entries', async () => {
    const of = { ...(await createLedger(installation, [])).of, ledger: 'consent' } as const;
    const file = await exportText(installation, of, await signNow(installation, of, time(0)));
    assert.deepEqual((await verifyFile(file, key)).fault, null);
    assert.notEqual((await verifyFile(`${file}${file}`, key)).fault, null);
  });

  test('verifies with CRLF line breaks, and without the last one', async () => {
    const ledger = await createLedger(installation, [0, 1]);
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    for (const same of [file.replaceAll('\n', '\r\n'), file.slice(0, -1)])
      assert.equal((await verifyFile(same, key)).fault, null);
  });

  test('does not verify with another key, or a checkpoint of another key, tenant or ledger', async () => {
    const ledger = await createLedger(installation, [0, 1]);
    const other = await createLedger(installation, [0, 1]);
    const consent = { ...ledger.of, ledger: 'consent' } as const;
    const stranger = new NoteSigner('the secret of another installation');
    const file = await exportText(installation, ledger.of, latestOf(ledger));
    const { fault } = await verifyFile(file, stranger.verifierKey);
    assert.deepEqual(fault, {
      line: 1,
      issue: 'the checkpoint of the export is not signed with this key, nor with one that the rotations lead to',
    });
    const foreign = stranger.sign(`${latestOf(ledger).note.split('\n\n')[0]}\n`);
    for (const [note, issue] of [
      [latestOf(other).note, /belongs to another ledger/],
      [(await signNow(installation, consent, time(1))).note, /belongs to another ledger/],
      [foreign, /not signed with this key/],
      ['', /not signed with this key/],
    ] as const) {
      assert.match((await verifyFile(file, key, note)).fault?.issue ?? '', issue);
      const [header = '', ...lines] = file.split('\n');
      const changed = JSON.stringify({ ...JSON.parse(header), checkpoint: note });
      assert.match((await verifyFile([changed, ...lines].join('\n'), key)).fault?.issue ?? '', issue);
    }
  });
});
