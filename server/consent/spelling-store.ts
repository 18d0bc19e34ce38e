import { type CompiledQuery, type Insertable, sql } from 'kysely';
import { removeInvisible } from '../http/typed-text.ts';
import type { Queries } from '../storage/queries.ts';
import { compileInserts } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';

/** A subject whose id is stored in this spelling, and how many records it has. */
export interface SubjectSpelling {
  readonly subjectId: string;
  readonly recordCount: number;
}

/** The statements that note the ids of subjects that are not in the form by which they are found: no other has a row. */
export function noteSpellings(
  queries: Queries,
  subjects: readonly { readonly tenantId: string; readonly subjectId: string }[],
): readonly CompiledQuery[] {
  const rows: Insertable<Tables['consent_spellings']>[] = [];
  for (const { tenantId, subjectId } of subjects) {
    const form = foldSubject(subjectId);
    if (form !== subjectId) rows.push({ tenant_id: tenantId, form, subject_id: subjectId });
  }
  return compileInserts(queries, 'consent_spellings', rows, { skipsPresent: true });
}

/** Removes the spelling of a subject that has no records any more. */
export async function forgetSpelling(queries: Queries, tenantId: string, subjectId: string): Promise<void> {
  await queries
    .deleteFrom('consent_spellings')
    .where('tenant_id', '=', tenantId)
    .where('form', '=', foldSubject(subjectId))
    .where('subject_id', '=', subjectId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('consent_records')
            .select('sequence')
            .where('tenant_id', '=', tenantId)
            .where('subject_id', '=', subjectId),
        ),
      ),
    )
    .execute();
}

/** The subjects whose ids are the same in that form, in the order of their ids: at most so many. */
export async function listSpellings(
  queries: Queries,
  tenantId: string,
  subjectId: string,
  limit: number,
): Promise<readonly SubjectSpelling[]> {
  const form = foldSubject(subjectId);
  const { rows } = await sql<{ readonly subject_id: string; readonly record_count: number }>`
    select found.subject_id, (
      select count(*) from consent_records as record
      where record.tenant_id = ${tenantId} and record.subject_id = found.subject_id
    ) as record_count
    from (
      select subject_id from consent_spellings where tenant_id = ${tenantId} and form = ${form}
      union all
      select * from (
        select subject_id from consent_records where tenant_id = ${tenantId} and subject_id = ${form} limit 1
      ) as plain
    ) as found
    order by found.subject_id limit ${sql.lit(limit)}`.execute(queries);
  return rows.map((row) => ({ subjectId: row.subject_id, recordCount: Number(row.record_count) }));
}

/** Printable ASCII without capitals and spaces: nearly every id of a subject, and every id that the banner makes. */
const plain = /^[!-@[-~]*$/;

/**
 * The form that an id of a subject has in common with its other spellings: NFKC, without differences of case, invisible
 * characters and white space around it. Ids are stored as they were given; this only finds them.
 */
export function foldSubject(subjectId: string): string {
  if (plain.test(subjectId)) return subjectId;
  const text = removeInvisible(subjectId.normalize('NFKC')).trim();
  // Its capital is that of another letter (Unicode CaseFolding.txt leaves it as it is).
  const folded = text.split('ı').map(foldCase).join('ı');
  return folded.normalize('NFKC');
}

/** Capitals first, for ß and Σ; small letters before them, for the capital of ß. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
