import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { NoticeCache } from '../../server/consent/notice-store.ts';
import { type CaptureRequest, ConsentRecorder } from '../../server/consent/recorder.ts';
import type { Installation } from '../../server/installation/installation.ts';
import { runTransaction } from '../../server/storage/database.ts';
import { startPostgres } from '../test/postgres.ts';
import type { Bench, Benchmark, Finding } from './benchmark.ts';
import { userAgent } from './http-comparison.ts';
import { createSite, draftRecord, openSite, type Site, siteOrigin } from './site.ts';
import { compareInTurn } from './slices.ts';
import { clockSlice } from './work.ts';

/** How many captures wait at a time, and how many rows the floor writes with one statement. */
const batch = 64;

/** Captures through the recorder on PostgreSQL, against a plain pool that inserts the same rows in equal batches. */
export const postgres: Benchmark = {
  name: 'postgres',
  async run(bench) {
    const server = await startPostgres();
    if ('skipped' in server) {
      bench.say(`  skipped: ${server.skipped}`);
      return [];
    }
    try {
      return [
        await compareCapture(bench, server.url, 1, 0.3, 'PostgreSQL capture, one notice / plain multi-row insert'),
        await compareCapture(bench, server.url, 64, 0.25, 'PostgreSQL capture, 64 notices / plain multi-row insert'),
      ];
    } finally {
      await server.stop();
    }
  },
};

async function compareCapture(
  bench: Bench,
  url: string,
  notices: number,
  atLeast: number,
  what: string,
): Promise<Finding> {
  await using database = await createDatabase(url);
  await using installation = await openSite(bench.createFolder(`postgres-${notices}`), database.url);
  const site = await createSite(installation, notices);
  await using pool = openPool(database.url);
  const { rows } = await pool.query<{ fsync: string }>('show fsync');
  await pool.query('create table plain_records (like consent_records including all)');
  const found = await compareInTurn(
    clockSlice(captureWith(installation, site), bench.pace.milliseconds),
    clockSlice(insertWith(pool, site), bench.pace.milliseconds),
    bench.pace,
  );
  return {
    what,
    ours: perSecond(found.ours),
    floor: perSecond(found.floor),
    value: found.speed,
    unit: '×',
    budget: { atLeast },
    note: `${batch} at a time, by the clock, fsync ${rows[0]?.fsync}`,
  };
}

function captureWith({ database, clock, hasher }: Installation, { noticeIds }: Site): () => Promise<number> {
  const recorder = new ConsentRecorder(hasher, new NoticeCache(database.kysely));
  return async () => {
    const requests = Array.from({ length: batch }, (_, index) => {
      const request: CaptureRequest = {
        noticeId: noticeIds[index % noticeIds.length] as string,
        caller: null,
        origin: siteOrigin,
        body: {
          subjectId: randomUUID(),
          purposes: { necessary: true, analytics: true, marketing: false },
          method: 'banner',
          capturedAt: clock(),
          noticeVersion: 1,
          ip: '192.0.2.1',
          ua: userAgent,
        },
      };
      return recorder.prepare(database.kysely, request, clock());
    });
    const captures = await Promise.all(requests);
    const outcomes = await runTransaction(database, clock(), (tx) => recorder.append(captures, tx, ({ id }) => id));
    for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
    return batch;
  };
}

function insertWith(pool: pg.Pool, site: Site): () => Promise<number> {
  const columns = [
    'tenant_id',
    'sequence',
    'id',
    'notice_id',
    'space',
    'template',
    'captured_at',
    'recorded_at',
    'subject_commitment',
    'subject_id',
    'ip_commitment',
    'ip_hash',
    'ua_commitment',
    'ua_hash',
    'salt',
    'hash',
  ];
  const places = Array.from(
    { length: batch },
    (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`,
  );
  const text = `insert into plain_records (${columns}) values ${places}`;
  let sequence = 0;
  return async () => {
    const values: unknown[] = [];
    for (let row = 0; row < batch; row += 1) {
      sequence += 1;
      const noticeId = site.noticeIds[row % site.noticeIds.length] as string;
      const { id, tenantId, space, subjectId, capturedAt, ipHash, uaHash, noticeContentHash: hash } = draftRecord(site);
      values.push(
        ...[tenantId, sequence, id, noticeId, space, 1, capturedAt, capturedAt],
        ...[hash, subjectId, hash, ipHash, hash, uaHash, hash.slice(0, 22), hash],
      );
    }
    await pool.query({ name: 'plain insert', text, values });
    return batch;
  };
}

/** A new database on the server, dropped at the end. */
async function createDatabase(serverUrl: string): Promise<AsyncDisposable & { readonly url: string }> {
  const name = `svc_bench_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string) => {
    await using pool = openPool(serverUrl);
    await pool.query(statement);
  };
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, [Symbol.asyncDispose]: () => run(`drop database ${name} with (force)`) };
}

function openPool(connectionString: string): pg.Pool & AsyncDisposable {
  const pool = new pg.Pool({ connectionString });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

function perSecond(microseconds: number): string {
  return `${Math.round(1e6 / microseconds).toLocaleString('en')} /s`;
}
