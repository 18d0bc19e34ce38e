import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { Svc } from '../../../packages/node-sdk/src/index.ts';
import * as browser from '../../../packages/node-sdk/src/ledger/browser.ts';
import { writeKey } from '../../../packages/node-sdk/src/ledger/checkpoint.ts';
import * as node from '../../../packages/node-sdk/src/ledger/index.ts';
import { writeTlogProof } from '../../../packages/node-sdk/src/ledger/tlog-proof.ts';
import type { ConsistencyProof, InclusionProof } from '../../../packages/node-sdk/src/types/api.ts';
import { startServer } from '../../cli/server/start-server.ts';
import { RateLimiter } from '../../http/rate-limit.ts';
import type { Installation } from '../../installation/installation.ts';
import type { LedgerName } from '../../ledger/entry.ts';
import { extendLog } from '../../ledger/installation-log.ts';
import { readRotations, recordRotation } from '../../ledger/rotation-store.ts';
import { NoteSigner, textOf } from '../../ledger/signed-note.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import { runSvc } from '../cli/run-svc.ts';
import { allGranted, payload, visit } from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { append, requestCheckpoint, type ShownCheckpoint } from './ledger-requests.ts';

const keyPath = '/.well-known/svc-ledger-key';
const secret = 'the secret that follows the first one';
const platforms = [node, browser];

describeOnEachDatabase('proofs of before and after a rotation of the key', (dialect) => {
  /** With the first key, and with the second one on the same database. */
  let first: TestServer;
  let second: TestServer;
  let rotated: readonly string[];
  /** Signed with the first key. */
  let kept: Record<LedgerName, ShownCheckpoint>;
  let earliest: { readonly inclusion: InclusionProof; readonly export: string };
  /** With the second key, before anything was added. */
  let rightAfter: Record<LedgerName, string>;
  let keys: readonly string[];
  let recordId: string;
  let shown: string;
  const disposables = new AsyncDisposableStack();

  const run = <Result>(step: (tx: Transaction) => Promise<Result>) =>
    runTransaction(first.installation.database, first.clock.now(), step);
  const get = async (server: TestServer, path: string, { key }: Pick<TestTenant, 'key'> = first.tenant) => {
    const response = await server.request('GET', path, { key });
    assert.equal(response.status, 200, response.text);
    return response;
  };
  const prove = async <Proof>(server: TestServer, path: string, tenant?: TestTenant): Promise<Proof> =>
    (await get(server, `/v1/ledgers/${path}`, tenant)).body.data;
  const exportOf = async (server: TestServer, ledger: LedgerName, tenant?: TestTenant): Promise<string> =>
    (await get(server, `/v1/ledgers/${ledger}/export`, tenant)).text;

  /** A server with another key on the database of a server. */
  const serve = async (server: TestServer, signer: NoteSigner): Promise<TestServer> => {
    const installation: Installation = { ...server.installation, signer };
    const running = await startServer(installation, {
      log: pino({ level: 'silent' }),
      limiter: new RateLimiter(server.clock.milliseconds),
      checksResults: true,
      housekeeping: false,
      sends: false,
      serverLimits: { quiet: 0 },
    });
    disposables.use(running);
    const url = `http://127.0.0.1:${running.port}`;
    const request: TestServer['request'] = async (method, path, { key = server.tenant.key } = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: key === null ? {} : { Authorization: `Bearer ${key}` },
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const body = isJson && !path.endsWith('/export') ? JSON.parse(text) : null;
      return { status: response.status, headers: response.headers, body, text };
    };
    return { ...server, url, request, installation };
  };

  before(async () => {
    first = await startTestServer(dialect);
    disposables.use(first);
    const { installation, tenant } = first;
    const notice = await first.createNotice();
    shown = (await get(first, `/v1/public/consent/${notice}`)).text;
    const shownHash = createHash('sha256').update(shown).digest('hex');
    recordId = payload(await visit(first, notice, { shownHash, purposes: allGranted })).id;
    await append(first, tenant.id, 'consent', 3);
    await append(first, tenant.id, 'audit', 3);
    const audit = await requestCheckpoint(first, tenant, 'audit');
    kept = { consent: await requestCheckpoint(first, tenant, 'consent'), audit };
    await run((tx) => extendLog(tx, installation));
    earliest = {
      inclusion: await prove(first, 'consent/inclusion-proof?sequence=1'),
      export: await exportOf(first, 'consent'),
    };
    // Covered by the checkpoints that the rotation signs.
    await append(first, tenant.id, 'consent', 2);
    await run((tx) => recordRotation(tx, installation, new NoteSigner(secret)));
    const rotations = await readRotations(installation.database.kysely);
    second = await serve(first, new NoteSigner(secret, rotations));
    rightAfter = { consent: await exportOf(second, 'consent'), audit: await exportOf(second, 'audit') };
    keys = await Promise.all(
      [first, second].map(async (server) => (await server.request('GET', keyPath, { key: null })).text.trim()),
    );
    rotated = (await prove<InclusionProof>(second, 'consent/inclusion-proof?sequence=1')).rotations;
  });
  after(() => disposables.disposeAsync());

  const report = (text: string, options: Partial<node.VerifyExportOptions>, platform = node) =>
    platform.verifyExport(text, { publicKey: keys[1] as string, ...options });
  const isExport = async (text: string, checkpoint?: string) => {
    for (const platform of platforms)
      for (const publicKey of keys)
        assert.equal((await report(text, { publicKey, checkpoint }, platform)).publicKey, keys[1]);
  };
  const assertUnsigned = (action: Promise<unknown>) => assert.rejects(action, { code: 'checkpoint_not_signed' });

  test('the second key is another one of the same name, and the rotations lead to it', async () => {
    const [former, current] = keys as [string, string];
    assert.notEqual(former, current);
    assert.equal(former.split('+')[0], current.split('+')[0]);
    const { status, headers, text } = await second.request('GET', `${keyPath}-rotations`, { key: null });
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('cache-control'), 'public, max-age=3600');
    assert.match(
      text,
      /^svc-[0-9a-f]{12}\/installation\/log\nRotated: [^\n]+\n\d+ [^\n]+\nFrom: [^\n]+\nTo: [^\n]+\n\n(?:— [^\n]+\n){2}\n$/,
    );
    for (const { followKey } of platforms)
      for (const rotations of [[text], rotated]) assert.equal(await followKey(former, rotations), current);
    assert.equal((await second.request('POST', `${keyPath}-rotations`, { key: null })).status, 405);
  });

  test('a checkpoint of before opens with either key', async () => {
    for (const { openCheckpoint } of platforms)
      for (const publicKey of keys)
        assert.equal(
          (await openCheckpoint(kept.consent.note, { publicKey, rotations: rotated })).size,
          kept.consent.size,
        );
    await assertUnsigned(node.openCheckpoint(kept.consent.note, { publicKey: keys[1] as string }));
  });

  test('an export right after it has the checkpoint of the former key beside the current one', async () => {
    for (const ledger of ['consent', 'audit'] as const) {
      const text = rightAfter[ledger];
      const header = JSON.parse(text.slice(0, text.indexOf('\n')));
      assert.equal(header.verifierKey, keys[1]);
      assert.equal(header.rotations.length, 2);
      assert.notEqual(header.log, null);
      await isExport(text);
      await isExport(text, kept[ledger].note);
    }
    assert.deepEqual(earliest.inclusion.rotations, []);
  });

  test('an export with a rotation that was changed or made up does not verify', async () => {
    const text = rightAfter.consent;
    const { rotations } = JSON.parse(text.slice(0, text.indexOf('\n')));
    const [ofLog, ofLedger] = rotations as [string, string];
    const replace = (...others: readonly string[]) =>
      text.replace(JSON.stringify(rotations).slice(1, -1), JSON.stringify(others).slice(1, -1));
    assert.equal(replace(ofLog, ofLedger), text);
    const thief = new NoteSigner('the secret of someone who has the first one');
    const { signer } = first.installation;
    const to = writeKey(thief.named(signer.verifier.name));
    const theft = signer.sign(textOf(ofLedger).replace(/\nTo: .*/, `\nTo: ${to}`));
    for (const other of [
      ofLedger.replace('Rotated: 2026', 'Rotated: 2025'),
      `${ofLedger}\n`,
      ofLedger.replaceAll('\n', '\r\n'),
      thief.cosign(theft, signer.verifier.name),
      'nonsense',
    ])
      for (const platform of platforms)
        await assert.rejects(report(replace(ofLog, ofLedger, other), {}, platform), { code: 'header_invalid' });
    await assertUnsigned(report(replace(ofLog), {}));
  });

  test('an export and a proof of before verify with rotations that are given', async () => {
    const { inclusion, export: text } = earliest;
    const [former, current] = keys as [string, string];
    assert.equal((await report(text, { publicKey: former })).publicKey, former);
    await assertUnsigned(report(text, {}));
    const ofLog = await second.request('GET', `${keyPath}-rotations`, { key: null });
    await assertUnsigned(report(text, { rotations: [ofLog.text] }));
    for (const publicKey of keys)
      assert.equal((await report(text, { publicKey, rotations: rotated })).publicKey, current);
    const options = { proof: inclusion, hash: inclusion.hash, rotations: rotated };
    for (const { verifyInclusion } of platforms)
      for (const publicKey of keys) assert.equal((await verifyInclusion({ ...options, publicKey })).sequence, 1);
    await assertUnsigned(node.verifyInclusion({ ...options, publicKey: current, rotations: [] }));
    const { sequence, hashes, checkpoint, hash } = inclusion;
    const tlog = writeTlogProof({ index: sequence - 1, hashes, note: checkpoint.note });
    for (const { verifyTlogProof } of platforms)
      for (const publicKey of keys)
        assert.equal((await verifyTlogProof(tlog, { hash, publicKey, rotations: rotated })).size, checkpoint.size);
    await assertUnsigned(node.verifyTlogProof(tlog, { hash, publicKey: current }));
  });

  test('exports and proofs of after verify with either key, and continue what the former key signed', async () => {
    await append(second, first.tenant.id, 'consent', 3);
    const { note, size } = await requestCheckpoint(second, first.tenant, 'consent');
    await assertUnsigned(node.openCheckpoint(note, { publicKey: keys[0] as string }));
    await isExport(await exportOf(second, 'consent'), kept.consent.note);
    const record = payload(await second.request('GET', `/v1/consent/records/${recordId}`), 200);
    const proof = await prove<InclusionProof>(second, `consent/inclusion-proof?sequence=${record.sequence}`);
    const last = await prove<InclusionProof>(second, `consent/inclusion-proof?sequence=${size}`);
    const growth = await prove<ConsistencyProof>(second, `consent/consistency-proof?from=${kept.consent.size}`);
    for (const { verifyShown, verifyInclusion, verifyConsistency } of platforms)
      for (const publicKey of keys) {
        assert.equal((await verifyShown({ record, proof, publicKey })).checkpoint.size, size);
        assert.equal((await verifyInclusion({ proof: last, hash: last.hash, publicKey })).sequence, size);
        assert.equal((await verifyConsistency({ older: kept.consent.note, proof: growth, publicKey })).size, size);
      }
    const without = { ...growth, rotations: [] };
    for (const publicKey of keys)
      await assertUnsigned(node.verifyConsistency({ older: kept.consent.note, proof: without, publicKey }));
  });

  test('a ledger that is newer than the rotation is signed with the current key only', async () => {
    const tenant = await first.createTenant('younger');
    const { size } = await requestCheckpoint(second, tenant, 'audit');
    await isExport(await exportOf(second, 'audit', tenant));
    const proof = await prove<InclusionProof>(second, 'audit/inclusion-proof?sequence=1', tenant);
    assert.equal(proof.rotations.length, 1);
    for (const publicKey of keys)
      assert.equal((await node.verifyInclusion({ proof, hash: proof.hash, publicKey })).checkpoint.size, size);
    // A server that did not learn of the rotation still signs with the former key: that counts for nothing.
    await append(first, tenant.id, 'audit', 1);
    const { note } = await requestCheckpoint(first, tenant, 'audit');
    for (const publicKey of keys)
      await assertUnsigned(node.openCheckpoint(note, { publicKey, rotations: proof.rotations }));
  });

  test('verifyLedger goes on from the key and the checkpoint that were kept, and returns the current key', async () => {
    const svc = new Svc({ baseUrl: second.url, apiKey: first.tenant.key });
    try {
      for (const signFirst of [true, false]) {
        const options = { ledger: 'consent', keptCheckpoint: kept.consent.note, signFirst } as const;
        const verified = await node.verifyLedger(svc, { ...options, publicKey: keys[0] });
        assert.deepEqual([verified.publicKey, verified.isConsistent], [keys[1], true]);
        assert.equal((await node.verifyLedger(svc, { ...options, publicKey: verified.publicKey })).isConsistent, true);
      }
    } finally {
      await svc.close();
    }
  });

  test('svc export verify follows the key, and prints the one to keep', async () => {
    const folder = first.installation.settings.dataDir;
    const write = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const verify = (...words: readonly string[]) =>
      runSvc(['export', 'verify', ...words], { SVC_DATA_DIR: '/nowhere' });
    const [former, current] = keys as [string, string];
    const exported = write('export.jsonl', await exportOf(second, 'consent'));
    const earlier = write('earlier.jsonl', earliest.export);
    const note = write('note', kept.consent.note);
    const hint = `! The key in --key was rotated. Keep this one from now on: ${current}\n`;
    for (const key of keys) {
      const { code, stdout } = await verify('--file', exported, '--key', key, '--checkpoint', note);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /No entry that the earlier checkpoint .* covers was changed/);
      assert.equal(stdout.includes(hint), key === former, stdout);
      const json = JSON.parse((await verify('--file', exported, '--key', key, '--json')).stdout);
      assert.deepEqual([json.intact, json.publicKey], [true, current]);
    }
    const proof = { data: await prove<InclusionProof>(second, 'consent/inclusion-proof?sequence=1') };
    for (const rotations of [
      exported,
      write('proof.json', JSON.stringify(proof, null, 2)),
      write('notes', `\uFEFF${rotated.join('\n')}`),
    ]) {
      const words = ['--file', earlier, '--rotations', rotations, '--checkpoint', note];
      for (const key of keys) {
        const { code, stdout } = await verify(...words, '--key', key);
        assert.equal(code, 0, stdout);
        assert.equal(stdout.includes(hint), key === former, stdout);
      }
    }
    const older = await verify('--file', earlier, '--key', former, '--rotations', write('empty', ''));
    assert.deepEqual([older.code, older.stdout.includes('rotated')], [0, false]);
    const unled = await verify('--file', earlier, '--key', current);
    assert.deepEqual(
      [unled.code, unled.stdout],
      [
        1,
        `✗ ${earlier}, line 1: the checkpoint of the export is not signed with this key, nor with one that the rotations lead to\n`,
      ],
    );
    for (const [content, issue] of [
      ['nonsense', /contains no rotations/],
      ['{"data":{}}', /contains no rotations/],
      ['x'.repeat(5_000_000), /contains no rotations/],
    ] as const) {
      const refused = await verify('--file', earlier, '--key', former, '--rotations', write('wrong', content));
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, issue);
    }
    assert.equal((await verify('--file', earlier, '--key', former, '--rotations', join(folder, 'none'))).code, 2);
  });
});
