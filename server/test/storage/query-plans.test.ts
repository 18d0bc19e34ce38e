import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import { findEvent, listEvents } from '../../audit/store.ts';
import {
  findLatestRecords,
  findRecord,
  listHistory,
  listRecords,
  listSubjectRecords,
} from '../../consent/record-store.ts';
import type { Queries } from '../../storage/database.ts';
import { openTestInstallation } from '../harness.ts';

const subject = { tenantId: 't', noticeId: 'n', subjectId: 's' };

// A plan that walks a ledger costs nothing in a test with ten rows and stops every tenant at a million. So the plans
// themselves are looked at: each query on a ledger must go through the index that was made for it.
describe('the plans of SQLite', () => {
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['a record', 'consent_records_notice', (queries) => findRecord(queries, 't', 'n', 'i')],
    ['the first page of records', 'consent_records_notice', (queries) => listRecords(queries, 't', 'n', null, 50)],
    ['a later page of records', 'consent_records_notice', (queries) => listRecords(queries, 't', 'n', 'i', 50)],
    ['the history of a subject', 'consent_records_subject', (queries) => listHistory(queries, subject, () => true)],
    ['the latest record of a subject', 'consent_records_subject', (queries) => findLatestRecords(queries, [subject])],
    ['a subject', 'consent_records_subject', (queries) => listSubjectRecords(queries, 't', 's', null, 50)],
    ['a later page of a subject', 'consent_records_subject', (queries) => listSubjectRecords(queries, 't', 's', 9, 50)],
    ['an event', 'audit_events_id', (queries) => findEvent(queries, 't', 'i')],
    ['events of a module', 'audit_events_module', (queries) => listEvents(queries, 't', { module: 'm' }, 9, 50)],
    ['events of an actor', 'audit_events_actor_type', (queries) => listEvents(queries, 't', { actor: 'user' }, 9, 50)],
    [
      'events of both',
      'audit_events_module_actor_type',
      (queries) => listEvents(queries, 't', { module: 'm', actor: 'user' }, 9, 50),
    ],
    [
      'events of a module in a span of time',
      'audit_events_(?:at|module)',
      (queries) => listEvents(queries, 't', { module: 'm', from: '2026', to: '2027' }, 9, 50),
    ],
    [
      'events of a span of time',
      '(?:audit_events_at|sqlite_autoindex_audit_events_1)',
      (queries) => listEvents(queries, 't', { from: '2026' }, null, 50),
    ],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run);
      assert.ok(plans.length > 0, 'the query was not seen');
      for (const plan of plans) {
        // More of the index than the tenant must be looked up by.
        assert.match(plan, new RegExp(`INDEX ${index} \\((?:tenant_id=\\? AND |notice_id=\\?)`));
        assert.doesNotMatch(plan, /SCAN (?:consent_records|audit_events|record|other)\b/);
      }
    });
  }
});

/** Runs queries on an empty database and asks SQLite how it carries out those that look into a ledger. */
async function readPlans(run: (queries: Queries) => Promise<unknown>): Promise<readonly string[]> {
  const asked: string[] = [];
  const { prepare } = SQLite.prototype;
  await using installation = await openTestInstallation('sqlite');
  SQLite.prototype.prepare = function remember(this: SQLite.Database, text: string) {
    asked.push(text);
    return prepare.call(this, text);
  } as typeof prepare;
  try {
    await run(installation.database.kysely);
  } finally {
    SQLite.prototype.prepare = prepare;
  }
  const database = new SQLite(`${installation.settings.dataDir}/svc.sqlite`, { readonly: true });
  try {
    return asked
      .filter((text) => /consent_records|audit_events/.test(text))
      .map((text) => {
        const values = Array.from({ length: text.match(/\?/g)?.length ?? 0 }, () => 1);
        const steps = database.prepare(`explain query plan ${text}`).all(values) as { detail: string }[];
        return steps.map(({ detail }) => detail).join('\n');
      });
  } finally {
    database.close();
  }
}
