import { randomBytes } from 'node:crypto';
import { canonicalize } from '../ledger/canonical.ts';
import type { ApiKey, Scope } from '../types/access.ts';
import type { TrustCenter, TrustWidget } from '../types/trust.ts';
import { invalidValues, notFound } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { type Call, type Handlers, newId, pageOf, stateHash, type World } from './world.ts';

type TrustContent = Omit<TrustCenter, 'slug' | 'name' | 'url' | 'published' | 'publishedAt' | 'updatedAt'>;

const emptyContent: TrustContent = {
  headline: null,
  description: null,
  contactEmail: null,
  securityContact: null,
  frameworks: [],
  links: [],
  subprocessors: [],
  showsProof: false,
};

/** The operations on the trust center. @param locate the address of the server. */
export function trustHandlers(world: World, locate: () => string): Handlers {
  const { slug, tenantName: name } = world;
  const id = newId();
  let center = { content: emptyContent, publishedAt: null as string | null, updatedAt: null as string | null };
  const view = (): TrustCenter => {
    const { content, publishedAt, updatedAt } = center;
    const url = `${locate()}/trust/${slug}`;
    return { slug, name, url, published: publishedAt !== null, ...content, publishedAt, updatedAt };
  };
  const record = (call: Call, verb: string, diff: object) => {
    const event = { module: 'trust', action: `trust_center.${verb}`, targetId: id, targetRef: slug };
    world.record(call, { ...event, diff: { ...diff, stateHash: stateHash(center) } });
  };
  return {
    getTrustCenter: view,
    replaceTrustCenter(call: Call<TrustContent & { readonly published: boolean }>) {
      const { published, ...wanted } = call.body;
      requireAchieved(wanted, call.now);
      const content = { ...wanted, frameworks: sortFrameworks(wanted.frameworks) };
      const names = Object.keys(emptyContent) as (keyof TrustContent)[];
      const fields = names.filter((field) => canonicalize(content[field]) !== canonicalize(center.content[field]));
      const [wasSet, wasPublished] = [center.updatedAt !== null, center.publishedAt !== null];
      if (fields.length === 0 && published === wasPublished) return view();
      center = { content, publishedAt: published ? (center.publishedAt ?? call.now) : null, updatedAt: call.now };
      if (!wasSet || fields.length > 0) record(call, wasSet ? 'edited' : 'created', { fields });
      const change = { before: wasPublished, after: published };
      if (published !== wasPublished) record(call, published ? 'published' : 'unpublished', { published: change });
      return view();
    },
    getPublicTrustWidget({ params, now }): TrustWidget {
      const { content, publishedAt, updatedAt } = center;
      if (params.slug !== slug || publishedAt === null || updatedAt === null) throw notFound('published trust center');
      const current = content.frameworks.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
      return { name, slug, achievedFrameworks: current.map(({ code }) => nameFramework(code)), updatedAt };
    },
  };
}

const placeOf = (code: string) => requestRules.frameworks.findIndex(([known]) => known === code);
const nameFramework = (code: string) => requestRules.frameworks[placeOf(code)]?.[1] ?? code;

function sortFrameworks(frameworks: TrustContent['frameworks']): TrustContent['frameworks'] {
  return frameworks.toSorted((one, other) => placeOf(one.code) - placeOf(other.code));
}

function requireAchieved({ frameworks }: TrustContent, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) =>
    achievedAt > now ? [{ path: `body.frameworks.${index}.achievedAt`, issue: 'must not be in the future' }] : [],
  );
  if (details.length > 0) throw invalidValues(details);
}

/** The API keys of the tenant, which a test makes. */
export class Keys {
  readonly #tenantId: string;
  readonly #keys = new Map<string, ApiKey>();

  constructor({ tenantId }: World) {
    this.#tenantId = tenantId;
  }

  /** Makes a key. @returns the key itself. */
  create(name: string, scopes: readonly Scope[], now: string): string {
    const token = `svc_test_${randomBytes(24).toString('hex')}`;
    this.#keys.set(token, {
      id: newId(),
      tenantId: this.#tenantId,
      name,
      environment: 'test',
      displayPrefix: token.slice(0, 13),
      scopes,
      otherTenantIds: [],
      createdAt: now,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replacedById: null,
      status: 'active',
    });
    return token;
  }

  /** The key that a request shows, which is thereby used. */
  use(token: string, now: string): ApiKey | undefined {
    const key = this.#keys.get(token);
    if (key !== undefined) this.#keys.set(token, { ...key, lastUsedAt: now });
    return key;
  }

  /** The operations that read keys. */
  handlers(): Handlers {
    return {
      listApiKeys: ({ query }) => {
        const keys = [...this.#keys.values()].reverse();
        const matching = keys.filter(({ status }) => status === (query.status ?? status));
        return pageOf(matching, ({ id }) => id, ['api keys', query.status], query);
      },
      getApiKey: ({ params }) => {
        const key = [...this.#keys.values()].find(({ id }) => id === params.id);
        if (key === undefined) throw notFound('API key');
        return key;
      },
    };
  }
}
