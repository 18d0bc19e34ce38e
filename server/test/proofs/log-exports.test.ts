import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { verifyExport as verifyInBrowser } from '../../../packages/node-sdk/src/ledger/browser.ts';
import {
  type AttestationOptions,
  LedgerVerificationError,
  openCheckpoint,
  verifyExport,
} from '../../../packages/node-sdk/src/ledger/index.ts';
import { exportVerify } from '../../cli/export.ts';
import { deriveSecrets } from '../../installation/installation.ts';
import type { LedgerOf } from '../../ledger/entry.ts';
import { nameLogKey } from '../../ledger/installation-log.ts';
import { openTimestamp } from '../../ledger/timestamp.ts';
import { describeOnEachDatabase } from '../harness.ts';
import { exportText, signNow } from '../ledger/exported.ts';
import { hour, openLog } from './log-scene.ts';
import { TestWitness, writeKey } from './test-witness.ts';
import { TestAuthority } from './timestamp-authority.ts';

const secret = 'a secret of 32 characters or more';
const { signer } = deriveSecrets(secret);
const publicKey = signer.verifierKey;

describeOnEachDatabase('exports with the log of the installation', (dialect) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-export-'));
  let authority: TestAuthority;
  let witnesses: readonly [TestWitness, TestWitness];
  before(async () => {
    authority = await TestAuthority.start();
    authority.makeAuthority('other');
    const logKey = nameLogKey(signer.verifier);
    witnesses = [await TestWitness.start('w1.example', logKey), await TestWitness.start('w2.example', logKey)];
  });
  after(async () => {
    for (const one of [authority, ...witnesses]) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** A ledger whose first 3 entries the attested log covers, with two more. */
  async function open() {
    authority.misbehave = null;
    for (const witness of witnesses) Object.assign(witness, { size: 0, misbehave: null });
    const policy = join(folder, 'policy');
    const lines = witnesses.map(({ vkey, url }, index) => `witness w${index} ${vkey} ${url}`);
    writeFileSync(policy, `${lines.join('\n')}\ngroup all all w0 w1\nquorum all\n`);
    const scene = await openLog(dialect, {
      SVC_SECRET: secret,
      SVC_TIMESTAMP_URL: authority.url,
      SVC_TIMESTAMP_CA: authority.caFile,
      SVC_WITNESS_POLICY: policy,
    });
    const of = await scene.addTenant();
    await scene.addTenant();
    for (let count = 0; count < 2; count += 1) await scene.append(of);
    const early = await exportNow(scene, of);
    await scene.run();
    scene.clock.advance(hour / 2);
    for (let count = 0; count < 2; count += 1) await scene.append(of);
    return { ...scene, of, early, policy, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
  }
  const exportNow = async (
    { installation, clock }: Pick<Awaited<ReturnType<typeof openLog>>, 'installation' | 'clock'>,
    of: LedgerOf,
    from: string | null = null,
  ) => exportText(installation, of, await signNow(installation, of, clock.now()), { from });
  const keys = () => witnesses.map(({ vkey }) => vkey);
  const trust = (file = authority.caFile) => {
    const authorities = [readFileSync(file, 'utf8')];
    return async (text: string, response: Uint8Array) =>
      (await openTimestamp(response, { text, nonce: null, authorities })).at;
  };
  const verify = (text: string, options: AttestationOptions) => verifyExport(text, { publicKey, ...options });
  const findCode = async (text: string, options: AttestationOptions): Promise<string | null> =>
    verify(text, options).then(
      () => null,
      (error: unknown) => {
        assert.ok(LedgerVerificationError.isInstance(error), String(error));
        return error.code;
      },
    );

  test('prove who attested the log and when, with all entries or a range', async () => {
    await using scene = await open();
    for (const from of [null, scene.clock.now()]) {
      const text = await exportNow(scene, scene.of, from);
      for (const verifyOne of [verifyExport, verifyInBrowser]) {
        const { log, checkpoint, first } = await verifyOne(text, {
          publicKey,
          witnesses: keys(),
          verifyTimestamp: trust(),
        });
        assert.deepEqual([checkpoint.size, first], [5, from === null ? 1 : 3]);
        assert.deepEqual(
          { ...log, timestampedAt: null },
          {
            size: 3,
            at: '2026-11-21T12:00:00.000Z',
            log: { size: 2, at: '2026-11-21T12:00:00.000Z' },
            cosignatures: keys().map((witness) => ({ witness, at: '2026-11-21T12:01:00.000Z' })),
            timestampedAt: null,
          },
        );
        const [attestation] = (await scene.readAttestations()).filter(({ kind }) => kind === 'timestamp');
        assert.equal(log?.timestampedAt, attestation?.at);
      }
      const { log } = await verify(text, {});
      assert.deepEqual([log?.size, log?.cosignatures, log?.timestampedAt], [3, [], null]);
    }
  });

  test('are rejected without the required cosignatures or timestamp', async () => {
    await using scene = await open();
    const text = await exportNow(scene, scene.of);
    const unknown = writeKey('unknown.example', 4, Buffer.alloc(32, 7));
    const witnesses = [...keys(), unknown];
    assert.equal(await findCode(text, { witnesses }), 'cosignatures_missing');
    assert.equal(await findCode(text, { witnesses, quorum: 3 }), 'cosignatures_missing');
    for (const quorum of [2, 0, (cosigned: ReadonlySet<string>) => cosigned.has(keys()[0] as string)])
      assert.equal((await verify(text, { witnesses, quorum })).log?.cosignatures.length, 2);
    assert.equal(await findCode(text, { witnesses, quorum: (one) => one.has(unknown) }), 'cosignatures_missing');
    assert.equal(await findCode(text, { witnesses: ['x'] }), 'key_invalid');
    for (const quorum of [4, -1, 1.5])
      await assert.rejects(verify(text, { witnesses, quorum }), { name: 'ConfigurationError' });
    const other = join(authority.folder, 'other.pem');
    assert.equal(await findCode(text, { verifyTimestamp: trust(other) }), 'timestamp_invalid');
    assert.equal(await findCode(text, { verifyTimestamp: () => 'never' }), 'timestamp_invalid');
    // One that was made before the log had the ledger.
    assert.equal((await verify(scene.early, {})).log, null);
    assert.equal(await findCode(scene.early, { witnesses: keys() }), 'cosignatures_missing');
    assert.equal(await findCode(scene.early, { verifyTimestamp: trust() }), 'timestamp_missing');
    const [header = '', ...lines] = text.split('\n');
    const edit = (change: object) => {
      const parsed = JSON.parse(header);
      return [JSON.stringify({ ...parsed, log: { ...parsed.log, ...change } }), ...lines].join('\n');
    };
    assert.equal(await findCode(edit({ timestamp: null }), { verifyTimestamp: trust() }), 'timestamp_missing');
    assert.equal(await findCode(edit({ timestamp: 'AAAA' }), { verifyTimestamp: trust() }), 'timestamp_invalid');
  });

  test('are rejected for a change rather than for a missing cosignature or timestamp', async () => {
    await using scene = await open();
    const text = await exportNow(scene, scene.of);
    const required = [
      { witnesses: [...keys(), writeKey('unknown.example', 4, Buffer.alloc(32, 7))] },
      { verifyTimestamp: trust(join(authority.folder, 'other.pem')) },
    ];
    const fault = (text: string, options: AttestationOptions) =>
      verify(text, options).then(
        () => null,
        (error: LedgerVerificationError) => `${error.code} ${error.line}`,
      );
    for (const whole of [text, scene.early]) {
      const lines = whole.split('\n');
      for (const options of [...required, { witnesses: keys(), verifyTimestamp: trust() }]) {
        const changed = lines.with(2, (lines[2] as string).replace('thing.done', 'thing.gone'));
        assert.notDeepEqual(changed, lines);
        assert.equal(await fault(changed.join('\n'), options), 'hash_mismatch 3');
        assert.equal(await fault(lines.toSpliced(-2, 1).join('\n'), options), `entry_missing ${lines.length - 1}`);
      }
    }
    assert.equal(await fault(text, required[0] as AttestationOptions), 'cosignatures_missing 1');
    assert.equal(await fault(text, required[1] as AttestationOptions), 'timestamp_invalid 1');
    // A witness that does not attest the log does not take the time of another away.
    scene.clock.advance(-hour);
    await scene.append(scene.of);
    assert.match(
      `${await fault(await exportNow(scene, scene.of), required[0] as AttestationOptions)}`,
      /^time_implaus/,
    );
    // An invalid timestamp is a change too.
    const verifyTimestamp = () => 'never';
    assert.equal(await fault(text, { ...required[0], verifyTimestamp }), 'timestamp_invalid 1');
  });

  test('are rejected with a time that is clearly before that of the checkpoint', async () => {
    await using scene = await open();
    const text = await exportNow(scene, scene.of);
    const verifyTimestamp = (at: string) => () => at;
    assert.equal(
      await findCode(text, { verifyTimestamp: verifyTimestamp('2026-11-21T11:49:59.999Z') }),
      'time_implausible',
    );
    assert.equal(await findCode(text, { verifyTimestamp: verifyTimestamp('2026-11-21T11:50:00.000Z') }), null);
    // An entry that the attested checkpoint does not cover cannot be much older than it.
    scene.clock.advance(-hour);
    await scene.append(scene.of);
    const backdated = await exportNow(scene, scene.of);
    assert.equal(await findCode(backdated, {}), null);
    assert.equal(await findCode(backdated, { witnesses: keys() }), 'time_implausible');
  });

  test('are rejected with a proof of the log that was changed, or is that of another ledger', async () => {
    await using scene = await open();
    // A range after the entries that the log covers, so that nothing else shows that the ledger extends them.
    scene.clock.advance(1);
    await scene.append(scene.of);
    const text = await exportNow(scene, scene.of, scene.clock.now());
    const [header = '', ...lines] = text.split('\n');
    const { log, ...rest } = JSON.parse(header);
    const find = (changed: object, options: AttestationOptions = {}) =>
      findCode([JSON.stringify({ ...rest, log: changed }), ...lines].join('\n'), options);
    const other = JSON.parse((await exportNow(scene, { ...(await scene.addTenant()) })).split('\n')[0] as string);
    assert.equal(other.log, null);
    const flip = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    const [witnessLine = ''] = log.note.split('\n').filter((line: string) => line.includes(' w1.example '));
    for (const [changed, code, options] of [
      [{ ...log, checkpoint: log.note }, 'proof_invalid'],
      [{ ...log, checkpoint: rest.checkpoint }, 'proof_invalid'],
      [{ ...log, note: log.checkpoint }, 'checkpoint_not_signed'],
      [{ ...log, note: log.note.replace('\n2\n', '\n3\n') }, 'checkpoint_not_signed'],
      [{ ...log, index: log.index + 1 }, 'proof_invalid'],
      [{ ...log, index: 9 }, 'proof_invalid'],
      [{ ...log, hashes: [] }, 'proof_invalid'],
      [{ ...log, hashes: log.hashes.map(flip) }, 'proof_invalid'],
      [{ ...log, consistency: log.consistency.slice(1) }, 'history_rewritten'],
      [{ ...log, consistency: log.consistency.map(flip) }, 'history_rewritten'],
      [{ ...log, hashes: 1 }, 'line_malformed'],
      [{ ...log, more: 1 }, 'header_invalid'],
      [{ ...log, note: log.note.replace(`${witnessLine}\n`, '') }, 'cosignatures_missing', { witnesses: keys() }],
      [
        { ...log, note: log.note.replace(' w1.example ', ' w1.example2 ') },
        'cosignatures_missing',
        { witnesses: keys() },
      ],
    ] as const)
      assert.equal(await find(changed, options), code, JSON.stringify(changed).slice(0, 300));
    assert.ok(log.consistency.length > 0 && log.hashes.length > 0);
    // A proof of another ledger of the same installation.
    scene.clock.advance(hour);
    const second = await scene.addTenant();
    await scene.run();
    const foreign = JSON.parse((await exportNow(scene, second)).split('\n')[0] as string).log;
    assert.equal(await find(foreign), 'checkpoint_foreign');
  });

  test('have the state of the log with the most attestations among the newest', async () => {
    await using scene = await open();
    authority.misbehave = (_, response) => response.destroy();
    scene.clock.advance(hour / 2);
    await scene.run();
    const before = await verify(await exportNow(scene, scene.of), { witnesses: keys(), verifyTimestamp: trust() });
    assert.equal(before.log?.size, 3, 'its newest state has no timestamp');
    authority.misbehave = null;
    scene.clock.advance(hour);
    await scene.run();
    const newest = await verify(await exportNow(scene, scene.of), { witnesses: keys(), verifyTimestamp: trust() });
    assert.equal(newest.log?.size, 5);
    const { log } = JSON.parse((await exportNow(scene, scene.of)).split('\n')[0] as string);
    const opened = await openCheckpoint(log.note, { publicKey });
    assert.deepEqual([opened.tenantId, opened.ledger, opened.size], ['installation', 'log', 3]);
  });

  test('are verified by svc export verify against a policy and certificates', async () => {
    await using scene = await open();
    const files = { attested: await exportNow(scene, scene.of), early: scene.early };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const run = async (name: keyof typeof files, options: Record<string, string>) => {
      const said: string[] = [];
      const context = {
        options: { file: join(folder, name), key: publicKey, ...options },
        say: (line: string) => said.push(line),
        showProgress: () => undefined,
        result: () => undefined,
      };
      const code = await exportVerify.run(context as unknown as Parameters<typeof exportVerify.run>[0]);
      return { code, text: said.join('\n') };
    };
    const required = { 'witness-policy': scene.policy, 'timestamp-ca': authority.caFile };
    const attested = await run('attested', required);
    assert.equal(attested.code, 0, attested.text);
    for (const part of [
      'covers entries up to number 3',
      'timestamped this state',
      'w1.example cosigned',
      'w2.example cosigned',
    ])
      assert.ok(attested.text.includes(part), attested.text);
    assert.equal((await run('early', {})).code, 0);
    for (const [name, file] of Object.entries(required)) assert.equal((await run('early', { [name]: file })).code, 3);
    assert.match(
      (await run('early', required)).text,
      /line 1: 0 of 2 witnesses cosigned the log, which does not meet the policy$/,
    );
    assert.match((await run('early', { 'timestamp-ca': authority.caFile })).text, /line 1: the file has no timestamp$/);
    writeFileSync(join(folder, 'early'), scene.early.replace('thing.done', 'thing.gone'));
    assert.equal((await run('early', required)).code, 1);
    assert.equal((await run('attested', { 'timestamp-ca': join(authority.folder, 'other.pem') })).code, 3);
    const [header = '', ...lines] = files.attested.split('\n');
    const { log, ...rest } = JSON.parse(header);
    const changed = [JSON.stringify({ ...rest, log: { ...log, timestamp: 'AAAA' } }), ...lines].join('\n');
    writeFileSync(join(folder, 'attested'), changed);
    assert.equal((await run('attested', { 'timestamp-ca': authority.caFile })).code, 1);
    await assert.rejects(run('attested', { 'timestamp-ca': scene.policy }), { name: 'UsageError' });
  });

  test('are verified with the function of the documentation, which runs openssl', async () => {
    await using scene = await open();
    const page = readFileSync(join(import.meta.dirname, '../../../docs-site/pages/guides/proofs.md'), 'utf8');
    const [, code = ''] = /```js[^\n]*\n(\/\/ verify-timestamp\.js\n[^`]+?)```/s.exec(page) ?? [];
    const file = join(folder, 'verify-timestamp.mjs');
    writeFileSync(file, code);
    const { trustAuthority } = await import(pathToFileURL(file).href);
    const text = await exportNow(scene, scene.of);
    const { log } = await verify(text, { verifyTimestamp: trustAuthority(authority.caFile) });
    const { log: same } = await verify(text, { verifyTimestamp: trust() });
    assert.deepEqual(log, same);
    const other = trustAuthority(join(authority.folder, 'other.pem'));
    assert.equal(await findCode(text, { verifyTimestamp: other }), 'timestamp_invalid');
    await assert.rejects(trustAuthority(authority.caFile)('other text', Buffer.from('x')));
    const header = JSON.parse(text.split('\n')[0] as string);
    await assert.rejects(trustAuthority(authority.caFile)('other', Buffer.from(header.log.timestamp, 'base64')));
  });
});
