#!/usr/bin/env node
import { readSettings, SettingsError } from '../settings.ts';
import { type Command, describeCommand, describeCommands, readOptions, UsageError } from './command.ts';
import { demo } from './demo.ts';
import { keyCreate } from './key-create.ts';
import { migrateCommand } from './migrate.ts';
import { serve } from './serve.ts';
import { tenantCreate } from './tenant-create.ts';
import { verify } from './verify.ts';

const commands: readonly Command[] = [serve, demo, migrateCommand, tenantCreate, keyCreate, verify];

/** Runs the command that the words name. @returns the exit code: 0 done, 1 failed, 2 wrong usage. */
async function main(words: readonly string[]): Promise<number> {
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (command === undefined) {
    const asked = words.length === 0 || ['help', '--help', '-h'].includes(words[0] as string);
    if (!asked) console.error(`svc: there is no command "${words.join(' ')}"\n`);
    (asked ? console.log : console.error)(describeCommands(commands));
    return asked && words.length > 0 ? 0 : 2;
  }
  const options = readOptions(command, words.slice(command.name.split(' ').length));
  if (options.help) {
    console.log(describeCommand(command));
    return 0;
  }
  const json = options.json === true;
  return command.run({
    settings: readSettings(process.env),
    options,
    json,
    say: (line) => {
      if (!json) console.log(line);
    },
    result: (value) => {
      if (json) console.log(JSON.stringify(value, null, 2));
    },
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof UsageError || error instanceof SettingsError;
  console.error(expected ? `svc: ${error.message}` : error);
  process.exitCode = expected ? 2 : 1;
}
