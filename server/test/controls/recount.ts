import { catalogue } from '../../controls/catalogue/catalogue.ts';
import type { Database } from '../../storage/database.ts';

type Row = Readonly<Record<string, string | null>>;

/** The rows of a tenant, as they are stored. */
export interface StoredControls {
  readonly programs: readonly Row[];
  readonly controls: readonly Row[];
  readonly evidence: readonly Row[];
  readonly tests: readonly Row[];
  readonly results: readonly Row[];
}

export async function readStored({ kysely }: Database, tenantId: string): Promise<StoredControls> {
  const read = async (table: string) =>
    (await kysely
      .selectFrom(table as 'api_keys')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .orderBy('id')
      .execute()) as unknown as Row[];
  return {
    programs: await read('control_programs'),
    controls: await read('tenant_controls'),
    evidence: await read('control_evidence'),
    tests: await read('control_tests'),
    results: await read('control_test_results'),
  };
}

const months: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12 };

/** So many calendar months later, on the last day of a month that is too short; by trying days. */
function monthsLater(time: string, count: number): string {
  const [year, month, day] = [Number(time.slice(0, 4)), Number(time.slice(5, 7)), Number(time.slice(8, 10))];
  const wanted = month - 1 + count;
  const tryDay = (number: number): string => {
    const date = new Date(Date.UTC(year + Math.floor(wanted / 12), wanted % 12, number));
    return date.getUTCMonth() === wanted % 12 ? date.toISOString().slice(0, 10) : tryDay(number - 1);
  };
  return tryDay(day) + time.slice(10);
}

function later(time: string, cadence: string, count = 1): string | null {
  return cadence === 'event_driven' ? null : monthsLater(time, count * (months[cadence] as number));
}

/** A control in force, recomputed from the rows of the tenant, one after the other. */
export function recountControls(stored: StoredControls, now: string) {
  const adopted = catalogue.frameworks.filter(({ code }) =>
    stored.programs.some(({ frameworks }) => frameworks?.split(' ').includes(code)),
  );
  const controls = [];
  for (const row of stored.controls) {
    if (row.retired_at !== null) continue;
    const definition =
      row.definition === null
        ? catalogue.controls.find(({ controlId }) => controlId === row.control_id)
        : JSON.parse(row.definition as string);
    const frameworks = adopted.map(({ code }) => code).filter((code) => Object.hasOwn(definition.mappings, code));
    if (row.definition === null && frameworks.length === 0) continue;
    const evidence = recountEvidence(stored, row, now);
    const tests = recountTests(stored, row, now);
    const review = recountStatus(row, now);
    // An acceptance that is no longer supported.
    const { evidenceFreshness, latestResultStatus } = { ...evidence, ...tests };
    if (review.status === 'accepted' && (evidenceFreshness !== 'current' || latestResultStatus === 'fail'))
      review.status = 'needs_review';
    controls.push({
      id: row.id as string,
      code: definition.code as string,
      domain: definition.domain as string,
      frameworks,
      ...review,
      ...evidence,
      ...tests,
    });
  }
  return { adopted: adopted.map(({ code }) => code), controls };
}
export type Recounted = ReturnType<typeof recountControls>;

function recountStatus(row: Row, now: string) {
  let nextReviewAt: string | null = null;
  if (row.status === 'implemented' || row.status === 'accepted')
    nextReviewAt = later(row.reviewed_at as string, row.cadence as string);
  if (row.status === 'excepted') nextReviewAt = row.exception_ends_at as string;
  let { status } = row;
  if (status === 'evidence_requested' && now > (row.evidence_due_at as string)) status = 'overdue';
  if (nextReviewAt !== null && now >= nextReviewAt) status = 'needs_review';
  return { status: status as string, nextReviewAt };
}

function recountEvidence({ evidence }: StoredControls, { id, cadence }: Row, now: string) {
  const kept = evidence.filter((item) => item.tenant_control_id === id && item.withdrawn_at === null);
  const dates = kept
    .filter(({ expires_at }) => expires_at === null || now < (expires_at as string))
    .map(({ collected_at }) => collected_at as string)
    .sort();
  const latest = dates.at(-1);
  let evidenceFreshness = 'missing';
  if (kept.length > 0) evidenceFreshness = 'expired';
  if (latest !== undefined) {
    const stale = later(latest, cadence as string);
    const expired = later(latest, cadence as string, 2);
    if (expired !== null && now < expired) evidenceFreshness = 'stale';
    if (stale === null || now < stale) evidenceFreshness = 'current';
  }
  return { evidenceCount: kept.length, evidenceFreshness };
}

function recountTests({ tests, results }: StoredControls, control: Row, now: string) {
  const used = tests.filter((test) => test.tenant_control_id === control.id && test.retired_at === null);
  let [resultCount, dueTests] = [0, 0];
  const latest: string[] = [];
  const times: string[] = [];
  for (const test of used) {
    const ofTest = results.filter(({ test_id }) => test_id === test.id);
    ofTest.sort((one, other) => (`${one.tested_at}${one.id}` < `${other.tested_at}${other.id}` ? -1 : 1));
    const last = ofTest.at(-1);
    resultCount += ofTest.length;
    const next =
      last === undefined
        ? test.created_at
        : later(last.tested_at as string, (test.cadence ?? control.cadence) as string);
    if (next !== null && (next as string) <= now) dueTests += 1;
    if (last === undefined) continue;
    latest.push(last.status as string);
    times.push(last.tested_at as string);
  }
  const worst = ['fail', 'warning', 'unknown', 'manual', 'pass'].filter((status) => latest.includes(status));
  return {
    testCount: used.length,
    resultCount,
    dueTests,
    latestResultStatus: worst[0] ?? null,
    lastTestedAt: times.sort().at(-1) ?? null,
  };
}

/** The expected counts of the four operations, from the recomputed controls. */
export function recountTotals({ adopted, controls }: Recounted) {
  const applicable = controls.filter(({ status }) => status !== 'not_applicable');
  const status =
    (...names: readonly string[]) =>
    (one: { readonly status: string }) =>
      names.includes(one.status);
  const group = (members: typeof applicable) => {
    const total = members.length;
    const accepted = members.filter(status('accepted')).length;
    return {
      total,
      accepted,
      submitted: members.filter(status('evidence_submitted')).length,
      open: members.filter(status('evidence_requested', 'overdue')).length,
      overdue: members.filter(status('overdue')).length,
      score: total === 0 ? 0 : Math.trunc((accepted / total) * 100 + 1e-9),
    };
  };
  const whole = group(applicable);
  const fresh = (name: string) => applicable.filter(({ evidenceFreshness }) => evidenceFreshness === name).length;
  const result = (...names: readonly (string | null)[]) =>
    applicable.filter(({ latestResultStatus }) => names.includes(latestResultStatus)).length;
  const domains = [...new Set(controls.map(({ domain }) => domain))];
  return {
    list: {
      catalogControls: catalogue.controls.length,
      tenantControls: controls.length,
      implemented: controls.filter(status('implemented', 'accepted')).length,
      needsEvidence: applicable.length - fresh('current'),
      failing: result('fail'),
      frameworks: adopted.length,
    },
    readiness: {
      score: whole.score,
      totalControls: whole.total,
      acceptedControls: whole.accepted,
      openEvidenceRequests: whole.open,
      overdueEvidenceRequests: whole.overdue,
    },
    frameworks: adopted.map((code) => [code, group(applicable.filter((one) => one.frameworks.includes(code)))]),
    domains: domains.map((domain) => [domain, group(applicable.filter((one) => one.domain === domain))]),
    health: {
      totalControls: applicable.length,
      failing: result('fail'),
      warning: result('warning'),
      passing: result('pass'),
      unknown: result('unknown', 'manual', null),
      currentEvidence: fresh('current'),
      staleEvidence: fresh('stale'),
      expiredEvidence: fresh('expired'),
      missingEvidence: fresh('missing'),
      needsEvidence: fresh('stale') + fresh('expired') + fresh('missing'),
      missingTests: applicable.filter(({ testCount }) => testCount === 0).length,
      dueTests: applicable.reduce((sum, { dueTests }) => sum + dueTests, 0),
    },
  };
}
