import { setTimeout as wait } from 'node:timers/promises';
import { LedgerVerificationError, verifyExport } from '../../../packages/node-sdk/src/ledger/index.ts';
import { countOpen, listStored, openBeside, type StoredDelivery } from '../crash/delivery-tables.ts';
import type { Fleet } from '../crash/fleet.ts';
import { judgeDeliveries } from '../crash/judge-deliveries.ts';
import { type Change, listRecordIds } from '../crash/load.ts';
import type { ReceivedDelivery } from '../crash/receiver.ts';
import { listWrong } from '../crash/rounds.ts';
import { type ProcessSettings, verifyInProcess } from '../crash/server-process.ts';
import { waitForNone } from '../crash/wait-for-none.ts';
import { givenRole, type ScaleLoad } from './load.ts';
import type { LoadedTenant } from './tenants.ts';
import { brokenSchedule, type Receivers, type TenantReceivers } from './webhooks.ts';

/** What a run leaves. */
export interface Evidence {
  /** The address of the proxy. */
  readonly url: string;
  readonly fleet: Fleet;
  readonly tenants: readonly LoadedTenant[];
  readonly load: ScaleLoad;
  readonly receivers: Receivers;
  /** How often the servers or the database were interrupted: each may have repeated a delivery. */
  readonly interruptions: number;
  /** The settings of one of the servers, with its data folder. */
  readonly settings: ProcessSettings;
}

/** What was found. */
export interface Checked {
  readonly records: number;
  readonly users: number;
  /** Entries of the consent ledgers, verified offline. */
  readonly entries: number;
  readonly delivered: number;
  /** Deliveries that arrived more than once, once for each repetition. */
  readonly duplicates: number;
  /** Deliveries to the broken receivers. */
  readonly dead: number;
  readonly pending: number;
  /** A sentence for each loss and contradiction. */
  readonly wrong: readonly string[];
}

/** Longer than the lease of a killed server. */
const patience = 60_000;

/** Checks that nothing acknowledged was lost, while the servers still run. */
export async function checkRun(evidence: Evidence): Promise<Checked> {
  const { fleet, load, receivers, settings, tenants } = evidence;
  const deliveries = await checkDeliveries(evidence);
  const records = await Promise.all(tenants.map((tenant) => checkRecords(evidence, tenant)));
  const users = await Promise.all(tenants.map((tenant) => checkUsers(evidence, tenant)));
  const ledgers = [];
  // One after the other: an export is held in memory.
  for (const tenant of tenants) ledgers.push(await checkLedger(evidence, tenant));
  const complaint = await verifyInProcess(settings, fleet.program);
  return {
    ...deliveries,
    records: sumOf([...load.confirmed.values()].map(({ size }) => size)),
    users: sumOf([...load.users.values()].map(({ length }) => length)),
    entries: sumOf(ledgers.map(({ entries }) => entries)),
    wrong: [
      ...load.wrong,
      ...deliveries.wrong,
      ...receivers.ofTenants.flatMap(({ slow, broken }) => [...slow.complaints, ...broken.complaints]),
      ...[...records, ...users].flat(),
      ...ledgers.flatMap(({ wrong }) => wrong),
      ...(complaint === null ? [] : [`svc verify found: ${complaint}`]),
      ...listServerFaults(fleet),
    ],
  };
}

/** Every acknowledged decision is one record with the acknowledged id, and there are no others. */
async function checkRecords({ url, load }: Evidence, { apiKey, notices }: LoadedTenant): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const noticeId of notices) {
    const confirmed = new Map([...idsOf(load, noticeId)].map(([{ subjectId }, id]) => [subjectId, id]));
    const stored = await listRecordIds({ url }, { noticeId, apiKey });
    for (const subject of listWrong(confirmed, stored))
      wrong.push(
        `${subject} was ${confirmed.has(subject) ? `acknowledged with the record ${confirmed.get(subject)}` : 'never acknowledged'}, and the notice ${noticeId} has ${stored.get(subject)?.join(', ') ?? 'no record'}`,
      );
  }
  return wrong;
}

/** Every user whose suspension was acknowledged has the role that was given, and is suspended. */
async function checkUsers({ url, load }: Evidence, { slug, scimToken }: LoadedTenant): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { id, userName } of load.users.get(slug) ?? []) {
    const response = await fetch(`${url}/scim/v2/Users/${id}`, { headers: { Authorization: `Bearer ${scimToken}` } });
    const text = await response.text();
    const { active, roles } = response.ok ? JSON.parse(text) : {};
    if (active !== false || roles?.[0]?.value !== givenRole)
      wrong.push(`${userName} was made ${givenRole} and suspended, and is answered with ${response.status}: ${text}`);
  }
  return wrong;
}

/** The consent ledger of a tenant verifies offline, and has every acknowledged record. */
async function checkLedger({ url, load }: Evidence, { apiKey, slug, notices }: LoadedTenant) {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const base = `${url}/v1/ledgers/consent`;
  const signed = await signCheckpoint(`${base}/checkpoints`, headers);
  if (signed !== null) return { entries: 0, wrong: [`no checkpoint of ${slug}'s ledger can be signed: ${signed}`] };
  const [key, response] = await Promise.all([
    fetch(`${url}/.well-known/svc-ledger-key`).then((one) => one.text()),
    fetch(`${base}/export`, { headers }),
  ]);
  const text = await response.text();
  try {
    const { entries } = await verifyExport([text], { publicKey: key.trim() });
    const found = new Set(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g));
    const missing = notices.flatMap((notice) => [...idsOf(load, notice).values()].filter((id) => !found.has(id)));
    return { entries, wrong: missing.map((id) => `the record ${id} was acknowledged, and ${slug}'s ledger lacks it`) };
  } catch (error) {
    if (!(error instanceof LedgerVerificationError)) throw error;
    return { entries: 0, wrong: [`the export of ${slug}'s ledger does not verify: ${error.message}`] };
  }
}

/** @returns null, or the last answer if the server refuses for long: at first, the newest entries may not be in the tree yet. */
async function signCheckpoint(url: string, headers: Readonly<Record<string, string>>): Promise<string | null> {
  const end = performance.now() + patience;
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers });
    const text = await response.text();
    if (response.status === 201) return null;
    if (performance.now() > end) return text;
    await wait(500);
  }
}

/** The slow receivers got every event; the broken ones have a dead letter or a planned attempt for each. */
async function checkDeliveries({ load, receivers, interruptions, settings }: Evidence) {
  await using database = openBeside(settings);
  const slowIds = receivers.ofTenants.map(({ slowId }) => slowId);
  if (slowIds.length > 0)
    await waitForNone({ what: 'deliveries to slow receivers', limit: patience }, () =>
      countOpen(database.kysely, slowIds),
    );
  const stored = Map.groupBy(await listStored(database.kysely), ({ endpointId }) => endpointId);
  const wrong: string[] = [];
  const counts = { delivered: 0, duplicates: 0, dead: 0, pending: 0 };
  for (const one of receivers.ofTenants) {
    const [slow, broken] = [stored.get(one.slowId) ?? [], stored.get(one.brokenId) ?? []];
    const judged = judgeSlow(load, one, slow, interruptions);
    wrong.push(...judged.wrong, ...judgeBroken(one, slow, broken));
    counts.delivered += slow.length;
    counts.duplicates += judged.duplicates;
    counts.dead += broken.filter(({ status }) => status === 'dead').length;
    counts.pending += broken.filter(({ status }) => status === 'pending').length;
  }
  return { ...counts, wrong };
}

function judgeSlow(
  load: ScaleLoad,
  { tenant, slow, slowId }: TenantReceivers,
  stored: readonly StoredDelivery[],
  interruptions: number,
) {
  const isAboutUser = ([, { event }]: readonly [string, ReceivedDelivery]) => event.type.startsWith('user.');
  const [ofUsers, ofRecords] = [
    new Map([...slow.deliveries].filter(isAboutUser)),
    new Map([...slow.deliveries].filter((one) => !isAboutUser(one))),
  ];
  const { lost, duplicates, wrong } = judgeDeliveries({
    confirmed: new Map(tenant.notices.flatMap((notice) => [...idsOf(load, notice)])),
    received: new Map([[slowId, ofRecords]]),
    stored: stored.filter(({ id }) => !ofUsers.has(id)),
    inFlight: new Map(stored.map(({ id }) => [id, interruptions])),
  });
  const userEvents = new Set([...ofUsers.values()].map(({ event }) => `${event.type} ${event.data.userId}`));
  const lostUsers = (load.users.get(tenant.slug) ?? []).flatMap(({ id, userName }) =>
    ['user.provisioned', 'user.suspended']
      .filter((type) => !userEvents.has(`${type} ${id}`))
      .map((type) => `${type} of ${userName}`),
  );
  return {
    duplicates: duplicates + sumOf([...ofUsers.values()].map(({ taken }) => Math.max(0, taken - 1))),
    wrong: [...[...lost, ...lostUsers].map((one) => `the slow receiver of ${tenant.slug} never got ${one}`), ...wrong],
  };
}

function judgeBroken(
  { tenant, broken }: TenantReceivers,
  ofSlow: readonly StoredDelivery[],
  stored: readonly StoredDelivery[],
): readonly string[] {
  const events = new Set(stored.map(({ eventId }) => eventId));
  const wrong = ofSlow
    .filter(({ eventId }) => !events.has(eventId))
    .map(({ eventId }) => `the event ${eventId} has no delivery to the broken receiver of ${tenant.slug}`);
  const attemptsOfDead = brokenSchedule.length + 1;
  for (const { id, status, attempts, dueAt, claimedUntil } of stored) {
    const refused = broken.deliveries.get(id)?.refused ?? 0;
    const isPlanned = status === 'pending' && (dueAt !== null || claimedUntil !== null);
    const isExhausted = status === 'dead' && attempts === attemptsOfDead && refused >= attempts;
    if (!isPlanned && !isExhausted)
      wrong.push(`the delivery ${id} to the broken receiver of ${tenant.slug} is ${status} after ${attempts} attempts`);
  }
  return wrong;
}

const errorLevel = 50;

/** Servers log no error but an outage of the database, and exit only when they are stopped. */
function listServerFaults(fleet: Fleet): readonly string[] {
  const exited = fleet.servers.filter((server) => server.exitCode() !== null);
  const errors = fleet.all
    .flatMap((server) => server.readLog())
    .filter(({ level, msg }) => level >= errorLevel && msg !== 'database unavailable')
    .map(({ msg, err }) => (err === undefined ? msg : `${msg}: ${err.message}`));
  return [
    ...exited.map((server) => `a server exited with ${server.exitCode()}`),
    ...[...Map.groupBy(errors, (text) => text)].map(
      ([text, { length }]) => `the servers logged ${length} times: ${text}`,
    ),
  ];
}

function idsOf(load: ScaleLoad, noticeId: string): ReadonlyMap<Change, string> {
  return load.confirmed.get(noticeId) ?? new Map();
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
