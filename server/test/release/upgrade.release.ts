import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runSvc } from '../cli/run-svc.ts';
import { type Change, loadServers } from '../crash/load.ts';
import { type ServerProcess, startServerProcess } from '../crash/server-process.ts';
import { createLocation } from '../harness.ts';
import { makeLaterVersion } from './later-version.ts';

/** How many acknowledged changes each step waits for. */
const enough = 200;

describe('an upgrade of servers that share a database', {
  skip: process.env.SVC_TEST_POSTGRES_URL === undefined && 'no PostgreSQL',
}, () => {
  it('is done one after the other, under load, and also back while both versions run', async () => {
    await using location = await createLocation('postgres');
    using later = makeLaterVersion(true);
    const start = (program?: string) => startServerProcess(location.environment, program);
    const acknowledged: string[] = [];
    let number = 0;
    const nextChange = (): Change => {
      number += 1;
      return {
        subjectId: `subject-${number}`,
        kind: number % 2 === 0 ? 'public' : 'authenticated',
        at: new Date().toISOString(),
      };
    };
    const first = await start();
    const credentials = first.credentials ?? assert.fail();
    /** Sends changes to servers until a step is over and each was busy. */
    const load = async (servers: readonly ServerProcess[], step: () => Promise<unknown> = async () => undefined) => {
      let isDone = false;
      let count = 0;
      const loading = loadServers({
        servers,
        credentials,
        connections: 4,
        nextChange,
        isOver: () => isDone && count >= enough,
        onAcknowledged: (sum) => {
          count = sum;
        },
      });
      await step();
      isDone = true;
      const { acknowledged: created, unanswered } = await loading;
      assert.deepEqual(unanswered, []);
      acknowledged.push(...created.values());
    };
    let second: ServerProcess | undefined;
    await load([first], async () => {
      second = await start(later.svc);
    });
    const next = second ?? assert.fail();
    await load([first, next]);
    await first.stop();
    // One of the old version that was restarted meanwhile.
    const again = await start();
    await load([again, next]);
    assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
    await Promise.all([again.stop(), next.stop()]);
    const env = { ...process.env, ...location.environment };
    const verify = (program: string) => spawnSync(process.execPath, [program, 'verify'], { env, encoding: 'utf8' });
    assert.equal(verify(later.svc).status, 0, verify(later.svc).stdout);
    const file = join(location.environment.SVC_DATA_DIR ?? '', 'export.jsonl');
    const words = ['export', 'create', '--tenant', 'demo', '--ledger', 'consent', '--file', file];
    const exported = spawnSync(process.execPath, [later.svc, ...words], { env, encoding: 'utf8' });
    assert.equal(exported.status, 0, exported.stderr);
    const entries = readFileSync(file, 'utf8');
    assert.ok(acknowledged.length >= 3 * enough);
    for (const id of acknowledged) assert.ok(entries.includes(id), id);
  });
});

describe('an upgrade that earlier versions cannot run beside', () => {
  it('is refused by them, and undone by restoring a backup', async () => {
    await using location = await createLocation('sqlite');
    using later = makeLaterVersion(false);
    const { SVC_DATA_DIR: dataDir = '' } = location.environment;
    await using restored = await createLocation('sqlite');
    const created = await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], location.environment);
    assert.equal(created.code, 0, created.stderr);
    const backup = join(dataDir, 'before-upgrade');
    assert.equal((await runSvc(['backup', '--to', backup], location.environment)).code, 0);
    const env = { ...process.env, ...location.environment };
    const migrated = spawnSync(process.execPath, [later.svc, 'migrate'], { env, encoding: 'utf8' });
    assert.equal(migrated.stdout, `Done: ${later.migration}\n`, migrated.stderr);
    const refused = await runSvc(['tenant', 'create', '--slug', 'other', '--name', 'Other'], location.environment);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, new RegExp(`later version of Svc: it has the migration ${later.migration}`));
    const back = await runSvc(['restore', '--from', backup], restored.environment);
    assert.equal(back.code, 0, back.stderr);
    const verified = await runSvc(['verify'], restored.environment);
    assert.equal(verified.code, 0, verified.stdout);
    assert.match(verified.stdout, /acme/);
  });
});
