import { randomBytes } from 'node:crypto';
import type {
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookInput,
  WebhookSecretRotation,
  WebhookWithSecret,
} from '../types/api.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { type StoredWebhook, viewDelivery, type WebhookState } from './webhook-state.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

const mostWebhooks = 50;
const mostPreviousSecrets = 10;
/** The types of events in the order of the server, in which it keeps those of a webhook. */
const eventTypes: readonly string[] = requestRules.rules.flatMap((rule) =>
  rule[0] === 'enum' && rule[1].includes('webhook.test') ? rule[1] : [],
);

/** The operations on webhooks. Whether an address is on the public internet is not looked at. */
export function webhookHandlers(world: World, state: WebhookState): Handlers {
  const stored = state.webhooks;
  const find = ({ params }: Call): StoredWebhook => {
    const webhook = stored.get(params.id ?? '');
    if (webhook === undefined) throw notFound('webhook');
    return webhook;
  };
  const record = (call: Call, webhook: Webhook, verb: string, diff: object): void => {
    const event = { module: 'webhooks', action: `webhook.${verb}`, targetId: webhook.id, targetRef: hostOf(webhook) };
    world.record(call, { ...event, diff: { ...diff } });
  };
  const save = (call: Call, webhook: StoredWebhook, verb: string, diff: object): Webhook => {
    stored.set(webhook.id, webhook);
    record(call, webhook, verb, { ...diff, stateHash: stateHash(webhook) });
    return view(webhook, call.now);
  };
  const requireAddress = (url: string): void => {
    if (!url.startsWith('https://')) {
      const issue = 'must begin with https://, so that nobody on the way reads or changes a delivery';
      throw invalidValues([{ path: 'body.url', issue }]);
    }
    const other = [...stored.values()].find((webhook) => webhook.url === url);
    if (other !== undefined) throw conflict(`There is a webhook with this address already: ${other.id}.`);
  };
  return {
    createWebhook(call: Call<WebhookInput>): WebhookWithSecret {
      const { now, body } = call;
      const { url, description = null, eventTypes: types = null, status = 'enabled' } = body;
      const { filter = null, rateLimit = null, retrySchedule = null, asymmetric = false } = body;
      requireAddress(url);
      if (stored.size >= mostWebhooks) throw conflict(`A tenant may have at most ${mostWebhooks} webhooks.`);
      const none = { disabledReason: null, disabledAt: null, failingSince: null, lastError: null, pausedUntil: null };
      const noSecrets = { previousSecrets: 0, previousSecretExpiresAt: null, secretEnds: [] };
      const rest = { ...none, ...noSecrets, createdAt: now, updatedAt: now };
      const sending = { filter, rateLimit, retrySchedule, asymmetric, publicKey: newPublicKey(asymmetric) };
      const webhook = { id: newId(), url, description, eventTypes: sortTypes(types), ...sending, status, ...rest };
      return { ...save(call, webhook, 'created', tell(webhook)), secret: newSecret() };
    },
    listWebhooks({ query, now }) {
      const matching = [...stored.values()].reverse().filter(({ status }) => status === (query.status ?? status));
      const views = matching.map((webhook) => view(webhook, now));
      return pageOf(views, ({ id }) => id, ['webhooks', query.status], query);
    },
    getWebhook: (call) => view(find(call), call.now),
    editWebhook(call: Call<WebhookChange>) {
      const before = find(call);
      const given = Object.fromEntries(Object.entries(call.body).filter(([, value]) => value !== undefined));
      const wanted = { ...before, ...given } as StoredWebhook;
      const publicKey = before.asymmetric === wanted.asymmetric ? before.publicKey : newPublicKey(wanted.asymmetric);
      const edited = { ...wanted, eventTypes: sortTypes(wanted.eventTypes), publicKey };
      const after = startAnew(before, edited);
      const changed = editable.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      if (changed.length === 0) return view(before, call.now);
      if (changed.includes('url')) requireAddress(after.url);
      const told: readonly string[] = changed.map((name) => (name === 'url' ? 'host' : name));
      const pick = (webhook: Webhook) =>
        Object.fromEntries(Object.entries(tell(webhook)).filter(([name]) => told.includes(name)));
      const diff = { changed, before: pick(before), after: pick(after) };
      if (before.status !== 'enabled' && after.status === 'enabled') state.resume(after.id, call.now);
      return save(call, { ...after, updatedAt: call.now }, 'edited', diff);
    },
    deleteWebhook(call) {
      const webhook = find(call);
      stored.delete(webhook.id);
      state.deletedIds.add(webhook.id);
      for (const waiting of state.pendingOf(webhook.id)) state.end(waiting, 'canceled', call.now, null);
      record(call, webhook, 'deleted', { deletedAt: call.now, stateHash: stateHash({ ...webhook, url: '' }) });
      return null;
    },
    rotateWebhookSecret(call: Call<Required<WebhookSecretRotation>>): WebhookWithSecret {
      const { now, body } = call;
      const hours = body.overlapHours ?? 0;
      const end = new Date(Date.parse(now) + hours * 3_600_000).toISOString();
      const before = find(call);
      const lasting = before.secretEnds.filter((one) => one > now);
      const secretEnds = hours === 0 ? [] : [end, ...lasting].slice(0, mostPreviousSecrets);
      const webhook = { ...before, secretEnds, updatedAt: now };
      const { previousSecrets, previousSecretExpiresAt } = view(webhook, now);
      const diff = { previousSecrets, previousSecretExpiresAt };
      return { ...save(call, webhook, 'secret_rotated', diff), secret: newSecret() };
    },
    testWebhook(call): WebhookDelivery {
      const webhook = find(call);
      if (webhook.status !== 'enabled') {
        const message = `The webhook is ${webhook.status}; enable it to send it a test.`;
        const fields = { requiredStatus: 'enabled', actualStatus: webhook.status };
        throw new Refusal(409, 'webhook_not_enabled', message, { fields });
      }
      const delivery = state.addTest(webhook.id, call.now);
      record(call, webhook, 'tested', { deliveryId: delivery.id });
      return viewDelivery(delivery);
    },
  };
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
const newSecret = (): string => `whsec_${randomBytes(33).toString('base64').replace(/[+/]/g, '0')}`;
const hostOf = ({ url }: Webhook): string => new URL(url).host;

const newPublicKey = (isWanted: boolean): string | null =>
  isWanted ? `whpk_${randomBytes(32).toString('base64')}` : null;
const sendingFields = ['filter', 'rateLimit', 'retrySchedule', 'asymmetric'] as const;
const editable = ['url', 'description', 'eventTypes', ...sendingFields, 'status'] as const;

/** What the audit log tells of a webhook: of a filter its paths, and not its values. */
function tell(webhook: Webhook) {
  const { eventTypes: types, filter, rateLimit, retrySchedule, asymmetric, status } = webhook;
  const sending = { filter: filter && Object.keys(filter), rateLimit, retrySchedule, asymmetric };
  return { host: hostOf(webhook), eventTypes: types, ...sending, status };
}

/** A status that the caller sets ends what the server itself decided; failures at another address count no more. */
function startAnew(before: StoredWebhook, after: StoredWebhook): StoredWebhook {
  const [was, is] = [before.status, after.status];
  const isAnew =
    before.url !== after.url || (was !== 'enabled' && is === 'enabled') || (was === 'disabled' && is !== was);
  return {
    ...after,
    ...(is !== 'disabled' && { disabledReason: null, disabledAt: null }),
    ...(isAnew && { failingSince: null, lastError: null, pausedUntil: null }),
  };
}

/** A previous secret that has expired is none, nor is a pause that is over. */
function view({ secretEnds, ...webhook }: StoredWebhook, now: string): Webhook {
  const ends = secretEnds.filter((end) => end > now).toSorted();
  const pausedUntil = webhook.pausedUntil !== null && webhook.pausedUntil > now ? webhook.pausedUntil : null;
  return { ...webhook, pausedUntil, previousSecrets: ends.length, previousSecretExpiresAt: ends.at(-1) ?? null };
}

function sortTypes(types: WebhookInput['eventTypes']): Webhook['eventTypes'] {
  return types?.toSorted((one, other) => eventTypes.indexOf(one) - eventTypes.indexOf(other)) ?? null;
}
