import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentialsFile, seedDemo } from '../../demo/seed.ts';
import { SettingsError } from '../../settings.ts';
import { listTenants } from '../../tenants/store.ts';
import { createLocation, describeOnEachDatabase, openTestInstallation } from '../harness.ts';

const baseUrl = 'http://localhost:8787';

describeOnEachDatabase('the demo tenant', (dialect) => {
  test('leaves its credentials also where nothing else has made the data folder', async () => {
    await using installation = await openTestInstallation(dialect);
    await using elsewhere = await createLocation('sqlite');
    const dataDir = join(elsewhere.environment.SVC_DATA_DIR as string, 'not', 'made', 'yet');
    const settings = { ...installation.settings, dataDir };
    const credentials = await seedDemo({ ...installation, settings }, baseUrl);
    assert.deepEqual(JSON.parse(readFileSync(join(dataDir, credentialsFile), 'utf8')), credentials);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
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
