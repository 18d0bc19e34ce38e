import SQLite from 'better-sqlite3';

/** An item of a spool: `line` is where it came from. */
export interface Spooled<Item> {
  readonly key: string;
  readonly order: string;
  readonly line: number;
  readonly item: Item;
}

/**
 * Items of an input of any size, each key once, to be read in another order. They are in a temporary file that has no name
 * (what does not fit into 16 MB of memory), so that nothing of them remains when the process ends, whatever ends it.
 */
export class Spool<Item> implements Disposable {
  readonly #file: SQLite.Database;
  readonly #insert: SQLite.Statement;
  readonly #find: SQLite.Statement;
  readonly #next: SQLite.Statement;
  readonly #remove: SQLite.Statement;
  readonly #count: SQLite.Statement;

  constructor() {
    this.#file = new SQLite('');
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'temp_store = FILE']) this.#file.pragma(setting);
    this.#file.exec(`
      create table items (key text primary key, "order" text not null, line integer not null, item text not null);
      create index items_order on items ("order", line, key)`);
    const prepare = (text: string) => this.#file.prepare(text);
    this.#insert = prepare('insert into items values (?, ?, ?, ?) on conflict do nothing');
    this.#find = prepare('select line from items where key = ?').pluck();
    this.#next = prepare(
      'select * from items where ("order", line, key) > (?, ?, ?) order by "order", line, key limit ?',
    );
    this.#remove = prepare('delete from items where key = ?');
    this.#count = prepare('select count(*) from items').pluck();
    // Without it, each insert is a separate transaction.
    this.#file.exec('begin');
  }

  /** Adds an item. @returns null; the line of the item that has the same key, which stays. */
  add({ key, order, line, item }: Spooled<Item>): number | null {
    const { changes } = this.#insert.run(key, order, line, JSON.stringify(item));
    return changes === 1 ? null : (this.#find.get(key) as number);
  }

  remove(key: string): void {
    this.#remove.run(key);
  }

  get size(): number {
    return this.#count.get() as number;
  }

  /** Reads the items in their order, then in that of their lines. The items of a batch may be removed meanwhile. */
  *readBatches(size: number): Generator<readonly Spooled<Item>[]> {
    let last: readonly [order: string, line: number, key: string] = ['', 0, ''];
    for (;;) {
      const rows = this.#next.all(...last, size) as (Omit<Spooled<Item>, 'item'> & { item: string })[];
      const end = rows.at(-1);
      if (end === undefined) return;
      last = [end.order, end.line, end.key];
      yield rows.map((row) => ({ ...row, item: JSON.parse(row.item) }));
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
