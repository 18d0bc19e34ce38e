import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readSystemStatus } from '../../cli/operator/system.ts';
import { deriveSecrets } from '../../installation/installation.ts';
import { findLogCheckpoint, nameLogKey } from '../../ledger/installation-log.ts';
import { parsePolicy } from '../../ledger/witness-policy.ts';
import { describeOnEachDatabase } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { tamper } from '../ledger/tamper.ts';
import { hour, openLog } from './log-scene.ts';
import { newKey, TestWitness, writeKey } from './test-witness.ts';

const secret = 'a secret of 32 characters or more';
const { signer } = deriveSecrets(secret);
const logKey = nameLogKey(signer.verifier);

describeOnEachDatabase('cosignatures of the log', (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-witness-'));
  const policy = join(folder, 'policy');
  let witnesses: readonly TestWitness[];
  before(async () => {
    witnesses = [await TestWitness.start('w1.example', logKey), await TestWitness.start('w2.example', logKey)];
  });
  after(async () => {
    for (const witness of witnesses) await witness[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  /** @param count of the witnesses in the policy. */
  const open = (count = 1, respondWithin?: number) => {
    const lines = witnesses.slice(0, count).map(({ vkey, url }, index) => `witness w${index} ${vkey} ${url}`);
    writeFileSync(policy, `${lines.join('\n')}\nquorum w0\n`);
    for (const witness of witnesses) {
      Object.assign(witness, { size: 0, misbehave: null, delay: 60 });
      witness.statuses.length = 0;
    }
    return openLog(dialect, { SVC_SECRET: secret, SVC_WITNESS_POLICY: policy }, respondWithin);
  };
  const first = () => witnesses[0] as TestWitness;

  test('are requested from each witness for each new checkpoint, with a proof that the log only grew', async () => {
    await using scene = await open(2);
    const ledgers = [await scene.addTenant(), await scene.addTenant(), await scene.addTenant()];
    await scene.run();
    await scene.run();
    scene.clock.advance(hour);
    for (const of of ledgers) await scene.append(of);
    await scene.run();
    for (const witness of witnesses) {
      assert.deepEqual(witness.statuses, [200, 200]);
      assert.equal(witness.size, 6);
    }
    const rows = await scene.readAttestations();
    assert.deepEqual(
      rows.map(({ kind, size, at }) => `${kind} ${size} ${at}`),
      [3, 3, 6, 6].map((size) => `cosignature ${size} 2026-11-21T1${size === 3 ? 2 : 3}:01:00.000Z`),
    );
    const { log } = await readSystemStatus({ ...scene.installation, replica: null });
    const source = {
      kind: 'cosignature',
      latestAt: rows.at(-1)?.at,
      isCurrent: true,
      triedAt: scene.clock.now(),
      fault: null,
    };
    assert.equal(log.size, 6);
    assert.deepEqual(
      log.sources,
      ['w1.example', 'w2.example'].map((name) => ({ ...source, name })),
    );
    const { code, report, lines } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.equal(code, 0, lines.join('\n'));
    assert.deepEqual(report.log?.gaps, { 'cosignature of w1.example': 0, 'cosignature of w2.example': 0 });
  });

  test('follow a witness that knows another size, such as after its answer was lost', async () => {
    await using scene = await open();
    const of = await scene.addTenant();
    // It cosigns, but its answer does not arrive.
    first().misbehave = (response) => response.destroy();
    await scene.run();
    const checkpoint = await findLogCheckpoint(scene.queries);
    Object.assign(first(), { misbehave: null, size: 1, root: Buffer.from(checkpoint?.rootHash ?? '', 'base64') });
    assert.match(String(await scene.readFaults()), /is unreachable/);
    scene.clock.advance(hour);
    await scene.append(of);
    await scene.run();
    assert.deepEqual(first().statuses, [409, 200]);
    assert.deepEqual(
      (await scene.readAttestations()).map(({ size }) => size),
      [2],
    );
    const { report } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.deepEqual(report.log?.gaps, { 'cosignature of w1.example': 1 });
  });

  test('are refused, and the gap is shown, if the witness knows a longer or another log', async () => {
    await using scene = await open();
    await scene.addTenant();
    first().size = 9;
    await scene.run();
    assert.deepEqual(first().statuses, [409]);
    assert.match(
      String(await scene.readFaults()),
      /has cosigned a checkpoint of 9 leaves, but the log has 1: the database was rolled back/,
    );
    scene.clock.advance(hour);
    Object.assign(first(), { size: 1, root: Buffer.alloc(32) });
    await scene.append(await scene.addTenant());
    await scene.run();
    assert.deepEqual(first().statuses, [409, 409, 422]);
    assert.match(String(await scene.readFaults()), /rejected the consistency proof/);
    assert.deepEqual(await scene.readAttestations(), []);
  });

  const wrong: Readonly<
    Record<string, readonly [(response: ServerResponse, cosign: () => string) => unknown, RegExp]>
  > = {
    'a status': [(response) => response.writeHead(500).end(), /status 500/],
    'an unknown log': [(response) => response.writeHead(404).end(), /status 404/],
    'no cosignature': [(response) => response.end('ok'), /without a valid cosignature/],
    '409 without a size': [
      (response) => response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('1e3\n'),
      /without the size/,
    ],
    '409 of another type': [
      (response) => response.writeHead(409, { 'Content-Type': 'text/html' }).end('1\n'),
      /without the size/,
    ],
    'a cosignature of another key': [
      (response) => response.end(first().cosign('x\n1\ny\n\n', newKey())),
      /without a valid cosignature/,
    ],
    'a cosignature of another checkpoint': [
      (response) => response.end(first().cosign('x\n1\ny\n\n')),
      /without a valid cosignature/,
    ],
    'too much': [(response) => response.end('x'.repeat(100_000)), /more than 65536 bytes/],
  };
  for (const [name, [misbehave, fault]] of Object.entries(wrong))
    test(`are not stored if the answer is ${name}, and the other witness is not affected`, async () => {
      await using scene = await open(2);
      await scene.addTenant();
      first().misbehave = misbehave;
      await scene.run();
      const faults = await scene.readFaults();
      assert.match(String(faults.find((one) => one !== null)), fault);
      assert.deepEqual(
        (await scene.readAttestations()).map(({ source }) => source),
        [witnesses[1]?.vkey],
      );
      first().misbehave = null;
      scene.clock.advance(hour);
      await scene.run();
      assert.equal((await scene.readAttestations()).length, 2);
      assert.deepEqual(await scene.readFaults(), [null, null]);
    });

  test('are found among those of other keys', async () => {
    await using scene = await open();
    await scene.addTenant();
    first().misbehave = (response, cosign) => response.end(`${witnesses[1]?.cosign('x\n1\ny\n\n')}${cosign()}`);
    await scene.run();
    assert.equal((await scene.readAttestations()).length, 1);
  });

  test('end when a witness is too slow', async () => {
    await using scene = await open(1, 300);
    await scene.addTenant();
    first().misbehave = () => undefined;
    await scene.run();
    assert.match(String(await scene.readFaults()), /timed out/);
  });

  test('are rejected, and reported if stored, if their time is more than ten minutes before the checkpoint', async () => {
    await using scene = await open();
    await scene.addTenant();
    first().delay = -601;
    await scene.run();
    assert.match(
      String(await scene.readFaults()),
      /time before that of the checkpoint: the clock of this server is ahead/,
    );
    assert.deepEqual(await scene.readAttestations(), []);
    const { size = 0, note = '' } = (await findLogCheckpoint(scene.queries)) ?? {};
    const row = { kind: 'cosignature', size, source: first().vkey, content: first().cosign(note).trim() };
    const at = '2026-11-21T11:49:59.000Z';
    await scene.database.kysely
      .insertInto('log_attestations')
      .values({ ...row, at })
      .execute();
    const { code, lines } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.equal(code, 1);
    assert.ok(lines.some((line) => /✗ .*its time, 2026-11-21T11:49:59.000Z, is before that of/.test(line)));
    await tamper(scene.database, (changed) => changed.deleteFrom('log_attestations').execute());
    first().delay = -600;
    scene.clock.advance(hour);
    await scene.run();
    assert.equal((await scene.readAttestations()).length, 1);
    assert.equal((await runVerify(scene.installation, {}, scene.clock.now)).code, 0);
  });

  test('may be missing for a day; then verification reports that the quorum was not checked', async () => {
    await using scene = await open();
    await scene.addTenant();
    first().misbehave = (response) => response.destroy();
    await scene.run();
    scene.clock.advance(24 * hour - 1);
    const verify = async () => {
      const { code, lines, report } = await runVerify(scene.installation, {}, scene.clock.now);
      const line = lines.find((one) => one.includes('have no quorum of cosignatures'));
      return [code, line?.[0] ?? null, report.findings.map(({ kind, about }) => `${kind} ${about}`)];
    };
    assert.deepEqual(await verify(), [0, '•', []]);
    scene.clock.advance(1);
    assert.deepEqual(await verify(), [3, '?', ['unchecked witness']]);
    // One for a later checkpoint covers the older ones, also those after an earlier one that had it.
    for (const misbehave of [null, first().misbehave, null]) {
      Object.assign(first(), { misbehave });
      await scene.addTenant();
      await scene.run();
      scene.clock.advance(24 * hour);
    }
    assert.deepEqual(await verify(), [0, null, []]);
  });

  test('of keys that the policy does not name count for nothing, and are reported as not checked', async () => {
    await using scene = await open(2);
    await scene.addTenant();
    await scene.run();
    const [kept, removed] = witnesses as readonly [TestWitness, TestWitness];
    writeFileSync(policy, `witness w0 ${kept.vkey} ${kept.url}\nquorum w0\n`);
    const { code, lines, report } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.deepEqual([code, report.findings.map(({ kind, about }) => `${kind} ${about}`)], [3, ['unchecked witness']]);
    assert.ok(lines.some((line) => line.includes(`1 cosignatures with the key ${removed.vkey}`)));
    assert.deepEqual([report.log?.cosignatures, report.log?.gaps], [1, { 'cosignature of w1.example': 0 }]);
    writeFileSync(policy, `witness w0 ${kept.vkey} ${kept.url}\nwitness w1 ${removed.vkey}\nquorum w0\n`);
    assert.equal((await runVerify(scene.installation, {}, scene.clock.now)).code, 0);
    // No cosignature of another key makes up the quorum.
    writeFileSync(policy, `witness w1 ${writeKey('w1.example', 4, Buffer.alloc(32, 7))}\nquorum w1\n`);
    scene.clock.advance(24 * hour);
    const other = await runVerify(scene.installation, {}, scene.clock.now);
    assert.equal(other.report.findings.length, 3, other.lines.join('\n'));
    assert.ok(other.lines.some((line) => /^\? .*have no quorum/.test(line)));
  });

  test('a changed or moved cosignature is reported', async () => {
    await using scene = await open();
    await scene.addTenant();
    await scene.run();
    const [row] = await scene.readAttestations();
    assert.ok(row);
    const bytes = Buffer.from(row.content.split(' ')[2] as string, 'base64');
    bytes[20] = (bytes[20] as number) ^ 1;
    for (const change of [
      { at: '2020-01-01T00:00:00.000Z' },
      { source: (witnesses[1] as TestWitness).vkey },
      { size: 7 },
      { kind: 'timestamp' },
      { content: '' },
      { content: `\u2014 w1.example ${bytes.toString('base64')}` },
    ]) {
      await tamper(scene.database, (changed) => changed.updateTable('log_attestations').set(change).execute());
      assert.equal((await runVerify(scene.installation, {}, scene.clock.now)).code, 1, JSON.stringify(change));
      await tamper(scene.database, (changed) => changed.updateTable('log_attestations').set(row).execute());
    }
    assert.equal((await runVerify(scene.installation, {}, scene.clock.now)).code, 0);
  });
});

describe('a policy of witnesses', () => {
  const keys = Array.from({ length: 4 }, (_, index) => writeKey(`w${index}`, 4, Buffer.alloc(32, index + 1)));
  const [a, b, c, d] = keys as [string, string, string, string];

  test('says which cosignatures are enough', () => {
    const policy = parsePolicy(
      `# comment\n\nlog anything\nwitness A ${a} https://a.example/x\n\twitness  B\t${b}\nwitness C ${c}\nwitness D ${d}\n` +
        'group two 2 A B C\ngroup D-any any D\ngroup both all two D-any\nquorum both\n',
    );
    assert.deepEqual(
      policy.witnesses.map(({ url }) => url),
      ['https://a.example/x', null, null, null],
    );
    for (const [cosigned, isMet] of [
      [[a, b, d], true],
      [[a, d], false],
      [[a, b, c], false],
      [[], false],
    ] as const)
      assert.equal(policy.isMet(new Set(cosigned)), isMet, String(cosigned));
    assert.equal(parsePolicy('quorum none\n').isMet(new Set()), true);
  });

  for (const [name, text, issue] of [
    ['without a quorum', '', /quorum is missing/],
    ['with two', 'quorum none\nquorum none', /line 2: there must be one/],
    ['of an unknown name', 'quorum A', /line 1: A is not defined/],
    ['with an unknown word', 'witnesses A', /is not log, witness, group or quorum/],
    [
      'with a key of another type',
      `witness A ${writeKey('a', 1, Buffer.alloc(32, 9))}`,
      /not one for Ed25519 cosignatures/,
    ],
    ['with a changed key', `witness A ${a.replace('+', 'x+')}`, /not one for Ed25519 cosignatures/],
    [
      'with a key twice',
      `witness A ${a}\nwitness B ${writeKey('x', 4, Buffer.alloc(32, 1))}`,
      /key is already that of another/,
    ],
    ['with a name twice', `witness A ${a}\nwitness A ${b}`, /used twice/],
    ['with the name none', `witness none ${a}`, /used twice/],
    ['with an address that is not an http URL', `witness A ${a} ftp://x`, /must be an http or https URL/],
    ['with an address with a password', `witness A ${a} http://u:p@x`, /must be an http or https URL/],
    ['with a threshold of 0', `witness A ${a}\ngroup G 0 A`, /threshold/],
    ['with a threshold above its members', `witness A ${a}\ngroup G 2 A`, /threshold/],
    ['with a member in two groups', `witness A ${a}\ngroup G 1 A\ngroup H 1 A`, /two groups/],
    ['with control characters', 'quorum none\r', /control character/],
  ] as const)
    test(`is refused ${name}`, () => {
      assert.throws(() => parsePolicy(text), { name: 'InvalidPolicy', message: issue });
    });
});
