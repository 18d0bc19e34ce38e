import { findCheckpoint } from '../ledger/checkpoint-store.ts';
import { BriefCache } from '../storage/brief-cache.ts';
import type { Queries } from '../storage/database.ts';
import { findPublished } from './store.ts';
import type { ProvenTrustCenter } from './trust-center.ts';

/** The published trust centers by slug, kept for a second. What has expired is for the reader to leave out. */
export class PublishedTrust {
  readonly #centers: BriefCache<ProvenTrustCenter>;

  constructor(queries: Queries, milliseconds?: () => number) {
    this.#centers = new BriefCache(async (slug) => {
      const value = await findProven(queries, slug);
      return value && { value, length: JSON.stringify(value).length };
    }, milliseconds);
  }

  /** Undefined for a tenant that is unknown or has not published its trust center. */
  find(slug: string): Promise<ProvenTrustCenter | undefined> {
    return this.#centers.find(slug);
  }

  /** Forgets a trust center that was changed here. */
  forget(slug: string): void {
    this.#centers.forget(slug);
  }
}

async function findProven(queries: Queries, slug: string): Promise<ProvenTrustCenter | undefined> {
  const center = await findPublished(queries, slug);
  if (center === undefined) return undefined;
  const { tenantId, content } = center;
  const proof = content.showsProof ? await findCheckpoint(queries, { tenantId, ledger: 'audit' }) : undefined;
  return { ...center, proof: proof ?? null };
}
