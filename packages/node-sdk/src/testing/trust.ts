import { canonicalize } from '../ledger/canonical.ts';
import type { TrustCenter, TrustWidget } from '../types/api.ts';
import { findPastFault, invalidValues, notFound } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { type Call, type Handlers, newId, stateHash, type World } from './world.ts';

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
  const { slug } = world;
  const id = newId();
  let center = { content: emptyContent, publishedAt: null as string | null, updatedAt: null as string | null };
  const view = (): TrustCenter => {
    const { content, publishedAt, updatedAt } = center;
    const url = `${locate()}/trust/${slug}`;
    return { slug, name: world.tenant.name, url, published: publishedAt !== null, ...content, publishedAt, updatedAt };
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
      return {
        name: world.tenant.name,
        slug,
        achievedFrameworks: current.map(({ code }) => nameFramework(code)),
        updatedAt,
      };
    },
  };
}

const placeOf = (code: string) => requestRules.frameworks.findIndex(([known]) => known === code);
const nameFramework = (code: string) => requestRules.frameworks[placeOf(code)]?.[1] ?? code;

function sortFrameworks(frameworks: TrustContent['frameworks']): TrustContent['frameworks'] {
  return frameworks.toSorted((one, other) => placeOf(one.code) - placeOf(other.code));
}

function requireAchieved({ frameworks }: TrustContent, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) => {
    const issue = findPastFault(achievedAt, now);
    return issue === null ? [] : [{ path: `body.frameworks.${index}.achievedAt`, issue }];
  });
  if (details.length > 0) throw invalidValues(details);
}
