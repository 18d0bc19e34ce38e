import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { deriveSecrets } from '../../installation/installation.ts';
import { nameLogKey } from '../../ledger/installation-log.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { capture, payload } from '../consent/helpers.ts';
import { base, ControlClient } from '../controls/helpers.ts';
import { evidenceItem } from '../controls/samples.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { type CheckedTable, changeRow, logTables, type Row, readRows } from '../ledger/tamper.ts';
import { TestWitness } from './test-witness.ts';
import { TestAuthority } from './timestamp-authority.ts';

const secret = 'a secret of 32 characters or more';

/**
 * Rows whose columns are each checked by themselves. Of the other tables, rows are hashed as a whole; a row of
 * control_evidence_files only reserves space: the bytes are compared with the row of the evidence.
 */
const tables: readonly CheckedTable[] = [
  ...(['consent_records', 'record_templates', 'consent_notice_versions', 'consent_notice_texts'] as const),
  ...(['audit_events', 'audit_openings', 'chain_heads', 'checkpoints', 'merkle_tiles'] as const),
  ...(Object.keys(logTables) as CheckedTable[]),
  'control_evidence_chunks',
];

// Both databases give a value as it was stored: `verify-columns` changes each column on both.
describe('one changed byte of each column', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-encodings-'));
  let server: TestServer;
  let authority: TestAuthority;
  let witness: TestWitness;
  before(async () => {
    authority = await TestAuthority.start();
    witness = await TestWitness.start('w1.example', nameLogKey(deriveSecrets(secret).signer.verifier));
    const policy = join(folder, 'policy');
    writeFileSync(policy, `witness w1 ${witness.vkey} ${witness.url}\nquorum w1\n`);
    const outside = { SVC_TIMESTAMP_URL: authority.url, SVC_TIMESTAMP_CA: authority.caFile };
    server = await startTestServer('sqlite', { SVC_SECRET: secret, SVC_WITNESS_POLICY: policy, ...outside });
    await fill();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
    await witness[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  /** Records of which one is erased, an evidence file, and a log with a timestamp and a cosignature. */
  async function fill(): Promise<void> {
    const { installation, clock, tenant } = server;
    const notice = await server.createNotice();
    for (const subjectId of ['erased', 'kept']) {
      payload(
        await capture(server, notice, { subjectId, ip: '192.0.2.7', ua: 'Browser', purposes: { analytics: true } }),
      );
    }
    const reason = { reason: 'Asked for it' };
    payload(await server.request('POST', '/v1/consent/subjects/erased/erase', { body: reason }), 200);
    const address = { email: 'erased@example.com', role: 'auditor' } as const;
    const { userId } = await server.createMember(address);
    payload(await server.request('POST', `/v1/users/${userId}/erase`, { body: reason }), 200);
    payload(await server.request('POST', '/v1/users/invitations', { body: { ...address, email: 'kept@example.com' } }));
    const control = await new ControlClient(server, tenant).create();
    const about = new URLSearchParams({ ...evidenceItem, name: 'visitors.txt' });
    const file = await server.request('POST', `${base}/controls/${control}/evidence/files?${about}`, {
      rawBody: 'Everyone who came',
      headers: { 'Content-Type': 'text/plain' },
    });
    payload(file);
    assert.ok(await removeRemains(installation.database));
    const keeper = new CheckpointKeeper({ ...installation, interval: 1, log: pino({ level: 'silent' }) });
    while (await keeper.step(clock.now()));
    await new LogKeeper(installation).step(clock.now());
    assert.equal((await verifyNow()).code, 0, (await verifyNow()).lines.join('\n'));
  }

  const verifyNow = () => runVerify(server.installation, {}, server.clock.now);

  for (const table of tables)
    test(`${table}: in its middle and at its end, and as the same value in another encoding`, async () => {
      const { database } = server.installation;
      const rows = await readRows(database, table);
      assert.ok(rows.length > 0);
      const missed: string[] = [];
      for (const [column, row] of chooseRows(rows))
        for (const value of listChanges(row[column] ?? null)) {
          const changed = { ...row, [column]: value };
          await changeRow(database, table, row, changed).then(
            async () => {
              const { code } = await verifyNow();
              if (code !== 1) missed.push(`${code}: ${column} = ${show(row[column])} -> ${show(value)}`);
              await changeRow(database, table, changed, row);
            },
            // Another row has the key.
            (error: Error) => assert.match(error.message, /unique/i),
          );
        }
      assert.deepEqual(missed, []);
      assert.equal((await verifyNow()).code, 0);
    });
});

/** For each column the first and the last row with a value: one is erased, the other is not. */
function* chooseRows(rows: readonly Row[]): Generator<readonly [column: string, row: Row]> {
  for (const column of Object.keys(rows[0] as Row)) {
    const filled = rows.filter((row) => row[column] !== null);
    for (const row of new Set([filled[0] ?? rows[0], filled.at(-1) ?? rows.at(-1)])) yield [column, row as Row];
  }
}

/** A value with one byte changed, and the same in another writing: of base64, of hex, and with a blank. */
function* listChanges(value: Row[string]): Generator<NonNullable<Row[string]>> {
  if (value === null) yield '0';
  else if (typeof value === 'number') yield value + 1;
  else if (typeof value !== 'string')
    for (const position of [value.length >> 1, value.length - 1])
      yield value.map((byte, index) => (index === position ? byte ^ 1 : byte)) as Buffer;
  else {
    for (const position of new Set([value.length >> 1, Math.max(value.length - 1, 0)]))
      yield `${value.slice(0, position)}${value[position] === '0' ? '1' : '0'}${value.slice(position + 1)}`;
    // The last character of base64 has bits that belong to no byte.
    const [, start, last, end] = /^(.*)([A-Za-z0-9+/_-])(=*\s*)$/s.exec(value) ?? [];
    const same = [...alphabet].find((other) => other !== last && decode(`${start}${other}${end}`) === decode(value));
    if (same !== undefined) yield `${start}${same}${end}`;
    if (/^[0-9a-f]*[a-f][0-9a-f]*$/.test(value)) yield value.toUpperCase();
    if (value.endsWith('=')) yield value.slice(0, -1);
    yield `${value} `;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function decode(text: string): string {
  return Buffer.from(text.trim().split(/\s/).at(-1) as string, 'base64').toString('hex');
}

function show(value: unknown): string {
  return JSON.stringify(String(value).slice(-60));
}
