import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { listTenants } from '../../../accounts/tenants/store.ts';
import { startServer } from '../../../cli/server/start-server.ts';
import { SettingsError } from '../../../settings.ts';
import { credentialsFile, seedDemo } from '../../../site/demo/seed.ts';
import { createLocation, describeOnOneDatabase, openTestInstallation, startTestServer } from '../../harness.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { exportText, signNow, verifyFile } from '../../ledger/exported.ts';
import { runVerify } from '../../ledger/fixture.ts';

const baseUrl = 'http://localhost:8787';

describeOnOneDatabase('the demo tenant', (dialect) => {
  test('leaves its credentials also where nothing else has made the data folder', async () => {
    await using installation = await openTestInstallation(dialect);
    await using elsewhere = await createLocation('sqlite');
    const dataDir = join(elsewhere.environment.SVC_DATA_DIR as string, 'not', 'made', 'yet');
    const settings = { ...installation.settings, dataDir };
    const credentials = await seedDemo({ ...installation, settings }, baseUrl);
    assert.deepEqual(JSON.parse(readFileSync(join(dataDir, credentialsFile), 'utf8')), credentials);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });

  test('has an administrator, a key and a SCIM token, which its credentials open', async () => {
    await using server = await startTestServer(dialect);
    await using empty = await openTestInstallation(dialect);
    assert.equal(await seedDemo(server.installation, server.url), null, 'a database with tenants gets no demo');
    await using demo = await startServer(empty, { log: pino({ level: 'silent' }) });
    const credentials = await seedDemo(empty, demo.baseUrl);
    assert.ok(credentials);
    const file = join(empty.settings.dataDir, credentialsFile);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(file, 'utf8'))), [
      'baseUrl',
      'tenantId',
      'tenantSlug',
      'adminEmail',
      'adminPassword',
      'apiKey',
      'scimToken',
      'noticeId',
    ]);
    const send = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${demo.port}${path}`, init);
    const body = JSON.stringify({ email: credentials.adminEmail, password: credentials.adminPassword });
    const headers = { 'Content-Type': 'application/json' };
    const signedIn = await send('/v1/auth/sign-in', { method: 'POST', headers, body });
    assert.equal(signedIn.status, 200);
    const { data } = (await signedIn.json()) as { data: { user: { role: string }; tenant: { slug: string } } };
    assert.deepEqual([data.user.role, data.tenant.slug], ['admin', credentials.tenantSlug]);
    const byKey = await send('/v1/users', { headers: { Authorization: `Bearer ${credentials.apiKey}` } });
    assert.equal(byKey.status, 200);
    const byToken = await send('/scim/v2/Users', { headers: { Authorization: `Bearer ${credentials.scimToken}` } });
    assert.equal(byToken.status, 200);
    const rows = await readAllRows(empty.database);
    for (const secret of [credentials.adminPassword, credentials.apiKey, credentials.scimToken])
      assert.ok(!rows.includes(secret));
    assert.equal((await runVerify(empty)).report.intact, true);
  });

  test('has a history without a clock that was set back', async () => {
    await using empty = await openTestInstallation(dialect);
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    await using demo = await startServer(empty, { log });
    const credentials = await seedDemo(empty, demo.baseUrl);
    assert.ok(credentials);
    assert.deepEqual(lines, []);
    for (const ledger of ['consent', 'audit'] as const) {
      const of = { tenantId: credentials.tenantId, ledger };
      const text = await exportText(empty, of, await signNow(empty, of, empty.clock()));
      const { fault, clockFalls } = await verifyFile(text, empty.signer.verifierKey);
      assert.deepEqual([fault, clockFalls], [null, 0], ledger);
    }
  });

  test('has a published trust center: a page, and a badge that names what was achieved', async () => {
    await using empty = await openTestInstallation(dialect);
    await using demo = await startServer(empty, { log: pino({ level: 'silent' }) });
    await seedDemo(empty, demo.baseUrl);
    const address = `http://127.0.0.1:${demo.port}`;
    assert.equal((await fetch(`${address}/trust/demo`)).status, 200);
    const widget = (await (await fetch(`${address}/v1/public/trust/demo/widget`)).json()) as { data: object };
    assert.deepEqual(widget.data, {
      name: 'Demo',
      slug: 'demo',
      achievedFrameworks: ['GDPR', 'ISO/IEC 27001:2022', 'SOC 2'],
      updatedAt: empty.clock(),
    });
  });

  test('keeps its credentials from others, also where a file that all may read is in the way', async () => {
    await using installation = await openTestInstallation(dialect);
    const file = join(installation.settings.dataDir, credentialsFile);
    writeFileSync(file, 'left over', { mode: 0o644 });
    const credentials = await seedDemo(installation, baseUrl);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), credentials);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('is made once by two that start at the same moment', async () => {
    await using installation = await openTestInstallation(dialect);
    const made = await Promise.all([seedDemo(installation, baseUrl), seedDemo(installation, baseUrl)]);
    const [credentials, ...more] = made.filter((one) => one !== null);
    assert.ok(credentials);
    assert.deepEqual(more, []);
    assert.equal((await listTenants(installation.database.kysely)).length, 1);
    const file = join(installation.settings.dataDir, credentialsFile);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), credentials);
  });

  test('is not made for an address that no notice can belong to', async () => {
    await using installation = await openTestInstallation(dialect);
    for (const url of ['http://nas:8898', 'http://[::1]:8898', 'http://[2001:db8::1]:8787']) {
      await assert.rejects(seedDemo(installation, url), (error) => {
        assert.ok(error instanceof SettingsError);
        assert.ok(error.message.includes(url));
        assert.match(error.message, /SVC_BASE_URL/);
        return true;
      });
    }
    assert.deepEqual(await listTenants(installation.database.kysely), []);
    assert.ok(await seedDemo(installation, 'http://192.168.1.5:8898'));
  });
});
