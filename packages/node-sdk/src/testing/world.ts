import { hash, randomBytes } from 'node:crypto';
import { canonicalize } from '../ledger/canonical.ts';
import type { AuditEvent, AuditEventDetail, Scope, Tenant, WebhookEventType } from '../types/api.ts';
import type { Json } from '../types/values.ts';
import { notFound, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import type { OperationRow } from './rules.ts';

/** A request that was recognised and validated. */
export interface Call<Body = unknown> {
  readonly operation: OperationRow;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly body: Body;
  readonly now: string;
  /** The id of the API key or of the SCIM token; null for a visitor. */
  readonly keyId: string | null;
  /** What the key may do. */
  readonly scopes: readonly Scope[];
  /** The address that was asked. */
  readonly baseUrl: string;
  readonly origin: string | undefined;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Who makes a request. */
export type Caller = Pick<Call, 'now' | 'keyId' | 'address' | 'userAgent'>;

/** What answers an operation: the payload of its answer. */
// biome-ignore lint/suspicious/noExplicitAny: each handler gets the body that the table of rules let through
export type Handlers = Readonly<Record<string, (call: Call<any>) => unknown>>;

/** What happened, to be told by the audit log. */
export interface NewEvent {
  readonly module: string;
  readonly action: string;
  readonly targetId: string | null;
  readonly targetRef: string | null;
  readonly diff?: Readonly<Record<string, unknown>>;
  readonly reason?: string | undefined;
  /** The person who did it, where it is not the caller. */
  readonly person?: { readonly id: string; readonly email: string };
}

/** What happened, to be told to webhooks. */
export interface Happening {
  readonly type: WebhookEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

let lastTime = 0;
let counter = 0;

/** A new id (UUID version 7); later ones sort after earlier ones. */
export function newId(): string {
  counter += 1;
  const now = Date.now();
  if (now > lastTime || counter > 0xfff) [lastTime, counter] = [Math.max(now, lastTime + 1), 0];
  const time = lastTime.toString(16).padStart(12, '0');
  const [tail, order] = [randomBytes(8), counter.toString(16).padStart(3, '0')];
  tail[0] = ((tail[0] as number) & 0x3f) | 0x80;
  const end = tail.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${end.slice(0, 4)}-${end.slice(4)}`;
}

/** A keyed hash, as the server keeps of addresses and user agents. */
export function hashPrivately(value: string | null | undefined): string | null {
  return value === null || value === undefined ? null : hash('sha256', `a test has no secrets ${value}`);
}

/** An entry as it stands in a ledger. */
export interface ChainEntry {
  readonly sequence: number;
  readonly at: string;
  readonly prevHash: string | null;
  readonly hash: string;
  /** The canonical text that was hashed. */
  readonly text: string;
}

/** The hash chain of a ledger: SHA-256 over the previous hash and the canonical entry. */
export class Chain {
  /** Oldest first. */
  readonly entries: ChainEntry[] = [];
  #hash: string | null = null;
  #at = '';
  #sequence = 0;

  /** Appends an entry; its time is never before that of the one before it. */
  append(now: string, write: (place: { readonly sequence: number; readonly at: string }) => object) {
    this.#sequence += 1;
    // Servers whose clocks differ by less than a second do not show it.
    if (now > this.#at || Date.parse(this.#at) - Date.parse(now) > 1000) this.#at = now;
    const [sequence, at, prevHash] = [this.#sequence, this.#at, this.#hash];
    const text = canonicalize(write({ sequence, at }));
    this.#hash = hash('sha256', (prevHash ?? '') + text);
    const entry = { sequence, at, prevHash, hash: this.#hash, text };
    this.entries.push(entry);
    return entry;
  }
}

/** The audit log, and what all features share. */
export class World {
  readonly tenantId: string;
  readonly slug = 'test';
  /** The tenant with its settings. */
  tenant: Tenant;
  /** Oldest first. */
  readonly events: AuditEventDetail[] = [];
  readonly ledgers = { audit: new Chain(), consent: new Chain() };
  /** Who is told what happens: the webhooks. */
  listener: (happening: Happening, now: string) => void = () => {};

  constructor(tenantId: string, now: string) {
    this.tenantId = tenantId;
    this.tenant = {
      ...{ id: tenantId, slug: this.slug, apiVersion: requestRules.versions.at(-1) ?? '', name: 'Test' },
      ...{ defaultRole: 'cs_agent', scimCompatibility: 'strict', sso: { attributeMap: { scimGroupRoleMap: {} } } },
      ...{ requireSecondFactor: false, dsrDays: 30, createdAt: now },
    };
  }

  /** Tells webhooks what happened. */
  emit(type: WebhookEventType, data: Happening['data'], now: string): void {
    this.listener({ type, data: JSON.parse(JSON.stringify(data)) }, now);
  }

  /** Tells the audit log what a caller did; without one it was the server itself. */
  record(call: Caller | null, event: NewEvent, now = call?.now ?? ''): void {
    const isCaller = call !== null && call.keyId !== null;
    const { person } = event;
    const rest = {
      id: newId(),
      actorId: person?.id ?? (isCaller ? call.keyId : null),
      actorEmail: person?.email ?? null,
      actorType: person ? ('user' as const) : isCaller ? ('api_key' as const) : ('system' as const),
      action: event.action,
      module: event.module,
      targetId: event.targetId,
      targetRef: event.targetRef,
      ip: isCaller ? hashPrivately(call.address) : null,
      userAgent: isCaller ? hashPrivately(call.userAgent) : null,
      ...(event.diff !== undefined && { diff: JSON.parse(JSON.stringify(event.diff)) as Json }),
      reason: event.reason ?? null,
    };
    const { at, hash, prevHash } = this.ledgers.audit.append(now, (place) => ({
      ...rest,
      at: place.at,
      tenantId: this.tenantId,
    }));
    this.events.push({ ...rest, at, hash, prevHash });
  }
}

/** The hash that an event tells of a row that may change. */
export function stateHash(row: object): string {
  return hash('sha256', canonicalize(JSON.parse(JSON.stringify(row))));
}

/** One page of a list, as far as a cursor and a limit say. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * Cuts a page out of a list.
 * @param items newest first, their keys falling.
 * @param list what names the list with its filters: a cursor is good for it alone.
 */
export function slicePage<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
  list: readonly unknown[],
  { cursor, limit }: Call['query'],
): Slice<Item> {
  const binding = hash('sha256', JSON.stringify(list), 'base64url').slice(0, 12);
  const rest = cursor === undefined ? items : items.slice(findStart(items, keyOf, String(cursor), binding));
  const page = rest.slice(0, Number(limit));
  const last = page.at(-1);
  const hasMore = last !== undefined && rest.length > page.length;
  const next = hasMore ? Buffer.from(JSON.stringify([keyOf(last), binding])).toString('base64url') : null;
  return { items: page, nextCursor: next };
}

function findStart<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
  cursor: string,
  binding: string,
): number {
  let read: unknown;
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    read = bytes.toString('base64url') === cursor ? JSON.parse(bytes.toString()) : null;
  } catch {
    read = null;
  }
  const [key, bound] = Array.isArray(read) ? read : [];
  if (bound !== binding || !['string', 'number'].includes(typeof key))
    throw new Refusal(400, 'invalid_cursor', 'Use the nextCursor of an earlier page, with the same filters.');
  const start = items.findIndex((item) => keyOf(item) < key);
  return start === -1 ? items.length : start;
}

/** A page in the form of the consent lists. */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
  list: readonly unknown[],
  query: Call['query'],
): object {
  const { items: data, nextCursor } = slicePage(items, keyOf, list, query);
  const { cursor = null, limit } = query;
  return { data, page: { cursor, nextCursor, limit, total: items.length } };
}

/** The operations on the audit log. */
export function auditHandlers(world: World): Handlers {
  return {
    listAuditEvents({ query }) {
      const { module, actor, from, to } = query;
      const numbered = world.events.map((event, index) => ({ event, number: index + 1 })).reverse();
      const matching = numbered.filter(
        ({ event }) =>
          (module === undefined || event.module === module) &&
          (actor === undefined || event.actorType === actor) &&
          (from === undefined || event.at >= String(from)) &&
          (to === undefined || event.at < String(to)),
      );
      const list = ['audit', module, actor, from, to];
      const { items, nextCursor } = slicePage(matching, ({ number }) => number, list, query);
      return { items: items.map(({ event }) => listItem(event)), nextCursor };
    },
    getAuditEvent({ params }) {
      const event = world.events.find(({ id }) => id === params.id);
      if (event === undefined) throw notFound('audit event');
      return event;
    },
  };
}

function listItem({ ip: _ip, userAgent: _agent, diff: _diff, reason: _reason, ...item }: AuditEventDetail): AuditEvent {
  return item;
}
