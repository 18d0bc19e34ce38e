import { randomBytes } from 'node:crypto';
import type { CreatedScimToken, ScimToken } from '../types/api.ts';
import { notFound } from './refusal.ts';
import { requireRoleToGive } from './roles.ts';
import { type Call, type Handlers, newId, stateHash, type World } from './world.ts';

/** The SCIM token of the tenant: there is one to begin with. */
export class ScimTokens {
  readonly #world: World;
  #current: CreatedScimToken | null;

  /** @param token the one to begin with. */
  constructor(world: World, token: string, now: string) {
    this.#world = world;
    this.#current = make(token, now);
  }

  /** The id of the token that a request shows, which is thereby used; undefined where it is not the one that holds. */
  use(token: string, now: string): string | undefined {
    if (this.#current?.token !== token) return undefined;
    this.#current = { ...this.#current, lastUsedAt: now };
    return this.#current.id;
  }

  /** The operations on the token. */
  handlers(): Handlers {
    return {
      getScimToken: () => view(this.#current),
      createScimToken: (call): CreatedScimToken => {
        requireRoleToGive(call.scopes, 'admin');
        this.#revoke(call);
        const made = make(`scim_${randomBytes(19).toString('hex')}`, call.now);
        this.#current = made;
        this.#record(call, made, 'created');
        return made;
      },
      revokeScimToken: (call) => view(this.#revoke(call)),
    };
  }

  #revoke(call: Call): CreatedScimToken | null {
    const revoked = this.#current;
    this.#current = null;
    if (revoked !== null) this.#record(call, revoked, 'revoked');
    return revoked;
  }

  #record(call: Call, token: CreatedScimToken, verb: string): void {
    const event = {
      module: 'access',
      action: `scim_token.${verb}`,
      targetId: token.id,
      targetRef: token.displayPrefix,
    };
    this.#world.record(call, { ...event, diff: { stateHash: stateHash(token) } });
  }
}

function make(token: string, now: string): CreatedScimToken {
  return { id: newId(), displayPrefix: token.slice(0, 9), createdAt: now, lastUsedAt: null, token };
}

function view(token: CreatedScimToken | null): ScimToken {
  if (token === null) throw notFound('SCIM token');
  const { token: _, ...shown } = token;
  return shown;
}
