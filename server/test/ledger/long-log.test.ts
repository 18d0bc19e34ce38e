import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Installation } from '../../installation/installation.ts';
import { AnchorLog } from '../../ledger/anchor-log.ts';
import { nameOrigin, writeCheckpoint } from '../../ledger/checkpoint.ts';
import { anchorCheckpoints, stateRestore } from '../../ledger/checkpoint-store.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { runTransaction } from '../../storage/database.ts';
import { openTestInstallation, TestClock } from '../harness.ts';
import { appendOne, signNow } from './exported.ts';

const { hash, verify } = crypto;
let checked = 0;
/** Notes that were named, to compare the log with the database one by one. */
let named = 0;
crypto.hash = ((algorithm: string, data: string | Buffer, encoding: 'base64') => {
  if (data.toString().startsWith('svc-')) named += 1;
  return hash(algorithm, data, encoding);
}) as typeof hash;
crypto.verify = ((...words: Parameters<typeof verify>) => {
  checked += 1;
  return verify(...words);
}) as typeof verify;
syncBuiltinESMExports();

// Verifying a signature takes a hundred times as long as reading a record, and a log may have millions of records.
describe('a log with many checkpoints of few ledgers', () => {
  const clock = new TestClock();
  const checkpoints = 20;
  let installation: Installation;
  let tenants: readonly string[];
  before(async () => {
    installation = await openTestInstallation('sqlite');
    const make = (slug: string) =>
      runTransaction(installation.database, clock.now(), (tx) => createTenant(tx, { slug, name: slug }));
    tenants = [(await make('one')).id, (await make('two')).id];
    for (let number = 0; number < checkpoints; number += 1) for (const tenantId of tenants) await sign(tenantId);
  });
  after(() => installation[Symbol.asyncDispose]());
  beforeEach(() => {
    checked = 0;
    named = 0;
  });

  const ofAudit = (tenantId: string) => ({ tenantId, ledger: 'audit' }) as const;
  const sign = async (tenantId: string) => {
    await appendOne(installation, tenantId, clock.now(), 'text');
    return signNow(installation, ofAudit(tenantId), clock.now());
  };
  const text = () => readFileSync(installation.anchors.file, 'utf8');
  const newestSize = (anchors: AnchorLog, tenantId: string) => anchors.latest(ofAudit(tenantId))?.size;
  /** Work of a server with the log at startup. */
  const start = async () => {
    const anchors = new AnchorLog(installation.anchors.file, installation.signer.verifier);
    const { database, signer } = installation;
    assert.deepEqual(await anchorCheckpoints(database.kysely, { signer, anchors }, true), []);
    return anchors;
  };

  test('is read at startup with one signature check per ledger, and not changed', async () => {
    const before = text();
    const anchors = await start();
    assert.deepEqual([checked, named], [tenants.length, 0]);
    assert.equal(text(), before);
    for (const tenantId of tenants) assert.equal(newestSize(anchors, tenantId), await signedSize(tenantId));
  });

  test('is read the same way after a restore', async () => {
    const { database, signer, anchors } = installation;
    await stateRestore(database, { signer, anchors }, clock.now());
    for (const tenantId of tenants) await sign(tenantId);
    checked = 0;
    named = 0;
    const before = text();
    await start();
    // The statement, and the newest checkpoint of each ledger.
    assert.deepEqual([checked, named], [1 + tenants.length, 0]);
    assert.equal(text(), before);
  });

  test('gets a removed checkpoint back, once', async () => {
    const [tenantId = ''] = tenants;
    const { note } = await sign(tenantId);
    await sign(tenantId);
    const before = text();
    assert.ok(before.includes(`${note}\n`));
    writeFileSync(installation.anchors.file, before.replace(`${note}\n`, ''));
    for (let starts = 0; starts < 2; starts += 1) {
      checked = 0;
      const anchors = await start();
      assert.equal(text().split(`${note}\n`).length - 1, 1);
      assert.equal(newestSize(anchors, tenantId), await signedSize(tenantId), 'it is not the newest');
      assert.ok(checked <= 3 + tenants.length, `${checked} checks`);
    }
  });

  test('is read with every signature check if an unsigned record claims to be the newest of a ledger', async () => {
    const [tenantId = ''] = tenants;
    const { name } = installation.signer.verifier;
    const stranger = new NoteSigner('the secret of another installation');
    const origin = nameOrigin(name, tenantId, 'audit');
    const forged = { origin, size: 1_000_000, rootHash: Buffer.alloc(32).toString('base64'), at: clock.now() };
    appendFileSync(installation.anchors.file, `${stranger.sign(writeCheckpoint(forged))}\n`);
    const anchors = new AnchorLog(installation.anchors.file, installation.signer.verifier);
    anchors.open();
    assert.equal(newestSize(anchors, tenantId), await signedSize(tenantId));
    assert.ok(checked > checkpoints);
  });

  const signedSize = async (tenantId: string) => {
    const row = await installation.database.kysely
      .selectFrom('checkpoints')
      .select(({ fn }) => fn.max('size').as('size'))
      .where('tenant_id', '=', tenantId)
      .where('ledger', '=', 'audit')
      .executeTakeFirstOrThrow();
    return row.size;
  };
});
