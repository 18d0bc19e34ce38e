import { hash } from 'node:crypto';
import type { NotNull, Selectable } from 'kysely';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import type { AuditSource } from '../../http/principal.ts';
import { invalidValues, requireMatch } from '../../http/problem.ts';
import { findPastFault } from '../../http/schemas.ts';
import { trustCenterRows } from '../../ledger/audit/rows.ts';
import { diffFields, type RowChange, recordChange } from '../../ledger/audit/store.ts';
import { canonicalize, type Json } from '../../ledger/canonical.ts';
import { findCheckpoint } from '../../ledger/checkpoint-store.ts';
import { BriefCache } from '../../storage/cache.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findRow, insertRow, newId, prepareQuery, updateRow } from '../../storage/rows.ts';
import type { Tables } from '../../storage/tables.ts';
import {
  emptyContent,
  keySubprocessor,
  type Subprocessor,
  type TrustCenterInput,
  type TrustContent,
  type TrustDraftInput,
} from './trust-center.ts';

export type TrustCenterRow = Selectable<Tables['trust_centers']>;

/** The trust center of a tenant; undefined before the first change. */
export function findTrustCenter(queries: Queries, tenantId: string): Promise<TrustCenterRow | undefined> {
  return findRow(queries, 'trust_centers', { tenant_id: tenantId });
}

/** The content in a row, or before the first change; fields that are newer than the row are empty. */
export function readContent(row: Pick<TrustCenterRow, 'content'> | undefined): TrustContent {
  return { ...emptyContent, ...(row && JSON.parse(row.content)) };
}

/** The draft in a row; null for none. */
export function readDraft(row: TrustCenterRow | undefined) {
  if (row === undefined || row.draft === null || row.draft_updated_at === null) return null;
  const content = { ...emptyContent, ...JSON.parse(row.draft) } as TrustDraftInput;
  return { ...content, updatedAt: row.draft_updated_at };
}

/** The entity tag of what is edited, its draft and whether it is published, for `If-Match`. */
export function tagTrust(row: TrustCenterRow | undefined): string {
  const published = (row?.published_at ?? null) !== null;
  const seen = { ...readContent(row), published, draft: row?.draft ?? null };
  return `"${hash('sha256', canonicalize(seen as unknown as Json)).slice(0, 16)}"`;
}

/** The published trust centers by slug, cached for a second, with frameworks that may have expired. */
export type PublishedTrust = BriefCache<PublishedTrustCenter>;

/** Caches what is published; nothing is found for an unknown tenant, and for one that published nothing. */
export function cachePublishedTrust(queries: Queries): PublishedTrust {
  return new BriefCache(async (slug) => {
    const value = await findPublished(queries, slug);
    return value && { value, length: JSON.stringify(value).length };
  });
}

/** A published trust center; `proof` is null if the tenant shows none, or no checkpoint of its audit log was signed yet. */
export type PublishedTrustCenter = NonNullable<Awaited<ReturnType<typeof findPublished>>>;

async function findPublished(queries: Queries, slug: string) {
  const [row] = await selectPublished(queries, { slug });
  if (row === undefined) return undefined;
  const content = readContent(row);
  const ledger = { tenantId: row.tenant_id, ledger: 'audit' } as const;
  const proof = content.showsProof ? await findCheckpoint(queries, ledger) : undefined;
  const { name, published_at: publishedAt, updated_at: updatedAt } = row;
  return { id: row.id, slug, name, content, publishedAt, updatedAt, proof: proof ?? null };
}

type PublishedRow = Pick<Selectable<Tables['tenants']>, 'slug' | 'name'> &
  Pick<TrustCenterRow, 'id' | 'tenant_id' | 'content' | 'updated_at'> & { readonly published_at: string };

const selectPublished = prepareQuery<{ slug: string }, PublishedRow>((queries, parameter) =>
  queries
    .selectFrom('tenants')
    .innerJoin('trust_centers', 'trust_centers.tenant_id', 'tenants.id')
    .select(['trust_centers.id', 'tenant_id', 'slug', 'name', 'content', 'published_at', 'updated_at'])
    .where('slug', '=', parameter('slug'))
    // In SQL, so that the response time does not depend on what is unpublished.
    .where('published_at', 'is not', null)
    .$narrowType<{ published_at: NotNull }>(),
);

/**
 * Replaces the trust center of a tenant, which ends its draft. Writes nothing if nothing changes.
 * @param slug of the tenant, the `targetRef` in its audit log.
 * @param ifMatch the entity tag of the state that the caller has seen.
 * @returns undefined if there is none yet and the input is empty.
 * @throws {Problem} `validation_failed` for an `achievedAt` in the future; `trust_center_changed`.
 */
export async function replaceTrustCenter(
  tx: Transaction,
  source: AuditSource,
  slug: string,
  input: TrustCenterInput,
  ifMatch?: string,
) {
  const { published, ...wanted } = input;
  requireAchieved(wanted, tx.now);
  const before = await lockTrustCenter(tx, source.tenantId);
  const stored = readContent(before);
  const subprocessors = announce(stored.subprocessors, wanted.subprocessors, published, tx.now);
  const content = { ...wanted, frameworks: sortFrameworks(wanted), subprocessors };
  const fields = Object.keys(diffFields(withoutDates(stored), withoutDates(content)).after);
  if ((before?.draft ?? null) !== null) fields.push('draft');
  const wasPublished = (before?.published_at ?? null) !== null;
  if (fields.length === 0 && published === wasPublished) return before;
  requireMatch(ifMatch, tagTrust(before), 'trust_center_changed');

  const columns = {
    content: canonicalize(content as unknown as Json),
    published_at: published ? (before?.published_at ?? tx.now) : null,
    updated_at: tx.now,
    draft: null,
    draft_updated_at: null,
  };
  const row = await writeRow(tx, source.tenantId, before, columns);
  const record = (verb: string, diff: RowChange['diff'] & object) =>
    recordChange(tx, source, trustCenterRows, row, { verb, targetRef: slug, diff });
  // Names of fields only: values may have to be erased, and the log cannot be.
  if (before === undefined || fields.length > 0) await record(before === undefined ? 'created' : 'edited', { fields });
  if (published !== wasPublished)
    await record(published ? 'published' : 'unpublished', { published: { before: wasPublished, after: published } });
  return row;
}

/**
 * Saves a draft, to be published later; nothing that is public changes. Writes nothing if nothing changes.
 * @param slug of the tenant, the `targetRef` in its audit log.
 * @param draft null to discard it.
 * @param ifMatch the entity tag of the state that the caller has seen.
 * @returns undefined if there is no trust center yet, and nothing to discard.
 * @throws {Problem} `validation_failed` for an `achievedAt` in the future; `trust_center_changed`.
 */
export async function saveDraft(
  tx: Transaction,
  source: AuditSource,
  slug: string,
  draft: TrustDraftInput | null,
  ifMatch?: string,
) {
  if (draft !== null) requireAchieved(draft, tx.now);
  const before = await lockTrustCenter(tx, source.tenantId);
  const wanted = draft && { ...draft, frameworks: sortFrameworks(draft) };
  const text = wanted && canonicalize(wanted as unknown as Json);
  if (text === (before?.draft ?? null)) return before;
  requireMatch(ifMatch, tagTrust(before), 'trust_center_changed');

  const row = await writeRow(tx, source.tenantId, before, {
    content: before?.content ?? canonicalize(emptyContent as unknown as Json),
    published_at: before?.published_at ?? null,
    // When the public content changed: a draft is none.
    updated_at: before?.updated_at ?? tx.now,
    draft: text,
    draft_updated_at: text && tx.now,
  });
  const verb = text === null ? 'draft_discarded' : 'draft_saved';
  await recordChange(tx, source, trustCenterRows, row, { verb, targetRef: slug });
  return row;
}

/** Serializes concurrent changes: the second reads what the first wrote. */
async function lockTrustCenter(tx: Transaction, tenantId: string): Promise<TrustCenterRow | undefined> {
  await tx.lockTenant(tenantId);
  return findTrustCenter(tx.queries, tenantId);
}

function writeRow(
  tx: Transaction,
  tenantId: string,
  before: TrustCenterRow | undefined,
  columns: Omit<TrustCenterRow, 'id' | 'tenant_id' | 'created_at'>,
): Promise<TrustCenterRow> {
  const match = { tenant_id: tenantId };
  return before === undefined
    ? insertRow(tx.queries, 'trust_centers', { id: newId(), ...match, ...columns, created_at: tx.now })
    : updateRow(tx.queries, 'trust_centers', match, columns);
}

/** In the order of the catalogue, so that another order is no change. */
function sortFrameworks({ frameworks }: TrustDraftInput): TrustDraftInput['frameworks'] {
  const order = (code: string) => catalogue.frameworks.findIndex((framework) => framework.code === code);
  return frameworks.toSorted((one, two) => order(one.code) - order(two.code));
}

/** The content that the tenant wrote: a publication that only dates the subprocessors is no edit. */
function withoutDates(content: TrustContent) {
  const written = content.subprocessors.map(({ announcedAt, endAnnouncedAt, changedAt, ...given }) => given);
  return { ...content, subprocessors: written };
}

/** Dates the subprocessors that become public now, and keeps the dates of those that were public before. */
function announce(
  before: readonly Subprocessor[],
  wanted: TrustCenterInput['subprocessors'],
  isPublished: boolean,
  now: string,
): Subprocessor[] {
  const known = new Map(before.map((one) => [keySubprocessor(one), one]));
  const today = isPublished ? now : null;
  return wanted.map((given) => {
    const old = known.get(keySubprocessor(given));
    const { name, purpose, country, until } = given;
    const announcedAt = old?.announcedAt ?? today;
    const isSame = old?.name === name && old.purpose === purpose && old.country === country;
    return {
      ...given,
      announcedAt,
      endAnnouncedAt: until === null ? null : ((old?.until === until ? old.endAnnouncedAt : null) ?? today),
      changedAt: announcedAt === null ? null : ((isSame ? old.changedAt : null) ?? now),
    };
  });
}

function requireAchieved({ frameworks }: Pick<TrustDraftInput, 'frameworks'>, now: string): void {
  const details = frameworks.flatMap(({ achievedAt }, index) => {
    const issue = findPastFault(achievedAt, now);
    return issue === null ? [] : [{ path: `body.frameworks.${index}.achievedAt`, issue }];
  });
  if (details.length > 0) throw invalidValues(details);
}
