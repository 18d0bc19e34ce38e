import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Problem } from '../http/problem.ts';
import { explainFile, explainSystemFailure } from '../installation/system-failure.ts';
import manifest from '../package.json' with { type: 'json' };
import { readSettings } from '../settings.ts';
import { systemClock } from '../storage/clock.ts';
import { ExplainedError } from '../storage/explained-error.ts';
import { type CommandContext, describeCommand, describeCommands, readOptions, UsageError } from './command.ts';
import { commands } from './commands.ts';

/** Where a command reads its settings and writes its lines. */
export interface Terminal extends Pick<CommandContext, 'logOutput' | 'untilStopped'> {
  readonly environment: NodeJS.ProcessEnv;
  /** True if standard output is a terminal. */
  readonly isTerminal: boolean;
  print(line: string): void;
  printError(line: unknown): void;
  /** Replaces the line of progress. */
  showProgress(text: string): void;
}

const ownTerminal: Terminal = {
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: console.error,
  showProgress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
};

/** console.log ignores failures: a key or a report would be lost, and the command would exit with 0. */
let outputError: unknown;

function noteOutputError(error: unknown): void {
  // The reader has enough, as `head` has.
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') outputError = error;
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const { environment, print, printError, logOutput, untilStopped } = terminal;
  // The last one, because "demo remove" also begins with "demo".
  const named = commands.findLast(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) {
    print(manifest.version);
    return 0;
  }
  if (named === undefined) {
    const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    if (group.length > 0 && words.length === 2 && isHelp(words[1])) {
      print(describeCommands(group, `svc ${words[0]}`));
      return 0;
    }
    const asked = words.length === 0 || isHelp(words[0]);
    if (!asked) printError(`svc: there is no command "${words.join(' ')}"\n`);
    (asked ? print : printError)(describeCommands(commands));
    return asked && words.length > 0 ? 0 : 2;
  }
  const command = await named.load();
  const options = readOptions(command, words.slice(named.name.split(' ').length));
  if (options === null) {
    print(describeCommand(named, command));
    return 0;
  }
  const json = options.json === true;
  // An empty variable counts as absent.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const variables = { ...readEnvironmentFile(options['env-file'] as string | undefined), ...given };
  const settings = readSettings(variables, command.defaults?.(variables));
  const context: CommandContext = {
    clock: systemClock,
    settings,
    options,
    isTerminal: terminal.isTerminal && !json,
    ...{ logOutput, untilStopped },
    say: (line) => {
      if (!json) print(line);
    },
    showProgress: (text) => {
      if (!json) terminal.showProgress(text);
    },
    result: (value) => {
      if (json) print(JSON.stringify(value, null, 2));
    },
  };
  try {
    return (await command.run(context)) ?? 0;
  } catch (error) {
    const { explainUnreachable, explainUnwritable } = await import('../installation/unreachable.ts');
    throw explainUnwritable(explainUnreachable(error, settings.databaseUrl), settings.dataDir);
  }
}

/** The settings of a file in the format of Node's --env-file. @throws {UsageError} if it cannot be read. */
function readEnvironmentFile(file: string | undefined): NodeJS.Dict<string> {
  if (file === undefined) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--env-file ${file} cannot be read: ${explainFile(error) ?? (error as Error).message}`);
  }
}

function isHelp(word: string | undefined): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

/**
 * Runs the command that the words name.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage or setting; the commands that verify have more.
 */
export async function runCommand(words: readonly string[], terminal = ownTerminal): Promise<number> {
  if (terminal === ownTerminal) process.stdout.on('error', noteOutputError);
  try {
    const code = await run(words, terminal);
    // The stream reports a failed write in a later turn.
    if (terminal === ownTerminal) await new Promise((resolve) => setImmediate(resolve));
    if (outputError === undefined) return code;
    terminal.printError(`svc: The output cannot be written: ${explainFile(outputError) ?? String(outputError)}.`);
    return code === 0 ? 1 : code;
  } catch (error) {
    const isExplained = error instanceof ExplainedError || error instanceof Problem;
    const reason = isExplained ? error.message : explainSystemFailure(error);
    terminal.printError(reason === undefined ? error : `svc: ${reason}`);
    return error instanceof ExplainedError ? error.exitCode : 1;
  }
}
