import { randomBytes } from 'node:crypto';
import type {
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookInput,
  WebhookSecretRotation,
  WebhookWithSecret,
} from '../types/webhooks.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

const mostWebhooks = 50;
/** The types of events in the order of the server, in which it keeps those of a webhook. */
const eventTypes: readonly string[] = requestRules.rules.flatMap((rule) =>
  rule[0] === 'enum' && rule[1].includes('webhook.test') ? rule[1] : [],
);

/**
 * The operations on webhooks, but for their deliveries: nothing is sent. Whether an address is on the public internet is
 * not looked at either.
 */
export function webhookHandlers(world: World): Handlers {
  const stored = new Map<string, Webhook>();
  const find = ({ params }: Call): Webhook => {
    const webhook = stored.get(params.id ?? '');
    if (webhook === undefined) throw notFound('webhook');
    return webhook;
  };
  const record = (call: Call, webhook: Webhook, verb: string, diff: object): void => {
    const event = { module: 'webhooks', action: `webhook.${verb}`, targetId: webhook.id, targetRef: hostOf(webhook) };
    world.record(call, { ...event, diff: { ...diff } });
  };
  const save = (call: Call, webhook: Webhook, verb: string, diff: object): Webhook => {
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
      requireAddress(url);
      if (stored.size >= mostWebhooks) throw conflict(`A tenant may have at most ${mostWebhooks} webhooks.`);
      const none = { disabledReason: null, disabledAt: null, failingSince: null, lastError: null };
      const rest = { ...none, previousSecretExpiresAt: null, createdAt: now, updatedAt: now };
      const webhook = { id: newId(), url, description, eventTypes: sortTypes(types), status, ...rest };
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
      const wanted = { ...before, ...given } as Webhook;
      const after = { ...wanted, eventTypes: sortTypes(wanted.eventTypes) };
      const names = ['url', 'description', 'eventTypes', 'status'] as const;
      const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      if (changed.length === 0) return view(before, call.now);
      if (changed.includes('url')) requireAddress(after.url);
      const told: readonly string[] = changed.map((name) => (name === 'url' ? 'host' : name));
      const pick = (webhook: Webhook) =>
        Object.fromEntries(Object.entries(tell(webhook)).filter(([name]) => told.includes(name)));
      const diff = { changed, before: pick(before), after: pick(after) };
      return save(call, { ...after, updatedAt: call.now }, 'edited', diff);
    },
    deleteWebhook(call) {
      const webhook = find(call);
      stored.delete(webhook.id);
      record(call, webhook, 'deleted', { deletedAt: call.now, stateHash: stateHash({ ...webhook, url: '' }) });
      return null;
    },
    rotateWebhookSecret(call: Call<Required<WebhookSecretRotation>>): WebhookWithSecret {
      const { now, body } = call;
      const hours = body.overlapHours ?? 0;
      const end = hours === 0 ? null : new Date(Date.parse(now) + hours * 3_600_000).toISOString();
      const webhook = { ...find(call), previousSecretExpiresAt: end, updatedAt: now };
      return { ...save(call, webhook, 'secret_rotated', { previousSecretExpiresAt: end }), secret: newSecret() };
    },
    testWebhook(call): WebhookDelivery {
      const webhook = find(call);
      if (webhook.status !== 'enabled') {
        const message = `The webhook is ${webhook.status}; enable it to send it a test.`;
        const fields = { requiredStatus: 'enabled', actualStatus: webhook.status };
        throw new Refusal(409, 'webhook_not_enabled', message, { fields });
      }
      const { now } = call;
      const ids = { id: newId(), webhookId: webhook.id, eventId: newId() };
      record(call, webhook, 'tested', { deliveryId: ids.id });
      return {
        ...{ ...ids, eventType: 'webhook.test', status: 'pending', reason: null, responseStatus: null },
        ...{ attemptCount: 0, firstAttemptAt: null, nextAttemptAt: now, redeliveryOf: null },
        ...{ createdAt: now, finishedAt: null },
      };
    },
  };
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
const newSecret = (): string => `whsec_${randomBytes(33).toString('base64').replace(/[+/]/g, '0')}`;
const hostOf = ({ url }: Webhook): string => new URL(url).host;

/** What the audit log tells of a webhook. */
function tell(webhook: Webhook) {
  const { eventTypes: types, status } = webhook;
  return { host: hostOf(webhook), eventTypes: types, status };
}

/** A previous secret that has expired is none. */
function view(webhook: Webhook, now: string): Webhook {
  const { previousSecretExpiresAt: end } = webhook;
  return { ...webhook, previousSecretExpiresAt: end !== null && end > now ? end : null };
}

function sortTypes(types: WebhookInput['eventTypes']): Webhook['eventTypes'] {
  return types?.toSorted((one, other) => eventTypes.indexOf(one) - eventTypes.indexOf(other)) ?? null;
}
