import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findPrograms } from '../../../tools/test/postgres.ts';
import { capture, payload } from '../consent/helpers.ts';
import { createLocation, startTestServer } from '../harness.ts';
import { runSvc } from './run-svc.ts';

const programs = findPrograms(['pg_dump', 'pg_restore']);
const skip =
  process.env.SVC_TEST_POSTGRES_URL === undefined
    ? 'no PostgreSQL: npm run test:node starts one where it can'
    : programs === undefined
      ? 'pg_dump is missing: apt-get install postgresql-client'
      : false;

const run = (program: string, ...words: readonly string[]) => {
  const { status, stderr } = spawnSync(join(programs as string, program), words, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
};

test('pg_dump and a backup of the server restore an installation on another machine', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dump-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [target, dump, dataDir] = ['target', 'svc.dump', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(target);
  const server = stack.use(await startTestServer('postgres', { SVC_BACKUP_TO: target }));
  const { key } = server.tenant;
  const noticeId = await server.createNotice();
  payload(await capture(server, noticeId, { subjectId: 'nora.k@corp.example' }, { key }));
  await server.app.backups?.step();
  run('pg_dump', '--format=custom', `--file=${dump}`, server.installation.settings.databaseUrl as string);
  const path = '/v1/consent/subjects/nora.k@corp.example/erase';
  payload(await server.request('POST', path, { key, body: { reason: 'asked for it' } }), 200);
  await server.app.backups?.step();

  const other = stack.use(await createLocation('postgres'));
  const DATABASE_URL = other.environment.DATABASE_URL as string;
  const environment = { SVC_DATA_DIR: dataDir, SVC_BACKUP_TO: target, DATABASE_URL };
  const fetched = await runSvc(['restore', '--latest'], environment);
  assert.deepEqual([fetched.code, fetched.stderr], [0, '']);
  run('pg_restore', '--clean', '--if-exists', '--single-transaction', `--dbname=${DATABASE_URL}`, dump);
  const accepted = await runSvc(['restore', '--in-place', '--yes'], environment);
  assert.deepEqual([accepted.code, accepted.stderr], [0, '']);
  assert.match(accepted.stdout, /Erased again from erasures\.log: 1 data subjects with 1 records/);
  const verified = await runSvc(['verify'], environment);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});
