import { randomBytes } from 'node:crypto';
import type { ApiKey, ApiKeyInput, CreatedApiKey, Scope } from '../types/api.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

const hour = 3_600_000;
/** Later times have no year of four digits. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

type StoredKey = Omit<ApiKey, 'status'> & { readonly token: string };
type FullInput = { readonly [Name in keyof ApiKeyInput]-?: Exclude<ApiKeyInput[Name], undefined | Date> };

/** The API keys of the tenant: those that a test made, and those that were made over the API. */
export class Keys {
  readonly #world: () => World;
  /** Oldest first. */
  #keys = new Map<string, StoredKey>();
  /** As the test made them, which is how they are again after a reset. */
  readonly #own = new Map<string, StoredKey>();

  constructor(world: () => World) {
    this.#world = world;
  }

  /** Makes a key for a test. @returns the key itself. */
  create(scopes: readonly Scope[], now: string): string {
    const key = this.#make({ name: 'test', environment: 'test', scopes, expiresAt: null }, now);
    this.#own.set(key.id, key);
    this.#keys.set(key.id, key);
    return key.token;
  }

  /** The key that a request shows, which is thereby used; undefined where it has expired or was revoked. */
  use(token: string, now: string): ApiKey | undefined {
    const key = [...this.#keys.values()].find((one) => one.token === token);
    if (key === undefined || statusOf(key, now) !== 'active') return undefined;
    this.#keys.set(key.id, { ...key, lastUsedAt: now });
    return view(key, now);
  }

  /** Forgets the keys that were made over the API, and what became of the others. */
  reset(): void {
    this.#keys = new Map(this.#own);
  }

  /** The operations on keys. */
  handlers(): Handlers {
    return {
      listApiKeys: ({ query, now }) => {
        const keys = [...this.#keys.values()].reverse().map((key) => view(key, now));
        const matching = keys.filter(({ status }) => status === (query.status ?? status));
        return pageOf(matching, ({ id }) => id, ['api keys', query.status], query);
      },
      createApiKey: (call: Call<FullInput>) => this.#add(call),
      getApiKey: ({ params, now }) => view(this.#require(params.id), now),
      revokeApiKey: (call) => this.#revoke(call),
      rotateApiKey: (call: Call<{ readonly overlapHours: number }>) => this.#rotate(call),
    };
  }

  #require(id: string | undefined): StoredKey {
    const key = this.#keys.get(id ?? '');
    if (key === undefined) throw notFound('API key');
    return key;
  }

  #make({ name, environment, scopes, expiresAt }: Wanted, now: string): StoredKey {
    const token = `svc_${environment}_${randomBytes(19).toString('hex')}`;
    const none = { otherTenantIds: [], revokedAt: null, lastUsedAt: null, replacedById: null };
    const { tenantId } = this.#world();
    const displayPrefix = token.slice(0, 13);
    return {
      ...none,
      id: newId(),
      tenantId,
      name,
      environment,
      displayPrefix,
      scopes,
      createdAt: now,
      expiresAt,
      token,
    };
  }

  #add(call: Call<FullInput>): CreatedApiKey {
    const { name, environment, scopes, expiresAt, otherTenantIds } = call.body;
    if (expiresAt !== null && expiresAt <= call.now) refuseValue('expiresAt', 'must be in the future');
    if (otherTenantIds.includes(this.#world().tenantId))
      refuseValue('otherTenantIds', 'must not name the tenant of the key itself');
    requireRights(call, scopes);
    // There is no other tenant here.
    if (otherTenantIds.length > 0)
      throw forbidden('A key may only act for other tenants in which you may create keys yourself.');
    return this.#show(call, this.#make({ name, environment, scopes, expiresAt }, call.now));
  }

  #show(call: Call, key: StoredKey): CreatedApiKey {
    const { scopes, expiresAt, otherTenantIds } = key;
    this.#save(call, key, 'created', { scopes, expiresAt, otherTenantIds });
    return { ...view(key, call.now), key: key.token };
  }

  #revoke(call: Call): ApiKey {
    const key = this.#require(call.params.id);
    if (key.revokedAt !== null) return view(key, call.now);
    const revoked = { ...key, revokedAt: call.now };
    this.#save(call, revoked, 'revoked', { revokedAt: call.now });
    return view(revoked, call.now);
  }

  #rotate(call: Call<{ readonly overlapHours: number }>): CreatedApiKey {
    const { now, body } = call;
    const old = this.#require(call.params.id);
    const status = statusOf(old, now);
    if (status !== 'active') throw conflict(`The key is ${status}; create a new one.`);
    if (old.replacedById !== null)
      throw conflict(`The key was rotated before; rotate the one in its place: ${old.replacedById}.`);
    requireRights(call, old.scopes);
    const made = this.#make({ ...old, expiresAt: successorEnd(old, now) }, now);
    const shown = this.#show(call, made);
    const end = new Date(Date.parse(now) + body.overlapHours * hour).toISOString();
    const expiresAt = old.expiresAt !== null && old.expiresAt < end ? old.expiresAt : end;
    const diff = { before: { expiresAt: old.expiresAt }, after: { expiresAt }, replacedById: made.id };
    this.#save(call, { ...old, expiresAt, replacedById: made.id }, 'rotated', diff);
    return shown;
  }

  #save(call: Call, key: StoredKey, verb: string, diff: object): void {
    this.#keys.set(key.id, key);
    const event = { module: 'access', action: `api_key.${verb}`, targetId: key.id, targetRef: key.name };
    this.#world().record(call, { ...event, diff: { ...diff, stateHash: stateHash(key) } });
  }
}

type Wanted = Pick<ApiKey, 'name' | 'environment' | 'scopes' | 'expiresAt'>;

/** The new key lives as long from now on as the old one was to live. */
function successorEnd({ createdAt, expiresAt }: StoredKey, now: string): string | null {
  if (expiresAt === null) return null;
  const lifetime = Date.parse(expiresAt) - Date.parse(createdAt);
  return new Date(Math.min(Date.parse(now) + lifetime, endOfTime)).toISOString();
}

function statusOf({ revokedAt, expiresAt }: StoredKey, now: string): ApiKey['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function view({ token: _, ...key }: StoredKey, now: string): ApiKey {
  return { ...key, status: statusOf({ ...key, token: '' }, now) };
}

function requireRights({ scopes: held }: Call, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !held.includes(scope));
  if (lacking.length > 0)
    throw forbidden(`You cannot give scopes to a key that you lack yourself: ${lacking.join(', ')}.`);
}

const conflict = (message: string): Refusal => new Refusal(409, 'conflict', message);
const forbidden = (message: string): Refusal => new Refusal(403, 'forbidden', message);
const refuseValue = (name: string, issue: string): never => {
  throw invalidValues([{ path: `body.${name}`, issue }]);
};
