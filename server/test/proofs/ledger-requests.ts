import assert from 'node:assert/strict';
import type { NoticeContent } from '../../consent/notice.ts';
import { createNotice } from '../../consent/notice-changes.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import type { LedgerName } from '../../ledger/entry.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import { noticeContent, type TestServer, type TestTenant } from '../harness.ts';
import { appendOne } from '../ledger/exported.ts';
import { draftRecord } from '../ledger/fixture.ts';
import { readLedger } from '../ledger/tamper.ts';

/** Appends entries to a ledger, a second apart. */
export async function append(server: TestServer, tenantId: string, ledger: LedgerName, count: number): Promise<void> {
  const { installation, clock } = server;
  for (let number = 0; number < count; number += 1) {
    clock.advance(1000);
    if (ledger === 'audit') await appendOne(installation, tenantId, clock.now(), `thing ${number}`);
    else await appendManyRecords(server, tenantId, 1);
  }
}

/** Appends records concurrently, on the notice of the tenant. */
export async function appendManyRecords(
  { installation, clock }: Pick<TestServer, 'installation' | 'clock'>,
  tenantId: string,
  count: number,
) {
  const run = <Result>(step: (tx: Transaction) => Promise<Result>) =>
    runTransaction(installation.database, clock.now(), step);
  const content = noticeContent as unknown as NoticeContent;
  const notices = installation.database.kysely.selectFrom('consent_notices').select('id');
  const found = await notices.where('tenant_id', '=', tenantId).executeTakeFirst();
  const notice = found ?? (await run((tx) => createNotice(tx, systemSource(tenantId), content)));
  const subjects = Array.from({ length: count }, (_, number) => `subject ${number}`);
  const drafts = subjects.map((subject) => draftRecord(tenantId, notice.id, subject));
  return run((tx) => appendRecords(tx, drafts));
}

/** A checkpoint as the API returns it. */
export interface ShownCheckpoint {
  readonly ledger: LedgerName;
  readonly size: number;
  readonly rootHash: string;
  readonly at: string;
  readonly note: string;
}

/** Requests a checkpoint. */
export async function requestCheckpoint(
  server: TestServer,
  { key }: Pick<TestTenant, 'key'>,
  ledger: LedgerName,
): Promise<ShownCheckpoint> {
  const response = await server.request('POST', `/v1/ledgers/${ledger}/checkpoints`, { key });
  assert.equal(response.status, 201, response.text);
  return response.body.data;
}

/** The public key, requested without authentication. */
export async function fetchPublicKey(server: TestServer): Promise<string> {
  const response = await server.request('GET', '/.well-known/svc-ledger-key', { key: null });
  assert.equal(response.status, 200);
  return response.text;
}

/** The hashes of a ledger from its rows, oldest first. */
export async function readChain(server: TestServer, tenantId: string, ledger: LedgerName) {
  return readLedger(server.installation.database, { tenantId, ledger });
}
