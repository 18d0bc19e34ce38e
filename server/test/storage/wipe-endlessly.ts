// Adds rows to a file and wipes it, until it is killed. Prints the number of the rows after each commit.
import { hash } from 'node:crypto';
import SQLite from 'better-sqlite3';
import { FreeSpaceWiper, remains } from '../../storage/wipe-free-space.ts';

const database = new SQLite(process.argv[2] as string);
for (const setting of ['journal_mode = WAL', 'secure_delete = ON', 'mmap_size = 4294967296', 'busy_timeout = 0'])
  database.pragma(setting);
const insert = database.prepare('insert into rows values (?, ?)');
const wiper = new FreeSpaceWiper(database, undefined, { milliseconds: 0, changes: 4, pages: 4 });
for (let count = database.prepare('select count(*) from rows').pluck().get() as number; ; ) {
  database.transaction(() => {
    for (let index = 0; index < 20; index += 1, count += 1)
      insert.run(hash('sha256', `${count}`), `${count}`.repeat(count % 40));
    database.pragma(`user_version = ${remains}`);
  })();
  process.stdout.write(`${count}\n`);
  for (let steps = 0; steps < 8; steps += 1) await wiper.step();
}
