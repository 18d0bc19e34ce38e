import type {
  Breach,
  BreachChange,
  BreachInput,
  DataSubjectRequest,
  DataSubjectRequestCompletion,
  DataSubjectRequestExtension,
  DataSubjectRequestInput,
} from '../types/api.ts';
import { findPastFault, invalidValues, notFound, Refusal, requirePast } from './refusal.ts';
import type { Sent } from './rules.ts';
import type { Detail } from './validate.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

const hour = 3_600_000;
const longestDsrDays = 90;
const notificationHours = 72;
const breachMoves = { open: ['contained', 'closed'], contained: ['closed'], closed: ['open'] } as const;

/** What the audit log tells the values of; all else may name persons. */
const toldFields = ['severity', 'status', 'authorityNotifiedAt', 'subjectsNotifiedAt', 'closedAt'] as const;

type StoredDsr = Omit<DataSubjectRequest, 'isOverdue'>;
type StoredBreach = Omit<Breach, 'notificationDueAt' | 'isNotificationOverdue'>;

const addHours = (time: string, hours: number) => new Date(Date.parse(time) + hours * hour).toISOString();

/** The operations on requests of data subjects. */
export function dsrHandlers(world: World): Handlers {
  const stored = new Map<string, StoredDsr>();
  const view = (dsr: StoredDsr, now: string): DataSubjectRequest => ({
    ...dsr,
    isOverdue: dsr.status === 'open' && now > dsr.dueAt,
  });
  const find = ({ params }: Call): StoredDsr => {
    const dsr = stored.get(params.id ?? '');
    if (dsr === undefined) throw notFound('data-subject request');
    return dsr;
  };
  const save = (call: Call, dsr: StoredDsr, verb: string, diff: object): DataSubjectRequest => {
    stored.set(dsr.id, dsr);
    const event = { module: 'privacy', action: `dsr.${verb}`, targetId: dsr.id, targetRef: null };
    world.record(call, { ...event, diff: { ...diff, stateHash: stateHash(dsr) } });
    const { id: dsrId, subjectId, type, dueAt, outcome } = dsr;
    if (verb === 'created') world.emit('dsr.created', { dsrId, subjectId, type, dueAt }, call.now);
    if (verb === 'completed') world.emit('dsr.completed', { dsrId, subjectId, type, outcome }, call.now);
    return view(dsr, call.now);
  };
  return {
    createDsr(call: Call<Sent<DataSubjectRequestInput>>) {
      const { now, body } = call;
      const { subjectId, type, channel = null, notes = null, receivedAt = now } = body;
      requirePast('body.receivedAt', receivedAt, now);
      const dueAt = addHours(receivedAt, world.tenant.dsrDays * 24);
      const none = { extendedAt: null, extensionReason: null, outcome: null, reason: null, completedAt: null };
      const rest = { status: 'open' as const, receivedAt, dueAt, ...none, createdAt: now, updatedAt: now };
      const dsr = { id: newId(), subjectId, type, channel, notes, ...rest };
      return save(call, dsr, 'created', { type, receivedAt, dueAt });
    },
    listDsrs({ query, now }) {
      const { status, type, subjectId, overdue } = query;
      const matching = [...stored.values()]
        .reverse()
        .map((dsr) => view(dsr, now))
        .filter(
          (dsr) =>
            (status === undefined || dsr.status === status) &&
            (type === undefined || dsr.type === type) &&
            (subjectId === undefined || dsr.subjectId === subjectId) &&
            (overdue === undefined || String(dsr.isOverdue) === overdue),
        );
      return pageOf(matching, ({ id }) => id, ['dsr', status, type, subjectId, overdue], query);
    },
    getDsr: (call) => view(find(call), call.now),
    extendDsr(call: Call<DataSubjectRequestExtension>) {
      const { now, body } = call;
      const dsr = find(call);
      const refuse = (message: string) => new Refusal(409, 'dsr_extension_not_allowed', message);
      if (dsr.status === 'completed')
        throw new Refusal(409, 'dsr_already_completed', 'The request is completed; there is nothing to extend.');
      if (dsr.extendedAt !== null && dsr.extensionReason === body.reason) return view(dsr, now);
      if (dsr.extendedAt !== null) throw refuse('The period was extended already; that is possible once.');
      if (now > dsr.dueAt) throw refuse('The period has passed; it can be extended while it runs.');
      const hours = (Date.parse(dsr.dueAt) - Date.parse(dsr.receivedAt)) / hour;
      const dueAt = addHours(dsr.receivedAt, Math.min(3 * hours, longestDsrDays * 24));
      const extended = { ...dsr, dueAt, extendedAt: now, extensionReason: body.reason, updatedAt: now };
      return save(call, extended, 'extended', { dueAt: { before: dsr.dueAt, after: dueAt } });
    },
    completeDsr(call: Call<DataSubjectRequestCompletion>) {
      const { now, body } = call;
      const { outcome, reason = null } = body;
      const dsr = find(call);
      if (dsr.status === 'completed') {
        if (dsr.outcome === outcome && dsr.reason === reason) return view(dsr, now);
        const message = `The request was completed before, with the outcome ${dsr.outcome}.`;
        throw new Refusal(409, 'dsr_already_completed', message);
      }
      const completed = { ...dsr, status: 'completed' as const, outcome, reason, completedAt: now, updatedAt: now };
      const status = { before: 'open', after: 'completed' };
      return save(call, completed, 'completed', { status, outcome, completedAt: now });
    },
  };
}

/** The operations on breaches. */
export function breachHandlers(world: World): Handlers {
  const stored = new Map<string, StoredBreach>();
  const find = ({ params }: Call): StoredBreach => {
    const breach = stored.get(params.id ?? '');
    if (breach === undefined) throw notFound('breach');
    return breach;
  };
  const save = (call: Call, breach: StoredBreach, verb: 'reported' | 'updated', diff: object): Breach => {
    stored.set(breach.id, breach);
    const event = { module: 'privacy', action: `breach.${verb}`, targetId: breach.id, targetRef: null };
    world.record(call, { ...event, diff: { ...diff, stateHash: stateHash(breach) } });
    const { id: breachId, severity, status, discoveredAt } = breach;
    const notificationDueAt = addHours(discoveredAt, notificationHours);
    world.emit(`breach.${verb}`, { breachId, severity, status, notificationDueAt }, call.now);
    return viewBreach(breach, call.now);
  };
  return {
    reportBreach(call: Call<Sent<BreachInput>>) {
      const { now, body } = call;
      const { title, description, severity, discoveredAt, affectedSubjects = null, dataCategories = [] } = body;
      requirePast('body.discoveredAt', discoveredAt, now);
      const none = { authorityNotifiedAt: null, subjectsNotifiedAt: null, notificationReason: null, closedAt: null };
      const rest = { affectedSubjects, dataCategories, discoveredAt, ...none, createdAt: now, updatedAt: now };
      const breach = { id: newId(), title, description, severity, status: 'open' as const, ...rest };
      const notificationDueAt = addHours(discoveredAt, notificationHours);
      return save(call, breach, 'reported', { severity, discoveredAt, notificationDueAt });
    },
    listBreaches({ query, now }) {
      const { status, severity } = query;
      const matching = [...stored.values()]
        .reverse()
        .filter((one) => (status ?? one.status) === one.status && (severity ?? one.severity) === one.severity)
        .map((breach) => viewBreach(breach, now));
      return pageOf(matching, ({ id }) => id, ['breach', status, severity], query);
    },
    getBreach: (call) => viewBreach(find(call), call.now),
    editBreach(call: Call<Sent<BreachChange>>) {
      const before = find(call);
      const { breach, changed } = applyChange(before, call.body, call.now);
      if (changed.length === 0) return viewBreach(before, call.now);
      const told = toldFields.filter((name) => changed.includes(name));
      const pick = (one: StoredBreach) => Object.fromEntries(told.map((name) => [name, one[name]]));
      const diff = { changed, before: pick(before), after: pick(breach) };
      return save(call, { ...breach, updatedAt: call.now }, 'updated', diff);
    },
  };
}

function viewBreach(breach: StoredBreach, now: string): Breach {
  const notificationDueAt = addHours(breach.discoveredAt, notificationHours);
  const isWaiting = breach.authorityNotifiedAt === null && breach.notificationReason === null;
  return { ...breach, notificationDueAt, isNotificationOverdue: isWaiting && now > notificationDueAt };
}

function applyChange(before: StoredBreach, change: Sent<BreachChange>, now: string) {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted = { ...before, ...given } as StoredBreach;
  requireMove(before.status, wanted.status);
  const details = [...checkTimes(before, change, now), ...checkReason(wanted)];
  if (details.length > 0) throw invalidValues(details);
  const stays = before.status === 'closed' ? before.closedAt : now;
  const breach = { ...wanted, closedAt: wanted.status === 'closed' ? stays : null };
  const names = Object.keys(before) as (keyof StoredBreach)[];
  return { breach, changed: names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(breach[name])) };
}

function requireMove(from: Breach['status'], to: Breach['status']): void {
  const allowed: readonly string[] = breachMoves[from];
  if (from === to || allowed.includes(to)) return;
  const message = `An incident that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`;
  throw new Refusal(409, 'breach_transition_not_allowed', message, { fields: { from, to, allowed } });
}

function checkTimes({ discoveredAt }: StoredBreach, change: Sent<BreachChange>, now: string): readonly Detail[] {
  return (['authorityNotifiedAt', 'subjectsNotifiedAt'] as const).flatMap((name) => {
    const time = change[name] ?? null;
    const path = `body.${name}`;
    const issue = time === null ? null : findPastFault(time, now);
    if (issue !== null) return [{ path, issue }];
    const isEarly = time !== null && time < discoveredAt;
    return isEarly ? [{ path, issue: 'must not be before the incident was discovered' }] : [];
  });
}

function checkReason(wanted: StoredBreach): readonly Detail[] {
  const { authorityNotifiedAt, notificationReason, discoveredAt, status } = wanted;
  const path = 'body.notificationReason';
  if (notificationReason !== null) return [];
  if (authorityNotifiedAt !== null && authorityNotifiedAt > addHours(discoveredAt, notificationHours))
    return [{ path, issue: 'is required when the authority was notified later than 72 hours after the discovery' }];
  if (status === 'closed' && authorityNotifiedAt === null)
    return [{ path, issue: 'is required to close an incident that the authority was not notified of' }];
  return [];
}
