import { sql } from 'kysely';
import { locksRows, type Queries } from '../../storage/database.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';

/** Says that a process is alive. @returns the beats of every process that sends. */
export async function beat(queries: Queries, sender: string): Promise<ReadonlyMap<string, number>> {
  await queries
    .insertInto('webhook_senders')
    .values({ id: sender, beats: 1 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beats: sql`webhook_senders.beats + 1` }))
    .execute();
  const senders = await queries.selectFrom('webhook_senders').selectAll().execute();
  return new Map(senders.map(({ id, beats }) => [id, Number(beats)]));
}

/**
 * Keeps a process on the list until the transaction ends, or puts it back: a process that removes it waits, and then releases
 * what was claimed in this transaction too. The claims of a process that is not on the list would never be released. SQLite has one
 * process, which frees everything when it starts.
 */
export async function holdPlace(queries: Queries, sender: string): Promise<void> {
  if (!locksRows(queries)) return;
  const [held] = await selectPlace(queries, { sender });
  if (held === undefined)
    await queries
      .insertInto('webhook_senders')
      .values({ id: sender, beats: 1 })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ beats: sql`webhook_senders.beats + 1` }))
      .execute();
}

// A beat does not change the key, so it does not wait for this.
const selectPlace = prepareQuery<{ sender: string }, { readonly id: string }>((queries, parameter) => {
  const query = queries.selectFrom('webhook_senders').select('id').where('id', '=', parameter('sender'));
  return locksRows(queries) ? query.forKeyShare() : query;
});

/** Takes processes off the list. */
export async function removeSenders(queries: Queries, senders: readonly string[]): Promise<void> {
  if (senders.length > 0) await queries.deleteFrom('webhook_senders').where('id', 'in', senders).execute();
}

/**
 * Frees what was claimed by processes that are not on the list. It looks at all that waits, so ask for it only when a
 * process has ended.
 * @returns how many deliveries.
 */
export async function freeOrphans(queries: Queries): Promise<number> {
  const { numUpdatedRows } = await queries
    .updateTable('webhook_deliveries')
    .set({ claimed_by: null })
    .where('due_at', 'is not', null)
    .where('claimed_by', 'is not', null)
    .where('claimed_by', 'not in', (row) => row.selectFrom('webhook_senders').select('webhook_senders.id'))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Finds senders that have ended: those without a heartbeat for ten seconds of this process's clock; no two clocks are compared. */
export class SenderWatch {
  readonly #id: string;
  #notedAt = Number.NEGATIVE_INFINITY;
  #seen: ReadonlyMap<string, { readonly beats: number; readonly since: number }> = new Map();

  /** @param id the process that watches, which does not count itself as ended. */
  constructor(id: string) {
    this.#id = id;
  }

  /**
   * Notes the beats of all. Silence counts only while this process itself looks: after a pause of its own, or an outage of
   * the database, the others get the whole time again.
   * @param now milliseconds on a clock that never goes back.
   * @returns those that have ended.
   */
  note(beats: ReadonlyMap<string, number>, now: number): readonly string[] {
    const wasAway = now - this.#notedAt >= longestPause;
    this.#notedAt = now;
    const seen = [...beats].map(([id, count]) => {
      const before = this.#seen.get(id);
      return [id, !wasAway && before?.beats === count ? before : { beats: count, since: now }] as const;
    });
    this.#seen = new Map(seen);
    return seen.filter(([id, { since }]) => id !== this.#id && now - since >= silence).map(([id]) => id);
  }
}

const silence = 10_000;
/** Between two looks of this process; they come every two seconds. */
const longestPause = 5000;
