import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openInstallation } from '../../installation/installation.ts';
import { readSettings, SettingsError } from '../../settings.ts';
import { createLocation } from '../harness.ts';

describe('the secret file', () => {
  const prepare = async () => {
    const location = await createLocation('sqlite');
    const folder = location.environment.SVC_DATA_DIR as string;
    const open = () => openInstallation(readSettings(location.environment));
    const secretFiles = () => readdirSync(folder).filter((name) => name.startsWith('secret'));
    return { location, file: join(folder, 'secret.key'), open, secretFiles };
  };

  test('is made on the first start and kept', async () => {
    const { location, file, open, secretFiles } = await prepare();
    await using _ = location;
    await (await open()).database.close();
    const secret = readFileSync(file, 'utf8');
    assert.match(secret, /^[\w-]{43}\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await (await open()).database.close();
    assert.equal(readFileSync(file, 'utf8'), secret);
    assert.deepEqual(secretFiles(), ['secret.key']);
  });

  test('is refused when it is too short, and stays as it is', async () => {
    for (const text of ['', '\n', 'x'.repeat(31), `${'x'.repeat(31)}\n\n`]) {
      const { location, file, open } = await prepare();
      await using _ = location;
      writeFileSync(file, text);
      await assert.rejects(open(), (error) => {
        assert.ok(error instanceof SettingsError);
        assert.ok(error.message.includes(file));
        assert.match(error.message, /32 characters.*backup/);
        return true;
      });
      assert.equal(readFileSync(file, 'utf8'), text);
    }
    const { location, file, open } = await prepare();
    await using _ = location;
    writeFileSync(file, 'x'.repeat(32));
    await (await open()).database.close();
  });

  test('is not there at all when its making was cut off', async (context) => {
    const { location, open, secretFiles } = await prepare();
    await using _ = location;
    const write = fs.writeFileSync;
    // After a full disk or a killed process: the file without its content.
    const cut = context.mock.method(fs, 'writeFileSync', (file: string, _text: string, options: object) => {
      write(file, '', options);
      throw new Error('cut off');
    });
    syncBuiltinESMExports();
    await assert.rejects(open(), /cut off/);
    cut.mock.restore();
    syncBuiltinESMExports();
    assert.ok(!secretFiles().includes('secret.key'));
    await (await open()).database.close();
    assert.deepEqual(secretFiles(), ['secret.key']);
  });

  test('is the one that was created first', async (context) => {
    const { location, file, open, secretFiles } = await prepare();
    await using _ = location;
    const first = 'the first of two that start at once';
    const link = fs.linkSync;
    const late = context.mock.method(fs, 'linkSync', (from: string, to: string) => {
      writeFileSync(file, first);
      link(from, to);
    });
    syncBuiltinESMExports();
    await using installation = await open();
    late.mock.restore();
    syncBuiltinESMExports();
    assert.equal(late.mock.callCount(), 1);
    assert.equal(readFileSync(file, 'utf8'), first);
    assert.deepEqual(secretFiles(), ['secret.key']);
    assert.ok(installation.hasher);
  });
});
