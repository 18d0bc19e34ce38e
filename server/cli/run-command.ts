import { MoveRefused } from '../installation/move.ts';
import { explainUnreachable, explainUnwritable } from '../installation/unreachable.ts';
import { MalformedLog } from '../ledger/anchor-log.ts';
import { RewrittenLedger } from '../ledger/checkpoint-store.ts';
import { readSettings, SettingsError } from '../settings.ts';
import { UnmovableData } from '../storage/copy-rows.ts';
import { systemClock } from '../storage/database.ts';
import { FolderInUse } from '../storage/folder-lock.ts';
import { DamagedDatabase } from '../storage/sqlite.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { keyCreate, scimTokenCreate, tenantCreate, userCreate, userReset } from './administer.ts';
import { backup, restore } from './backup.ts';
import {
  type Command,
  type CommandContext,
  describeCommand,
  describeCommands,
  readOptions,
  UsageError,
} from './command.ts';
import { exportCreate, exportVerify } from './export.ts';
import { move } from './move.ts';
import { demo, migrateCommand, serve } from './serve.ts';
import { verify } from './verify.ts';
import { widgets } from './widgets.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  demo,
  migrateCommand,
  tenantCreate,
  userCreate,
  userReset,
  keyCreate,
  scimTokenCreate,
  backup,
  restore,
  move,
  verify,
  exportCreate,
  exportVerify,
  widgets,
];

async function run(words: readonly string[]): Promise<number> {
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (command === undefined) {
    const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    if (group.length > 0 && words.length === 2 && isHelp(words[1])) {
      console.log(describeCommands(group, `svc ${words[0]}`));
      return 0;
    }
    const asked = words.length === 0 || isHelp(words[0]);
    if (!asked) console.error(`svc: there is no command "${words.join(' ')}"\n`);
    (asked ? console.log : console.error)(describeCommands(commands));
    return asked && words.length > 0 ? 0 : 2;
  }
  const options = readOptions(command, words.slice(command.name.split(' ').length));
  if (options === null) {
    console.log(describeCommand(command));
    return 0;
  }
  const json = options.json === true;
  const settings = readSettings(process.env, command.defaults?.(process.env));
  const isShown = !json && process.stderr.isTTY;
  const context: CommandContext = {
    clock: systemClock,
    settings,
    options,
    say: (line) => {
      if (!json) console.log(line);
    },
    showProgress: (text) => {
      if (isShown) process.stderr.write(`\r\x1b[K${text}`);
    },
    result: (value) => {
      if (json) console.log(JSON.stringify(value, null, 2));
    },
  };
  try {
    return (await command.run(context)) ?? 0;
  } catch (error) {
    throw explainUnwritable(explainUnreachable(error, settings.databaseUrl), settings.dataDir);
  }
}

function isHelp(word: string | undefined): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

/**
 * Runs the command that the words name.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage or setting; the commands that verify have more.
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  // The database, its log and their copies contain personal data: no other user may read them.
  process.umask(0o077);
  try {
    return await run(words);
  } catch (error) {
    const isOneOf = (kinds: readonly (new (...words: never[]) => Error)[]) =>
      kinds.some((kind) => error instanceof kind);
    const isWrongUse = isOneOf([UsageError, SettingsError, FolderInUse, MoveRefused]);
    if (error instanceof DatabaseUnavailable) console.error(`svc: The database cannot be used: ${error.message}`);
    else if (isWrongUse || isOneOf([DamagedDatabase, RewrittenLedger, MalformedLog, UnmovableData]))
      console.error(`svc: ${(error as Error).message}`);
    else console.error(error);
    return isWrongUse ? 2 : 1;
  }
}
