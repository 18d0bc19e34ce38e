import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import SQLite from 'better-sqlite3';
import { FreeSpaceWiper, findUnallocated, remains } from '../../storage/wipe-free-space.ts';
import { createLocation } from '../harness.ts';

/** As the server opens it. */
async function openFile() {
  const location = await createLocation('sqlite');
  const file = `${location.environment.SVC_DATA_DIR}/wiped.sqlite`;
  const database = new SQLite(file);
  for (const setting of ['journal_mode = WAL', 'secure_delete = ON', 'mmap_size = 4294967296', 'busy_timeout = 0'])
    database.pragma(setting);
  database.exec(
    'create table rows (key text primary key, value text) without rowid; create index byValue on rows (value)',
  );
  return {
    file,
    database,
    [Symbol.asyncDispose]: async () => {
      database.close();
      await location[Symbol.asyncDispose]();
    },
  };
}

const name = (index: number, of: string) => `${of}-${hash('sha256', `${of}${index}`).slice(0, 24)}`;
/** Keys in no order and values of several lengths: pages are divided, and keep copies. */
const rowOf = (index: number, of: string) => [
  name(index, 'key'),
  name(index, of).repeat([1, 4, 8, 20][index % 4] ?? 1),
];
const noteErasure = (database: SQLite.Database) => database.pragma(`user_version = ${remains}`);
const oneStep = { milliseconds: Number.POSITIVE_INFINITY, changes: Number.POSITIVE_INFINITY, pages: 64 };
const smallSteps = { milliseconds: 0, changes: 1, pages: 8 };

function fill(database: SQLite.Database, count: number): void {
  const insert = database.prepare('insert into rows values (?, ?)');
  for (let index = 0; index < count; index += 1) insert.run(rowOf(index, 'kept'));
}

/** Completes a pass. @returns the number of steps. */
async function finish(wiper: FreeSpaceWiper, end = 'done'): Promise<number> {
  for (let steps = 1; steps < 10_000; steps += 1) {
    const result = await wiper.step();
    if (result === end) return steps;
    assert.equal(result, 'more');
  }
  throw new Error('The pass does not end.');
}

/** A connection that does something before a call of a method. */
function intercept(
  database: SQLite.Database,
  method: 'exec' | 'pragma',
  text: string,
  act: () => void,
): SQLite.Database {
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...words: unknown[]) => {
        if (name === method && words[0] === text) act();
        return value.apply(target, words);
      };
    },
  });
}

function closing(database: SQLite.Database): SQLite.Database & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}

/** The pages of a file whose unallocated bytes are not all zeros. */
function countUnwiped(file: string): number {
  const bytes = readFileSync(file);
  const pages = Array.from({ length: bytes.length / 4096 }, (_, index) =>
    bytes.subarray(index * 4096, (index + 1) * 4096),
  );
  return pages.filter((page, index) => findUnallocated(page, index === 0 ? 100 : 0) !== null).length;
}

describe('wiping the free space of a SQLite file', () => {
  it('leaves no deleted value in the file, and every other, beside writes between the steps', async () => {
    await using opened = await openFile();
    const { database, file } = opened;
    const insert = database.prepare('insert into rows values (?, ?)');
    const add = (from: number, to: number, of: (index: number) => string) =>
      database.transaction(() => {
        for (let index = from; index < to; index += 1) insert.run(rowOf(index, of(index)));
      })();
    const rows = 6000;
    const isKept = (index: number) => index >= rows || index % 2 === 0;
    add(0, rows, (index) => (isKept(index) ? 'kept' : 'gone'));
    const remove = database.prepare('delete from rows where key = ?');
    for (let index = 1; index < rows; index += 2) remove.run(name(index, 'key'));
    const findRemains = () => {
      database.pragma('wal_checkpoint(truncate)');
      return readFileSync(file, 'latin1').match(/gone-[0-9a-f]{24}/g) ?? [];
    };
    assert.notDeepEqual(findRemains(), []);
    const wiper = new FreeSpaceWiper(database, undefined, smallSteps);
    assert.equal(await wiper.step(), 'none', 'nothing was erased');
    noteErasure(database);
    let added = rows;
    for (let result = await wiper.step(); result !== 'done'; result = await wiper.step()) {
      assert.equal(result, 'more');
      add(added, added + 10, () => 'kept');
      added += 10;
    }
    assert.ok(added > rows + 500, 'it took more than one step');
    assert.equal(await wiper.step(), 'none');
    assert.deepEqual(findRemains(), []);
    assert.equal(countUnwiped(file), 0);
    // Pages that SQLite has in memory are written again.
    add(added, added + 500, () => 'kept');
    added += 500;
    assert.deepEqual(findRemains(), []);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    const stored = database.prepare('select key, value from rows order by key').raw().all();
    const expected = Array.from({ length: added }, (_, index) => index)
      .filter(isKept)
      .map((index) => rowOf(index, 'kept'));
    assert.deepEqual(stored, expected.sort());
  });

  it('waits for the transaction of another caller, and for a connection that reads from the log', async () => {
    await using opened = await openFile();
    const { database, file } = opened;
    const wiper = new FreeSpaceWiper(database);
    noteErasure(database);
    database.exec('begin');
    assert.equal(await wiper.step(), 'busy');
    database.exec("insert into rows values ('one', 'value')");
    database.exec('commit');
    const reader = new SQLite(file);
    reader.exec('begin; select * from rows');
    reader.prepare('select * from rows').all();
    database.exec("insert into rows values ('two', 'value')");
    assert.equal(await wiper.step(), 'busy');
    reader.exec('commit');
    reader.close();
    assert.equal(await wiper.step(), 'done');
  });

  it('goes on however long the log became while a connection read from it', async () => {
    await using opened = await openFile();
    const { database, file } = opened;
    const wiper = new FreeSpaceWiper(database, undefined, smallSteps);
    fill(database, 400);
    noteErasure(database);
    assert.equal(await wiper.step(), 'more');
    const reader = new SQLite(file);
    reader.exec('begin');
    reader.prepare('select * from rows').all();
    const change = database.prepare('update rows set value = ? || substr(value, 2)');
    for (let round = 0; statSync(`${file}-wal`).size < 17 * 1024 ** 2; round += 1) change.run(String(round % 10));
    assert.equal(await wiper.step(), 'busy');
    reader.exec('commit');
    reader.close();
    await finish(wiper);
    assert.equal(countUnwiped(file), 0);
  });

  it('keeps others from writing while it does, and steps back if one has written just before', async () => {
    await using opened = await openFile();
    const { file } = opened;
    fill(opened.database, 400);
    noteErasure(opened.database);
    using other = closing(new SQLite(file, { timeout: 0 }));
    const write = () => other.exec("update rows set value = 'other' where key = (select min(key) from rows)");
    let refused = 0;
    const duringPages = intercept(opened.database, 'pragma', 'page_count', () => {
      assert.throws(write, /database is locked/);
      refused += 1;
    });
    assert.equal(await new FreeSpaceWiper(duringPages, undefined, oneStep).step(), 'done');
    assert.equal(refused, 1);
    noteErasure(opened.database);
    for (const after of ['', 'pragma wal_checkpoint(truncate)']) {
      const beforeLock = intercept(opened.database, 'exec', 'begin immediate', () => {
        write();
        other.exec(after);
      });
      assert.equal(await new FreeSpaceWiper(beforeLock).step(), 'busy');
    }
  });

  it('goes on beside the writes of another connection, and starts again when the log did', async () => {
    await using opened = await openFile();
    const { database, file } = opened;
    fill(database, 400);
    const wiper = new FreeSpaceWiper(database, undefined, smallSteps);
    noteErasure(database);
    const whole = await finish(wiper);
    assert.ok(whole > 3);
    using other = closing(new SQLite(file));
    const restart = () => database.pragma('wal_checkpoint(truncate)');
    const write = () => other.exec("update rows set value = 'other' where key = (select min(key) from rows)");
    for (const [disturb, steps] of [
      [write, whole - 2],
      [restart, whole],
      [() => [write(), restart()], whole],
      [() => [write(), restart(), write()], whole],
    ] as const) {
      noteErasure(database);
      await wiper.step();
      await wiper.step();
      disturb();
      assert.equal(await finish(wiper), steps);
    }
    assert.equal(countUnwiped(file), 0);
  });

  it('searches the file again after an erasure within a pass, and in a new process after one that ended in it', async () => {
    await using opened = await openFile();
    const { database } = opened;
    fill(database, 400);
    const readVersion = () => database.pragma('user_version', { simple: true });
    const wiper = new FreeSpaceWiper(database, undefined, smallSteps);
    noteErasure(database);
    assert.equal(await wiper.step(), 'more');
    noteErasure(database);
    await finish(wiper, 'again');
    assert.equal(readVersion(), remains);
    await finish(wiper);
    assert.equal(readVersion(), 0);
    // After the last page, while the disk writes it.
    noteErasure(database);
    const last = new FreeSpaceWiper(database, undefined, oneStep).step();
    noteErasure(database);
    assert.equal(await last, 'again');
    assert.equal(await wiper.step(), 'more');
    assert.equal(readVersion(), 9, 'the next page');
    await finish(new FreeSpaceWiper(database));
    assert.equal(readVersion(), 0);
  });

  it('finds the log of a file that a link leads to', async () => {
    await using opened = await openFile();
    symlinkSync(opened.file, `${opened.file}-link`);
    using database = closing(new SQLite(`${opened.file}-link`));
    fill(database, 400);
    noteErasure(database);
    assert.equal(await new FreeSpaceWiper(database, undefined, oneStep).step(), 'done');
    assert.equal(countUnwiped(opened.file), 0);
  });

  it('keeps every row through a kill at any moment, and completes the pass afterwards', async () => {
    await using opened = await openFile();
    const { file, database } = opened;
    const child = join(import.meta.dirname, 'wipe-endlessly.ts');
    for (let round = 1; round <= 3; round += 1) {
      const wiping = spawn(process.execPath, ['-C', '@svc/source', child, file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let committed = 0;
      const lines = createInterface(wiping.stdout);
      for await (const line of lines) {
        if (committed < 800 * round && Number(line) >= 800 * round) wiping.kill('SIGKILL');
        committed = Number(line);
      }
      assert.ok(committed >= 800 * round);
      assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
      const rows = database.prepare('select key, value from rows order by key').raw().all() as [string, string][];
      assert.ok(rows.length >= committed);
      const expected = rows.map((_, index) => [hash('sha256', `${index}`), `${index}`.repeat(index % 40)]);
      assert.deepEqual(rows, expected.sort());
    }
    await finish(new FreeSpaceWiper(database));
    assert.equal(countUnwiped(file), 0);
  });

  it('leaves a file alone that replaced the one that is open', async () => {
    await using opened = await openFile();
    const { database, file } = opened;
    noteErasure(database);
    const wiper = new FreeSpaceWiper(database);
    renameSync(file, `${file}-old`);
    copyFileSync(`${file}-old`, file);
    const before = readFileSync(file);
    await assert.rejects(wiper.step(), /was replaced while it was open. Restart the server/);
    assert.deepEqual(readFileSync(file), before);
  });

  it('touches no page that is not as expected', () => {
    const page = Buffer.alloc(4096, 7);
    const write = (type: number, cells: number, content: number, first = 4000, free = 0) => {
      page.writeUInt8(type, 0);
      page.writeUInt16BE(free, 1);
      page.writeUInt16BE(cells, 3);
      page.writeUInt16BE(content, 5);
      page.writeUInt16BE(first, 8);
      return findUnallocated(page, 0);
    };
    assert.deepEqual(write(13, 1, 4000), { from: 10, to: 4000 });
    assert.deepEqual(write(10, 1, 4000, 4000, 4050), { from: 10, to: 4000 });
    for (const type of [2, 5]) {
      page.writeUInt16BE(4000, 12);
      assert.deepEqual(write(type, 1, 4000), { from: 14, to: 4000 });
    }
    for (const type of [0, 1, 7]) assert.equal(write(type, 1, 4000), null);
    assert.equal(write(13, 1, 4097), null);
    assert.equal(write(13, 2000, 4000), null);
    assert.equal(write(13, 1, 4000, 3999), null);
    assert.equal(write(13, 1, 4000, 4096), null);
    assert.equal(write(13, 1, 4000, 4000, 3000), null);
  });

  it('knows the header of the first page, and a content that starts at the end of 64 KiB', () => {
    const first = Buffer.alloc(4096, 7);
    first.write('SQLite format 3\0');
    first.set([13, 0, 0, 0, 1, 4000 >> 8, 4000 & 255, 0, 4000 >> 8, 4000 & 255], 100);
    assert.deepEqual(findUnallocated(first, 100), { from: 110, to: 4000 });
    const large = Buffer.alloc(65_536, 7);
    large.set([13, 0, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(findUnallocated(large, 0), { from: 8, to: 65_536 });
  });
});
