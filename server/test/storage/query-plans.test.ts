import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import { findAccessTokenHolder, findKeyHolder, findScimTokenHolder } from '../../accounts/credentials.ts';
import { generateApiKey } from '../../accounts/keys/api-key.ts';
import { findAccount } from '../../accounts/members/account-store.ts';
import type { MembershipRow } from '../../accounts/members/membership.ts';
import {
  findMember,
  findMemberByEmail,
  hasOtherAdmin,
  isAcceptedElsewhere,
  listGroupMembers,
  listMembers,
  readMemberPage,
} from '../../accounts/members/membership-store.ts';
import { endSessions, findSession } from '../../accounts/sign-in/session-store.ts';
import { readOverview } from '../../cli/operator/overview-store.ts';
import { readStoredMetrics } from '../../cli/server/metrics-store.ts';
import {
  findLatestRecords,
  findNewest,
  findPreceding,
  findRecord,
  findRecordById,
  listNewestRecords,
  listRecords,
  listRecordsAfter,
  listRecordsOf,
  readSubject,
} from '../../consent/record-store.ts';
import { listDays, listSightings } from '../../consent/statistics-store.ts';
import { sumSizes } from '../../controls/file-store.ts';
import {
  listAdopted,
  listControlRows,
  listEvidence,
  listResults,
  listTests,
  listTestsInUse,
  requireControl,
  requireEvidence,
  requireTest,
} from '../../controls/store.ts';
import type { Principal } from '../../http/principal.ts';
import { scopes } from '../../http/roles.ts';
import type { Installation } from '../../installation/installation.ts';
import { deriveSecrets } from '../../installation/installation.ts';
import { generateToken } from '../../installation/token.ts';
import { findEvent, listEvents } from '../../ledger/audit/events.ts';
import { findCheckpoint, listCheckpoints } from '../../ledger/checkpoint-store.ts';
import { clearOpeningsAbout, readOpenings, selectOfValue } from '../../ledger/opening-store.ts';
import { listBehind, readTilesOf } from '../../ledger/tree-store.ts';
import { listBreaches, requireBreach } from '../../privacy/breach.ts';
import type { DsrFilter } from '../../privacy/dsr.ts';
import { listDsrs, requireDsr } from '../../privacy/dsr-store.ts';
import {
  findJob,
  listLaterRecords,
  listLaterRequests,
  selectEvents,
  selectSubjectEvents,
} from '../../privacy/erasure/store.ts';
import { erasables, selectExpired } from '../../privacy/erasure/texts-store.ts';
import { selectUnconfirmed } from '../../privacy/form-store.ts';
import type { Queries } from '../../storage/queries.ts';
import { markRedelivered } from '../../webhooks/deliveries/changes.ts';
import type { DeliveryRow } from '../../webhooks/deliveries/delivery.ts';
import { listPeriods } from '../../webhooks/deliveries/statistics-store.ts';
import { type DeliveryFilter, type Place, walkDeliveries } from '../../webhooks/deliveries/store.ts';
import { openTestInstallation } from '../harness.ts';
import { type FilledTenant, fillLedgers } from '../ledger/fixture.ts';

const bearer = (prefix: string) => generateToken(prefix);
const member = { tenant_id: 't', user_id: 'u' } as MembershipRow;
const page = { startIndex: 1, count: 50 };

const place = { tenantId: 't', noticeId: 'n', subjectId: 's', space: 'public' } as const;

// A plan that scans a ledger costs nothing in a test with ten rows and blocks every tenant at a million. The tests
// therefore check the plans themselves: each query on a ledger must use the index that was made for it.
describe('the plans of SQLite', () => {
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['a record', 'consent_records_notice', (queries) => findRecord(queries, 't', 'n', 'i')],
    ['a record without its notice', 'consent_records_notice', (queries) => findRecordById(queries, 't', 'i')],
    ['the newest of some records', 'consent_records_notice', (queries) => findNewest(queries, 't', 'n', ['i', 'j'])],
    ['records by their ids', 'consent_records_notice', (queries) => listRecordsOf(queries, 't', 'n', ['i', 'j'])],
    ['the first page of records', 'consent_records_newest', (queries) => listRecords(queries, 't', 'n', {}, null, 50)],
    ['a later page of records', 'consent_records_newest', (queries) => listRecords(queries, 't', 'n', {}, 9, 50)],
    ['an event', 'audit_events_id', (queries) => findEvent(queries, 't', 'i')],
    ['events of a module', 'audit_events_module', (queries) => listEvents(queries, 't', { module: 'm' }, 9, 50)],
    ['events of an actor', 'audit_events_actor_type', (queries) => listEvents(queries, 't', { actor: 'user' }, 9, 50)],
    [
      'events of both',
      'audit_events_module',
      (queries) => listEvents(queries, 't', { module: 'm', actor: 'user' }, 9, 50),
    ],
    ['events of an action', 'audit_events_action', (queries) => listEvents(queries, 't', { action: 'a' }, 9, 50)],
    ['events of a person', 'audit_events_actor', (queries) => listEvents(queries, 't', { actorId: 'a' }, 9, 50)],
    [
      'events of a target by a person',
      'audit_events_target',
      (queries) => listEvents(queries, 't', { targetId: 't', actorId: 'a', module: 'm' }, 9, 50),
    ],
    [
      'events of a target in a span of time',
      'audit_events_(?:at|target)',
      (queries) => listEvents(queries, 't', { targetId: 't', action: 'a', from: '2026', to: '2027' }, 9, 50),
    ],
    [
      'records of a kind in a version',
      'consent_records_newest',
      (queries) => listRecords(queries, 't', 'n', { kind: 'withdrawal', source: 'api', version: 1 }, 9, 50),
    ],
    [
      'records of a subject',
      'consent_records_subject',
      (queries) => listRecords(queries, 't', 'n', { subjectId: 's', kind: 'capture' }, 9, 50),
    ],
    [
      'records of a span of time',
      'consent_records_newest',
      (queries) => listRecords(queries, 't', 'n', { from: '2026', to: '2027' }, null, 50),
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
        // The index must be used for more columns than the tenant.
        assert.match(plan, new RegExp(`INDEX ${index} \\((?:tenant_id=\\? AND |notice_id=\\?)`));
        assert.doesNotMatch(plan, /SCAN (?:consent_records|audit_events|record|other)\b/);
      }
    });
  }
});

test('openings of events are found by their events, and to erase them by their value, in order', async () => {
  const event = { sequence: 1, entry: '{"commitments":{}}' };
  const read = await readPlans((queries) => readOpenings(queries, 't', [event]), /audit_openings/);
  assert.deepEqual(read, ['SEARCH audit_openings USING PRIMARY KEY (tenant_id=? AND sequence=?)']);
  const clear = await readPlans((queries) => selectOfValue(queries, 't', 'v').execute(), /audit_openings/);
  assert.deepEqual(clear, ['SEARCH audit_openings USING INDEX audit_openings_value (tenant_id=? AND <expr>=?)']);
  const about = await readPlans((queries) => clearOpeningsAbout(queries, 't', ['i', 'j']), /event|opening/);
  assert.deepEqual(about.join().split('\n'), [
    'SEARCH event USING COVERING INDEX audit_events_target (tenant_id=? AND target_id=?)',
    'SEARCH opening USING PRIMARY KEY (tenant_id=? AND sequence=?)',
  ]);
});

test('metrics read no table of all tenants without an index', async () => {
  const tables = /webhook_deliveries|dsr_requests|breach_incidents|checkpoints|log_attestations/;
  const plans = (await readPlans((queries) => readStoredMetrics(queries, '2026-11-21T12:00:00.000Z'), tables)).join(
    '\n',
  );
  for (const index of [
    'webhook_deliveries_due',
    'webhook_deliveries_dead',
    'dsr_requests_open',
    'breach_incidents_unnotified',
  ])
    assert.match(plans, new RegExp(`INDEX ${index}`));
  assert.doesNotMatch(
    plans,
    /SCAN (?:delivery|webhook_deliveries|dsr_requests|breach_incidents|checkpoints|log_attestations)(?! USING)/,
  );
});

test('webhook events and running erasures are found by what they are about', async () => {
  for (const name of ['subject', 'dsr'] as const) {
    const plans = await readPlans(
      (queries) => selectEvents(queries, 't', `${name}_id`, ['x', 'y']).execute(),
      /webhook_events/,
    );
    assert.deepEqual(plans, [
      `SEARCH webhook_events USING INDEX webhook_events_${name} (tenant_id=? AND ${name}_id=?)`,
    ]);
  }
  const job = { id: 'i', tenant_id: 't', kind: 'subject', target: 's', through: 1, audit_through: 1 } as const;
  const whole = { ...job, position: null, requests: '[]', counts: '', created_at: '' };
  const events = await readPlans((queries) => selectSubjectEvents(queries, whole, ['x']).execute(), /webhook_events/);
  assert.deepEqual(events, ['SEARCH webhook_events USING INDEX webhook_events_subject (tenant_id=? AND subject_id=?)']);
  const records = await readPlans((queries) => listLaterRecords(queries, whole), /consent_records/);
  assert.deepEqual(records, [
    'SEARCH consent_records USING INDEX sqlite_autoindex_consent_records_1 (tenant_id=? AND sequence>?)',
  ]);
  const requests = await readPlans((queries) => listLaterRequests(queries, whole), /dsr_requests|event/);
  assert.deepEqual(requests.join().split('\n'), [
    'SEARCH dsr_requests USING COVERING INDEX dsr_requests_subject (tenant_id=? AND subject_id=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH event USING COVERING INDEX audit_events_target (tenant_id=? AND target_id=? AND sequence<?)',
  ]);
  const jobs = await readPlans((queries) => findJob(queries, 't', { kind: 'dsr', target: 'x' }), /erasure_jobs/);
  assert.deepEqual(jobs, ['SEARCH erasure_jobs USING INDEX erasure_jobs_target (tenant_id=? AND kind=? AND target=?)']);
});

// Anyone may send any number of records of one subject. Captures and pages must find them through the index, with one
// step per notice and space, without scanning or sorting.
describe('the plans of SQLite for a subject', () => {
  const seek = 'USING (?:COVERING )?INDEX consent_records_subject \\(tenant_id=\\? AND subject_id=\\?';
  const inPlace = `${seek} AND notice_id=\\? AND space=\\?`;
  const cases: readonly [name: string, steps: readonly string[], run: (queries: Queries) => Promise<unknown>][] = [
    ['the latest record in a space', [inPlace], (queries) => findLatestRecords(queries, [{ place }])],
    [
      'the newest records in a space',
      [`${inPlace}\\)`],
      (queries) => listNewestRecords(queries, { ...place, limit: 50 }),
    ],
    [
      'the records after one',
      [`${inPlace} AND sequence>\\?\\)`],
      (queries) => listRecordsAfter(queries, { ...place, after: 9, limit: 50 }),
    ],
    [
      'the record before one',
      [`${inPlace} AND sequence<\\?\\)`],
      (queries) => findPreceding(queries, { ...place, before: 9 }),
    ],
    [
      'the latest of each space',
      [`${seek}\\)`, `${seek} AND notice_id=\\? AND space<\\?\\)`, `${seek} AND notice_id<\\?\\)`],
      (queries) => readSubject(queries, 't', 's', 101, null, 50),
    ],
  ];

  for (const [name, steps, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run);
      assert.equal(plans.length, 1);
      const [plan = ''] = plans;
      for (const step of steps) assert.match(plan, new RegExp(step));
      assert.doesNotMatch(plan, /SCAN (?:consent_records|record|other)\b|TEMP B-TREE/);
    });
  }

  test('a page of the ledger', async () => {
    let tenant = {} as FilledTenant;
    const plans = await readPlans(
      (queries) => readSubject(queries, tenant.id, 'plain', 101, 9, 2),
      /consent_records/,
      async (installation) => {
        [tenant] = (await fillLedgers(installation)) as [FilledTenant];
      },
    );
    const [, parts = '', rows = ''] = plans;
    assert.match(parts, new RegExp(`${inPlace} AND sequence<\\?\\)`));
    assert.match(
      rows,
      /SEARCH consent_records USING INDEX sqlite_autoindex_consent_records_1 \(tenant_id=\? AND sequence=\?\)/,
    );
    for (const plan of plans) assert.doesNotMatch(plan, /SCAN (?:consent_records|record)\b|TEMP B-TREE/);
  });
});

// A dead-letter queue is read when something is wrong: when it is largest.
describe('the plans of SQLite for deliveries', () => {
  const place = '2026 i';
  const [tenant, endpoint, deadOfTenant, deadOfEndpoint] = [
    'webhook_deliveries_tenant \\(tenant_id=\\?',
    'webhook_deliveries_endpoint \\(endpoint_id=\\?',
    'webhook_deliveries_dead_tenant \\(tenant_id=\\?',
    'webhook_deliveries_dead_endpoint \\(endpoint_id=\\?',
  ] as const;
  const further = ' AND \\(created_at,id\\)<\\(\\?,\\?\\)';
  const span = ' AND created_at>\\? AND created_at<\\?';
  const dead = Array.from({ length: 500 }, (_, number) => ({ id: `${number}` }) as DeliveryRow);
  const list = (filter: DeliveryFilter, after: Place | null) => (queries: Queries) =>
    walkDeliveries(queries, { tenantId: 't', filter, order: 'newest first', after }, 50);
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['the first page', tenant, list({}, null)],
    ['a later page', tenant + further, list({}, place)],
    ['a later page of a span of time', tenant + further, list({ to: '2027' }, place)],
    ['a span of time', tenant + span, list({ from: '2026', to: '2027' }, null)],
    ['the first dead letters', deadOfTenant, list({ status: 'dead' }, null)],
    ['later dead letters', deadOfTenant + further, list({ status: 'dead' }, place)],
    ['dead letters of a span of time', deadOfTenant + span, list({ status: 'dead', from: '2026', to: '2027' }, null)],
    ['dead letters for a reason', deadOfTenant + further, list({ status: 'dead', reason: 'tls' }, place)],
    ['the first page of an endpoint', endpoint, list({ webhookId: 'w' }, null)],
    ['a later page of an endpoint', endpoint + further, list({ webhookId: 'w', eventType: 'e' }, place)],
    ['what was delivered', tenant, list({ status: 'delivered' }, null)],
    ['dead letters of an endpoint', deadOfEndpoint + further, list({ webhookId: 'w', status: 'dead' }, place)],
    [
      'dead letters by id',
      'sqlite_autoindex_webhook_deliveries_1 \\(tenant_id=\\? AND id=',
      (queries) => markRedelivered(queries, 't', dead),
    ],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /^(?:select|update)/i);
      assert.ok(plans.length > 0, 'the query was not seen');
      for (const plan of plans) {
        assert.match(plan, new RegExp(`INDEX ${index}`));
        assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
      }
    });
  }
});

// The queries of every authenticated request. A tenant may have a hundred thousand members, an installation millions of
// sessions, so none may be scanned or sorted.
describe('the plans of SQLite for credentials and people', () => {
  const { seal } = deriveSecrets('a secret for the hashes of tokens');
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['the holder of an API key', 'api_keys', (queries) => findKeyHolder(queries, generateApiKey('live'), 'now')],
    [
      'the holder of an access token',
      'access_tokens',
      (queries) => findAccessTokenHolder(queries, bearer('svc_at_'), 'now'),
    ],
    ['the holder of a SCIM token', 'scim_tokens', (queries) => findScimTokenHolder(queries, bearer('scim_'))],
    ['a session', 'sessions', (queries) => findSession(queries, seal, bearer('svc_session_'))],
    ['the sessions of a person', 'sessions_user', (queries) => endSessions(queries, { userIds: ['u'], tenantId: 't' })],
    ['a member', 'memberships', (queries) => findMember(queries, 't', 'u')],
    ['a member by e-mail', 'memberships', (queries) => findMemberByEmail(queries, 't', 'e')],
    ['members elsewhere', 'memberships_user', (queries) => isAcceptedElsewhere(queries, 'u', 't')],
    ['another administrator', 'memberships_role', (queries) => hasOtherAdmin(queries, member)],
    ['the first page of members', 'memberships', (queries) => listMembers(queries, 't', {}, null, 50)],
    ['a later page of members', 'memberships', (queries) => listMembers(queries, 't', {}, 'u', 50)],
    ['members who can sign in', 'memberships', (queries) => listMembers(queries, 't', { canSignIn: true }, 'u', 50)],
    ['members with a role', 'memberships_role', (queries) => listMembers(queries, 't', { role: 'dpo' }, 'u', 50)],
    ['the group of a role', 'memberships_role', (queries) => listGroupMembers(queries, 't', 'dpo')],
    ['how many a SCIM page has', 'memberships_(?:present|role)', (queries) => readMemberPage(queries, 't', page)],
    ['how many an external id has', 'memberships_external', (queries) => readMemberPage(queries, 't', page, 'e')],
    ['an account by e-mail', 'users', (queries) => findAccount(queries, 'e')],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /^(?:select|update|delete)/i);
      assert.ok(plans.length > 0, 'the query was not seen');
      assert.ok(
        plans.some((plan) =>
          new RegExp(`USING (?:COVERING )?INDEX (?:sqlite_autoindex_)?${index}|SEARCH ${index} USING PRIMARY KEY`).test(
            plan,
          ),
        ),
        plans.join('\n\n'),
      );
      for (const plan of plans) assert.doesNotMatch(plan, /^SCAN|\nSCAN|TEMP B-TREE/, plan);
    });
  }
});

// A tenant keeps requests for years; a filter must not scan the others, nor sort the matching ones.
describe('the plans of SQLite for data-subject requests and breaches', () => {
  const list = (filter: DsrFilter, after: string | null) => (queries: Queries) =>
    listDsrs(queries, 't', filter, 'now', { after, limit: 25 });
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    [
      'a request',
      'dsr_requests_tenant|sqlite_autoindex_dsr_requests_1',
      (queries) => assert.rejects(requireDsr(queries, 't', 'i')),
    ],
    ['the first page of requests', 'sqlite_autoindex_dsr_requests_1', list({}, null)],
    ['a later page of requests', 'sqlite_autoindex_dsr_requests_1', list({}, 'i')],
    ['requests with a status', 'dsr_requests_status', list({ status: 'open' }, 'i')],
    ['requests of a type', 'dsr_requests_type', list({ type: 'access' }, 'i')],
    ['requests of a person', 'dsr_requests_subject', list({ subjectId: 's' }, 'i')],
    ['requests of an assignee', 'dsr_requests_assignee', list({ assigneeUserId: 'u' }, 'i')],
    ['open requests of a person', 'dsr_requests_(?:subject|status)', list({ subjectId: 's', status: 'open' }, 'i')],
    [
      'requests whose link expired unused',
      'dsr_requests_unconfirmed',
      (queries) => selectUnconfirmed(queries, '2026-11-01T00:00:00.000Z').execute(),
    ],
    [
      'requests whose texts are no longer kept',
      'dsr_requests_completed',
      (queries) => selectExpired(queries, erasables.dsr, 't', 'then', 100),
    ],
    [
      'breaches whose texts are no longer kept',
      'breach_incidents_closed',
      (queries) => selectExpired(queries, erasables.breach, 't', 'then', 100),
    ],
    ['overdue requests', 'dsr_requests_status', list({ overdue: 'true' }, 'i')],
    [
      'a breach',
      'breach_incidents_tenant|sqlite_autoindex_breach_incidents_1',
      (queries) => assert.rejects(requireBreach(queries, 't', 'i')),
    ],
    [
      'breaches',
      'sqlite_autoindex_breach_incidents_1',
      (queries) => listBreaches(queries, 't', { status: 'open' }, { after: 'i', limit: 25 }),
    ],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /dsr_requests|breach_incidents/);
      assert.ok(plans.length > 0, 'the query was not seen');
      for (const plan of plans) {
        assert.match(plan, new RegExp(`INDEX (?:${index}) `), plan);
        assert.doesNotMatch(plan, /^SCAN|\nSCAN|TEMP B-TREE/, plan);
      }
    });
  }
});

// Counts are computed for each request, so an index must cover their inputs: the controls of the tenant, its evidence
// from only the index, and one seek for the latest result of each test.
describe('the plans of SQLite for controls', () => {
  const unique = 'sqlite_autoindex_\\w+';
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['what was adopted', unique, (queries) => listAdopted(queries, 't')],
    ['the controls', unique, (queries) => listControlRows(queries, { tenantId: 't', now: 'now' })],
    ['a control', unique, (queries) => assert.rejects(requireControl(queries, 't', 'i', 'now'))],
    [
      'all evidence',
      'COVERING INDEX control_evidence_freshness',
      (queries) => listControlRows(queries, { tenantId: 't', now: 'now' }),
    ],
    [
      'the evidence of a control',
      'COVERING INDEX control_evidence_freshness',
      (queries) => assert.rejects(requireControl(queries, 't', 'i', 'now')),
    ],
    ['an item of evidence', unique, (queries) => assert.rejects(requireEvidence(queries, 't', 'c', 'i'))],
    ['the space that files take', 'COVERING INDEX control_evidence_files_size', (queries) => sumSizes(queries, 't')],
    [
      'a page of evidence',
      'control_evidence_control',
      (queries) => listEvidence(queries, 't', 'c', { after: 'i', limit: 50 }),
    ],
    ['all tests', 'control_test_results_latest', (queries) => listTestsInUse(queries, { tenantId: 't' })],
    ['the results of the tests of a control', 'control_test_results_latest', (queries) => listTests(queries, 't', 'c')],
    ['the tests of a control', 'control_tests_control', (queries) => listTests(queries, 't', 'c')],
    [
      'a test',
      'control_tests_control|sqlite_autoindex_control_tests_1',
      (queries) => assert.rejects(requireTest(queries, 't', 'c', 'i')),
    ],
    [
      'a page of results',
      'control_test_results_latest',
      (queries) => listResults(queries, 't', 'i', { after: 'a i', limit: 50 }),
    ],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /control/);
      assert.ok(plans.length > 0, 'the query was not seen');
      for (const plan of plans) {
        assert.match(plan, new RegExp(`${index.startsWith('COVERING') ? '' : 'INDEX '}(?:${index}) `), plan);
        assert.doesNotMatch(plan, /^SCAN|\nSCAN|TEMP B-TREE/, plan);
      }
    });
  }
});

// A proof over a million entries needs a few tiles, and the latest checkpoint of many is one step into its key.
describe('the plans of SQLite for proofs', () => {
  const of = { tenantId: 't', ledger: 'audit' } as const;
  const key = 'checkpoints USING PRIMARY KEY \\(tenant_id=\\? AND ledger=\\?';
  const tile = 'merkle_tiles USING INDEX sqlite_autoindex_merkle_tiles_1 \\(tenant_id=\\? AND ledger=\\? AND level=\\?';
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    ['the latest checkpoint', key, (queries) => findCheckpoint(queries, of)],
    ['a checkpoint', `${key} AND size=`, (queries) => findCheckpoint(queries, of, 5)],
    ['the first page of checkpoints', key, (queries) => listCheckpoints(queries, of, null, 25)],
    ['a later page of checkpoints', `${key} AND size<`, (queries) => listCheckpoints(queries, of, 9, 25)],
    ['the ledgers behind', key, (queries) => listBehind(queries)],
    ['tiles', `${tile} AND number=`, (queries) => readTilesOf(queries, of, [{ start: 0, end: 70_000 }])],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /checkpoints|merkle_tiles/);
      assert.ok(plans.length > 0, 'the query was not seen');
      for (const plan of plans) {
        assert.match(plan, new RegExp(`SEARCH ${index}`), plan);
        assert.doesNotMatch(plan, /SCAN (?:checkpoints|merkle_tiles)/, plan);
        if (name !== 'the ledgers behind') assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
      }
    });
  }
});

// A banner on a busy site writes these every five seconds, beside years of counts of other notices.
describe('the plans of SQLite for statistics', () => {
  const cases: readonly [name: string, index: string, run: (queries: Queries) => Promise<unknown>][] = [
    [
      'the days of a notice',
      'consent_days USING PRIMARY KEY \\(tenant_id=\\? AND notice_id=\\? AND day>\\?\\)',
      (queries) => listDays(queries, 't', 'n', '2026-11-01'),
    ],
    [
      'the hours of a webhook',
      'webhook_hours USING PRIMARY KEY \\(tenant_id=\\? AND endpoint_id=\\? AND hour>\\?\\)',
      (queries) => listPeriods(queries, 't', 'w', 'day', '2026-11-01'),
    ],
    [
      'the hosts of a notice',
      'consent_sightings USING PRIMARY KEY \\(tenant_id=\\? AND notice_id=\\?\\)',
      (queries) => listSightings(queries, 't', 'n'),
    ],
  ];

  for (const [name, index, run] of cases) {
    test(name, async () => {
      const plans = await readPlans(run, /^select.*(?:consent_days|consent_sightings|webhook_hours)/i);
      assert.equal(plans.length, 1);
      for (const plan of plans) assert.match(plan, new RegExp(`SEARCH ${index}`), plan);
    });
  }
});

// Every visit of the start page reads these, beside millions of deliveries and records.
test('the overview reads every table by an index of SQLite', async () => {
  let tenant = {} as FilledTenant;
  const actor = { id: '' };
  const caller = { scopes: new Set(scopes), actor, credential: { kind: 'session' } };
  const plans = await readPlans(
    (queries) => readOverview(queries, { ...caller, tenantId: tenant.id } as unknown as Principal, '2026-11-23'),
    /^select/i,
    async (installation) => {
      [tenant] = (await fillLedgers(installation)) as [FilledTenant];
      ({ id: actor.id } = await installation.database.kysely
        .selectFrom('users')
        .select('id')
        .executeTakeFirstOrThrow());
    },
  );
  assert.ok(plans.length >= 15, 'the queries were not seen');
  for (const plan of plans) assert.doesNotMatch(plan, /SCAN (?!latest|some)|TEMP B-TREE/, plan);
  assert.ok(plans.some((plan) => plan.includes('COVERING INDEX webhook_deliveries_dead_tenant (tenant_id=?)')));
});

/** Runs queries, by default on an empty database, and returns SQLite's plans of the matching ones: by default, those on a ledger. */
async function readPlans(
  run: (queries: Queries) => Promise<unknown>,
  wanted = /consent_records|audit_events/,
  arrange: (installation: Installation) => Promise<unknown> = async () => undefined,
): Promise<readonly string[]> {
  const asked: string[] = [];
  const { prepare } = SQLite.prototype;
  await using installation = await openTestInstallation('sqlite');
  await arrange(installation);
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
      .filter((text) => wanted.test(text))
      .map((text) => {
        const values = Array.from({ length: text.match(/\?/g)?.length ?? 0 }, () => 1);
        const steps = database.prepare(`explain query plan ${text}`).all(values) as { detail: string }[];
        return steps.map(({ detail }) => detail).join('\n');
      });
  } finally {
    database.close();
  }
}
