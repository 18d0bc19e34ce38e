import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findLogCheckpoint } from '../../ledger/installation-log.ts';
import { textOf } from '../../ledger/signed-note.ts';
import { createTimestampRequest, openTimestamp } from '../../ledger/timestamp.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { readSettings } from '../../settings.ts';
import { describeOnEachDatabase } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';
import { tamper } from '../ledger/tamper.ts';
import * as ambiguous from './ambiguous-token.ts';
import { hour, openLog } from './log-scene.ts';
import { TestAuthority } from './timestamp-authority.ts';

const send = (response: ServerResponse, body: Buffer | string, type = 'application/timestamp-reply', status = 200) =>
  response.writeHead(status, { 'Content-Type': type }).end(body);

describeOnEachDatabase('timestamps of the log', (dialect) => {
  let authority: TestAuthority;
  before(async () => {
    authority = await TestAuthority.start();
    authority.makeAuthority('other');
    authority.makeSigner('other', 'foreign', 'tsa');
  });
  after(() => authority[Symbol.asyncDispose]());
  const open = (respondWithin?: number) => {
    authority.misbehave = null;
    authority.requests = 0;
    const environment = { SVC_TIMESTAMP_URL: authority.url, SVC_TIMESTAMP_CA: authority.caFile };
    return openLog(dialect, environment, respondWithin);
  };

  test('are requested for each new checkpoint of the log, and openssl confirms them', async () => {
    await using scene = await open();
    const of = await scene.addTenant();
    await scene.run();
    await scene.run();
    assert.equal(authority.requests, 1, 'once for each checkpoint');
    const [first] = await scene.readAttestations();
    assert.ok(first);
    const checkpoint = await findLogCheckpoint(scene.queries);
    assert.ok(checkpoint);
    assert.equal(first.size, checkpoint.size);
    const token = Buffer.from(first.content, 'base64');
    // Throws unless openssl says "Verification: OK".
    authority.verify(token, textOf(checkpoint.note));
    assert.throws(() => authority.verify(token, `${textOf(checkpoint.note)}x`));
    scene.clock.advance(hour);
    await scene.append(of);
    await scene.run();
    assert.equal((await scene.readAttestations()).length, 2);
    const { code, report, lines } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.equal(code, 0, lines.join('\n'));
    assert.deepEqual([report.log?.timestamps, report.log?.gaps], [2, { timestamp: 0 }]);
  });

  test('are requested by one of several servers', async () => {
    await using scene = await open();
    await scene.addTenant();
    await scene.sign();
    await Promise.all([1, 2, 3].map(() => scene.openKeeper().step(scene.clock.now())));
    await scene.keeper.step(scene.clock.now());
    assert.equal(authority.requests, 1);
    assert.equal((await scene.readAttestations()).length, 1);
  });

  const wrong: Readonly<Record<string, readonly [(request: Buffer, response: ServerResponse) => unknown, RegExp]>> = {
    'a status': [(_, response) => send(response, '', 'text/plain', 503), /status 503/],
    'a redirect': [(_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(), /status 302/],
    'another content type': [
      (request, response) => send(response, authority.reply(request), 'text/html'),
      /content type/,
    ],
    'no token': [(_, response) => send(response, 'nothing'), /cannot be read/],
    nothing: [(_, response) => send(response, ''), /cannot be read/],
    'a refusal': [(_, response) => send(response, Buffer.from('30053003020102', 'hex')), /refused/],
    'more than 64 KiB': [(_, response) => send(response, Buffer.alloc(100_000)), /more than 65536 bytes/],
    'a token for another hash': [
      async (_, response) => send(response, authority.reply((await createTimestampRequest('other')).body)),
      /imprint of the token is not/,
    ],
    'a changed token': [
      (request, response) => {
        const reply = authority.reply(request);
        reply[reply.length - 1] = (reply[reply.length - 1] as number) ^ 1;
        send(response, reply);
      },
      /invalid/,
    ],
    'signed by an authority that is not configured': [
      (request, response) => send(response, authority.reply(request, 'foreign')),
      /invalid/,
    ],
    'a closed connection': [(_, response) => response.destroy(), /is unreachable/],
  };
  for (const [name, [misbehave, fault]] of Object.entries(wrong))
    test(`are not stored if the answer is ${name}; the gap is shown, and the next hour tries again`, async () => {
      await using scene = await open();
      await scene.addTenant();
      authority.misbehave = misbehave;
      await scene.run();
      await scene.run();
      assert.equal(authority.requests, 1, 'not tried again in the same hour');
      assert.deepEqual(await scene.readAttestations(), []);
      assert.match(String(await scene.readFaults()), fault);
      const { code, report } = await runVerify(scene.installation, {}, scene.clock.now);
      assert.deepEqual([code, report.log?.gaps], [0, { timestamp: 1 }]);
      authority.misbehave = null;
      scene.clock.advance(hour);
      await scene.run();
      assert.equal((await scene.readAttestations()).length, 1);
      assert.deepEqual(await scene.readFaults(), [null]);
    });

  test('are not stored if the token has the nonce of another request', async () => {
    await using scene = await open();
    await scene.addTenant();
    authority.misbehave = (request, response) => {
      // The same bytes with another nonce.
      const other = Buffer.from(request);
      const at = other.length - 4;
      other[at] = (other[at] as number) ^ 1;
      send(response, authority.reply(other));
    };
    await scene.run();
    assert.match(String(await scene.readFaults()), /nonce of the token is not/);
    assert.deepEqual(await scene.readAttestations(), []);
  });

  test('end when an authority is too slow, and delay neither checkpoints nor the log', async () => {
    await using scene = await open(300);
    await scene.addTenant();
    authority.misbehave = () => undefined;
    await scene.sign();
    const step = scene.keeper.step(scene.clock.now());
    await scene.append(await scene.addTenant());
    await scene.sign();
    await step;
    assert.match(String(await scene.readFaults()), /timed out/);
    assert.ok(await findLogCheckpoint(scene.queries));
  });

  test('end when the server stops', async () => {
    await using scene = await open(60_000);
    await scene.addTenant();
    const called = new Promise<void>((resolve) => {
      authority.misbehave = () => resolve();
    });
    await scene.sign();
    const step = scene.keeper.step(scene.clock.now());
    await called;
    scene.keeper.stop();
    await step;
    assert.match(String(await scene.readFaults()), /cancelled because the server stopped/);
  });

  test('may be missing for a day; then verification reports that it was not checked', async () => {
    await using scene = await open();
    await scene.addTenant();
    authority.misbehave = (_, response) => response.destroy();
    await scene.run();
    const verify = async () => {
      const { code, lines } = await runVerify(scene.installation, {}, scene.clock.now);
      return [code, lines.find((one) => one.includes('since 2026-11-21T12:00:00.000Z have no timestamp'))?.[0] ?? null];
    };
    scene.clock.advance(24 * hour - 1);
    assert.deepEqual(await verify(), [0, '•']);
    scene.clock.advance(1);
    assert.deepEqual(await verify(), [3, '?']);
    authority.misbehave = null;
    // The same checkpoint is timestamped, although there is no new one.
    await scene.run();
    assert.deepEqual(await verify(), [0, null]);
  });

  test('are rejected, and reported if stored, if they are older than the checkpoint', async () => {
    await using scene = await open();
    scene.clock.advance(365 * 24 * hour);
    await scene.addTenant();
    await scene.run();
    assert.match(String(await scene.readFaults()), /clock of this server is ahead/);
    assert.deepEqual(await scene.readAttestations(), []);
    const { size = 0, note = '' } = (await findLogCheckpoint(scene.queries)) ?? {};
    const { body } = await createTimestampRequest(textOf(note));
    const reply = authority.reply(body);
    const token = await openTimestamp(reply, { text: textOf(note), nonce: null, authorities: null });
    const row = { kind: 'timestamp', size, ...token, content: reply.toString('base64') };
    await scene.queries.insertInto('log_attestations').values(row).execute();
    const { code, lines } = await runVerify(scene.installation, {}, scene.clock.now);
    assert.equal(code, 1);
    assert.ok(lines.some((line) => /✗ .*: its time, .*, is before that of the checkpoint/.test(line)));
  });

  test('of another authority than the configured one are not checked, and are no sign of a change', async () => {
    await using scene = await open();
    await scene.addTenant();
    await scene.run();
    const { settings } = scene.installation;
    const verify = async (file: string) => {
      const other = { settings: { ...settings, timestamps: { url: authority.url, authorityFile: file } } };
      const { code, report } = await runVerify(other, {}, scene.clock.now);
      return [code, report.findings.map(({ kind, about }) => `${kind} ${about}`), report.log?.timestamps];
    };
    const changed = join(authority.folder, 'other.pem');
    assert.deepEqual(await verify(changed), [3, ['unchecked timestamp'], 0]);
    const both = join(authority.folder, 'both.pem');
    writeFileSync(both, readFileSync(changed, 'utf8') + readFileSync(authority.caFile, 'utf8'));
    assert.deepEqual(await verify(both), [0, [], 1]);
    // One that anyone made, with a row that fits, does not count either.
    const { note = '' } = (await findLogCheckpoint(scene.queries)) ?? {};
    const reply = authority.reply((await createTimestampRequest(textOf(note))).body, 'foreign');
    const token = await openTimestamp(reply, { text: textOf(note), nonce: null, authorities: null });
    const row = { ...token, content: reply.toString('base64') };
    await tamper(scene.database, (rows) => rows.updateTable('log_attestations').set(row).execute());
    assert.deepEqual(await verify(authority.caFile), [3, ['unchecked timestamp'], 0]);
    await tamper(scene.database, (rows) => rows.updateTable('log_attestations').set({ content: 'AAAA' }).execute());
    assert.deepEqual(await verify(changed), [1, ['tampered log'], 0]);
  });

  test('a changed, moved or forged timestamp is reported, and one whose authority is not known', async () => {
    await using scene = await open();
    await scene.addTenant();
    await scene.run();
    const { database, queries } = scene;
    const [row] = await scene.readAttestations();
    assert.ok(row);
    const forged = await (async () => {
      const checkpoint = await findLogCheckpoint(queries);
      const { body } = await createTimestampRequest(textOf(checkpoint?.note ?? ''));
      return authority.reply(body, 'foreign').toString('base64');
    })();
    const changes = [
      { at: '2020-01-01T00:00:00.000Z' },
      { source: 'x' },
      { size: 7 },
      { kind: 'cosignature' },
      { kind: 'other' },
      { content: '' },
      { content: `${row.content.slice(0, -8)}AAAAAAA=` },
      { content: forged },
    ];
    for (const change of changes) {
      await tamper(database, (changed) => changed.updateTable('log_attestations').set(change).execute());
      assert.equal(
        (await runVerify(scene.installation, {}, scene.clock.now)).code,
        1,
        JSON.stringify(change).slice(0, 80),
      );
      await tamper(database, (changed) => changed.updateTable('log_attestations').set(row).execute());
    }
    const { settings } = scene.installation;
    const unknown = { settings: { ...settings, timestamps: { url: null, authorityFile: null } } };
    const { code, lines } = await runVerify(unknown, {}, scene.clock.now);
    assert.equal(code, 3, lines.join('\n'));
  });
});

test('a certificate is recognized whose digest looks like ASN.1', async () => {
  const { text, authority, response } = ambiguous;
  const { source } = await openTimestamp(response, { text, nonce: null, authorities: [authority] });
  assert.match(source, /^421e390f/);
});

test('an authority without certificates, and files that cannot be used, end the start', () => {
  const url = 'http://127.0.0.1:1/';
  assert.throws(() => readSettings({ SVC_TIMESTAMP_URL: url }), /SVC_TIMESTAMP_URL: needs SVC_TIMESTAMP_CA/);
  for (const [settings, message] of [
    [{ SVC_TIMESTAMP_URL: url, SVC_TIMESTAMP_CA: '/nowhere' }, /SVC_TIMESTAMP_CA: \/nowhere cannot be read/],
    [
      { SVC_TIMESTAMP_URL: url, SVC_TIMESTAMP_CA: join(import.meta.dirname, 'log-scene.ts') },
      /must contain certificates/,
    ],
    [{ SVC_WITNESS_POLICY: join(import.meta.dirname, 'log-scene.ts') }, /SVC_WITNESS_POLICY: .*, line 1/],
  ] as const) {
    const options = { settings: readSettings(settings) } as unknown as ConstructorParameters<typeof LogKeeper>[0];
    assert.throws(() => new LogKeeper(options), { name: 'SettingsError', message });
  }
});
