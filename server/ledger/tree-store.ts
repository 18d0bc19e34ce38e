import { type RawBuilder, type Selectable, sql } from 'kysely';
import { locksRows, type Queries } from '../storage/queries.ts';
import { insertRows, prepareQuery, updateRow } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import {
  fillTemplate,
  type LedgerOf,
  ledgerTables,
  listOpenings,
  type Opening,
  readHead,
  selectPrevious,
} from './entry.ts';
import { leafOf, type Range } from './merkle.ts';
import { readOpenings } from './opening-store.ts';
import { RecordTemplates } from './template-store.ts';
import {
  hashRange,
  listOpenTiles,
  listTiles,
  nameTile,
  type Tile,
  type TileAddress,
  TiledTree,
  type Tiles,
} from './tiles.ts';

/** The owner of a Merkle tree: a ledger, or the log of the installation. */
export type TreeOf = LedgerOf | typeof installationLog;

/** The log of the installation, whose entries are the checkpoints of all ledgers. It belongs to no tenant. */
export const installationLog = { tenantId: 'installation', ledger: 'log' } as const;

/** Entries per read. */
const pageSize = 2000;

/**
 * Adds the entries that a tree lacks, oldest first. The tree stays locked until the transaction ends.
 * @param atMost the maximum number of entries.
 * @returns how many it added, the new size of the tree, and the ledger.
 */
export async function growTree(
  queries: Queries,
  of: TreeOf,
  atMost: number,
): Promise<{ readonly added: number; readonly size: number; readonly entries: number }> {
  const size = await lockTree(queries, of);
  const entries = of.ledger === 'log' ? await countLeaves(queries) : ((await readHead(queries, of))?.sequence ?? 0);
  const end = Math.min(entries, size + atMost);
  if (end <= size) return { added: 0, size, entries };
  const tree = new TiledTree(size, await readTiles(queries, of, listOpenTiles(size)));
  while (tree.size < end) {
    const rows = await readHashes(queries, of, { start: tree.size, end: Math.min(end, tree.size + pageSize) });
    if (rows.length === 0) throw new Error(`the ${of.ledger} ledger of ${of.tenantId} ends before its head`);
    for (const { sequence, hash } of rows) {
      if (sequence !== tree.size + 1) throw new Error(`entry ${tree.size + 1} of the ${of.ledger} ledger is missing`);
      tree.add(leafOf(hash));
    }
    await writeTiles(queries, of, tree.takeFullTiles());
  }
  await writeTiles(queries, of, tree.openTiles());
  await updateRow(queries, 'merkle_trees', { tenant_id: of.tenantId, ledger: of.ledger }, { size: end });
  return { added: end - size, size: end, entries };
}

/** How many checkpoints are in the log of the installation. */
export async function countLeaves(queries: Queries): Promise<number> {
  const leaves = queries.selectFrom('log_leaves').select('sequence').orderBy('sequence', 'desc').limit(sql.lit(1));
  return (await leaves.executeTakeFirst())?.sequence ?? 0;
}

/** The root, base64, of the tree over the first entries. @throws {IncompleteTiles} if it is not grown that far. */
export async function readRoot(queries: Queries, of: TreeOf, size: number): Promise<string> {
  const [root] = await hashRanges(queries, of, [{ start: 0, end: size }]);
  return (root as Buffer).toString('base64');
}

/** The hashes of ranges that are nodes of a tree. @throws {IncompleteTiles} if it is not grown that far. */
export async function hashRanges(queries: Queries, of: TreeOf, ranges: readonly Range[]): Promise<readonly Buffer[]> {
  const tiles = await readTilesOf(queries, of, ranges);
  return ranges.map((range) => hashRange(range, tiles));
}

/** Reads the tiles that are needed to compute the hashes of ranges. */
export function readTilesOf(queries: Queries, of: TreeOf, ranges: readonly Range[]): Promise<Tiles> {
  return readTiles(queries, of, listTiles(ranges));
}

async function readTiles(queries: Queries, of: TreeOf, wanted: readonly TileAddress[]): Promise<Tiles> {
  const tiles = new Map<string, Buffer>();
  for (const address of wanted) {
    const [tile] = await selectTile(queries, { ...of, ...address });
    if (tile !== undefined) tiles.set(nameTile(address), Buffer.from(tile.hashes, 'base64'));
  }
  return tiles;
}

const selectTile = prepareQuery<TreeOf & TileAddress, { readonly hashes: string }>((queries, parameter) =>
  queries
    .selectFrom('merkle_tiles')
    .select('hashes')
    .where('tenant_id', '=', parameter('tenantId'))
    .where('ledger', '=', parameter('ledger'))
    .where('level', '=', parameter('level'))
    .where('number', '=', parameter('number')),
);

async function writeTiles(queries: Queries, of: TreeOf, tiles: readonly Tile[]): Promise<void> {
  for (const { level, number, hashes } of tiles) {
    await upsertTile(queries, { ...of, level, number, hashes: hashes.toString('base64') });
  }
}

const upsertTile = prepareQuery<TreeOf & TileAddress & { readonly hashes: string }, unknown>((queries, parameter) =>
  queries
    .insertInto('merkle_tiles')
    .values({
      tenant_id: parameter('tenantId'),
      ledger: parameter('ledger'),
      level: parameter('level'),
      number: parameter('number'),
      hashes: parameter('hashes'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'ledger', 'level', 'number'])
        .doUpdateSet((update) => ({ hashes: update.ref('excluded.hashes') })),
    ),
);

/** Locks a tree until the transaction ends; creates its row if there is none. @returns its size. */
export async function lockTree(queries: Queries, { tenantId, ledger }: TreeOf): Promise<number> {
  await insertRows(queries, 'merkle_trees', [{ tenant_id: tenantId, ledger, size: 0 }], { skipsPresent: true });
  const query = queries
    .selectFrom('merkle_trees')
    .select('size')
    .where('tenant_id', '=', tenantId)
    .where('ledger', '=', ledger);
  return (await (locksRows(queries) ? query.forUpdate() : query).executeTakeFirstOrThrow()).size;
}

/** How far a ledger, its tree and its checkpoints reach. */
type LedgerState = StateOf<LedgerOf>;

/** That of a ledger, or of the log of the installation. */
export type TreeState = StateOf<TreeOf>;

type StateOf<Of extends TreeOf> = Of & {
  readonly entries: number;
  /** The entries in its tree. */
  readonly hashed: number;
  /** The entries that its newest checkpoint covers; null without one. */
  readonly signed: number | null;
};

/** The state of one ledger, or of the log of the installation. */
export async function readState(queries: Queries, of: TreeOf): Promise<TreeState> {
  const none = { entries: 0, hashed: 0, signed: null };
  if (of.ledger === installationLog.ledger)
    return { ...installationLog, ...none, ...(await selectLogState(queries))[0] };
  const { tenantId, ledger } = of;
  const [state] = await selectStates(queries, sql`tenant_id = ${tenantId} and ledger = ${ledger}`);
  return state ?? { tenantId, ledger, ...none };
}

/** The states of all ledgers, and that of the log of the installation if it has entries or checkpoints. */
export async function listStates(queries: Queries): Promise<readonly TreeState[]> {
  const ledgers = await selectStates(queries, sql`1 = 1`);
  const log = (await selectLogState(queries)).filter(({ entries, signed }) => entries > 0 || signed !== null);
  return [...ledgers, ...log.map((state) => ({ ...installationLog, ...state }))];
}

async function selectLogState(queries: Queries): Promise<readonly Omit<TreeState, keyof TreeOf>[]> {
  const { tenantId, ledger } = installationLog;
  const { rows } = await sql<Omit<TreeState, keyof TreeOf>>`
    select coalesce((select max(sequence) from log_leaves), 0) as entries,
      coalesce((select size from merkle_trees where tenant_id = ${tenantId} and ledger = ${ledger}), 0) as hashed,
      (select max(size) from checkpoints where tenant_id = ${tenantId} and ledger = ${ledger}) as signed`.execute(
    queries,
  );
  return rows;
}

/** The ledgers with entries that their tree or their checkpoints do not cover. */
export function listBehind(queries: Queries): Promise<readonly LedgerState[]> {
  return selectStates(queries, sql`entries > coalesce(signed, 0) or entries > hashed`);
}

async function selectStates(queries: Queries, condition: RawBuilder<unknown>): Promise<readonly LedgerState[]> {
  const { rows } = await sql<LedgerState>`
    select tenant_id as "tenantId", ledger, entries, hashed, signed from (
      select tenant_id, ledger, sequence as entries,
        coalesce((select size from merkle_trees where tenant_id = head.tenant_id and ledger = head.ledger), 0) as hashed,
        (select max(size) from checkpoints where tenant_id = head.tenant_id and ledger = head.ledger) as signed
      from chain_heads as head
    ) as state where ${condition} order by tenant_id, ledger`.execute(queries);
  return rows;
}

/** An entry in its chain. */
export interface StoredEntry {
  readonly sequence: number;
  readonly prevHash: string | null;
  readonly hash: string;
  /** The canonical text that was hashed. */
  readonly entry: string;
  /** The values that it has commitments to; none once erased. */
  readonly openings: readonly Opening[];
}

/** Finds an entry by its number, or an event by its id. */
export async function findEntry(
  queries: Queries,
  { tenantId, ledger }: LedgerOf,
  name: { readonly id?: string | undefined; readonly sequence?: number | undefined },
): Promise<StoredEntry | undefined> {
  if (name.id !== undefined) {
    const event = await selectEvents(queries, tenantId).where('id', '=', name.id).executeTakeFirst();
    return event && (await openEvents(queries, tenantId, [event]))[0];
  }
  const sequence = name.sequence as number;
  return (await readEntries(queries, { tenantId, ledger }, { start: sequence - 1, end: sequence }))[0];
}

/** Reads the entries of a range, in order. */
export async function readEntries(queries: Queries, of: LedgerOf, range: Range): Promise<readonly StoredEntry[]> {
  const { tenantId, ledger } = of;
  if (ledger === 'audit') return openEvents(queries, tenantId, await listEvents(queries, { tenantId, ...range }));
  const rows = await listRecords(queries, { tenantId, ...range });
  const templates = new RecordTemplates(queries, tenantId);
  await templates.load(rows);
  return rows.map((row) => {
    const { sequence, prev_hash: prevHash, hash, salt, template } = row;
    const found = templates.get(template);
    if (found === undefined) throw new Error(`the template ${template} of a record of ${tenantId} is missing`);
    const openings = salt === null ? [] : listOpenings(salt, row);
    return { sequence, prevHash, hash, entry: fillTemplate(found.parts, row).join(''), openings };
  });
}

const listEvents = prepareQuery<Range & { readonly tenantId: string }, EventRow>((queries, parameter) =>
  selectEvents(queries, parameter('tenantId'))
    .where('sequence', '>', parameter('start'))
    .where('sequence', '<=', parameter('end'))
    .orderBy('sequence'),
);

const listRecords = prepareQuery<Range & { readonly tenantId: string }, RecordRow>((queries, parameter) => {
  const range = { start: parameter('start'), end: parameter('end') };
  const records = inRange(queries, { tenantId: parameter('tenantId'), ledger: 'consent' }, range);
  return records.selectAll().select(selectPrevious('consent'));
});

type RecordRow = Selectable<Tables['consent_records']> & { readonly prev_hash: string | null };

/** The events of a tenant, as `openEvents` needs them. */
export function selectEvents(queries: Queries, tenantId: string) {
  return queries
    .selectFrom('audit_events')
    .select(['sequence', 'hash', 'entry'])
    .select(selectPrevious('audit'))
    .where('tenant_id', '=', tenantId);
}

type EventRow = Pick<Selectable<Tables['audit_events']>, 'sequence' | 'hash' | 'entry'> & {
  readonly prev_hash: string | null;
};

/** Reads the openings of events. */
export async function openEvents(
  queries: Queries,
  tenantId: string,
  rows: readonly EventRow[],
): Promise<readonly StoredEntry[]> {
  const openings = await readOpenings(queries, tenantId, rows);
  return rows.map(({ sequence, prev_hash: prevHash, hash, entry }) => {
    return { sequence, prevHash, hash, entry, openings: openings.get(sequence) ?? [] };
  });
}

/** Reads the numbers and hashes of a range, in order. */
export function readHashes(
  queries: Queries,
  of: TreeOf,
  range: Range,
): Promise<readonly Pick<StoredEntry, 'sequence' | 'hash'>[]> {
  if (of.ledger === 'log') return readLeaves(queries, range);
  return inRange(queries, of, range).select(['sequence', 'hash']).execute();
}

/** Reads the leaves of the log of the installation in a range, in order. */
export function readLeaves(queries: Queries, { start, end }: Range) {
  return queries
    .selectFrom('log_leaves')
    .selectAll()
    .where('sequence', '>', start)
    .where('sequence', '<=', end)
    .orderBy('sequence')
    .execute();
}

/** The entries of a range, in order; the first of a ledger is the one after 0. */
export function inRange(queries: Queries, { tenantId, ledger }: LedgerOf, { start, end }: Range) {
  return queries
    .selectFrom(ledgerTables[ledger] as 'consent_records')
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', start)
    .where('sequence', '<=', end)
    .orderBy('sequence');
}
