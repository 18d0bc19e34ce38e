import { parseArgs } from 'node:util';
import type { Settings } from '../settings.ts';
import type { Clock } from '../storage/clock.ts';

/** An option of a command: `--name value`, or a flag. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly meaning: string;
  /** The placeholder of the value in the help. */
  readonly value?: string;
  readonly required?: boolean;
  /** Whether it may be repeated; its value is then a list. */
  readonly multiple?: boolean;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The input and output of a command. */
export interface CommandContext {
  readonly settings: Settings;
  readonly options: OptionValues;
  readonly json: boolean;
  readonly clock: Clock;
  /** Writes a line for people; nothing with --json. */
  say(line: string): void;
  /** Writes the result as JSON; nothing without --json. */
  result(value: unknown): void;
}

/** One command of `svc`. */
export interface Command {
  /** Defaults for settings that the environment does not set. */
  defaults?(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>>;
  /** As the user types it: `tenant create`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** @returns the exit code. */
  run(context: CommandContext): Promise<number>;
}

/** Invalid arguments; the message says which. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const commonOptions: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', meaning: 'print the result as JSON' },
  help: { type: 'boolean', meaning: 'print this help' },
};

/**
 * Reads the options of a command.
 * @throws {UsageError} for unknown, incomplete or missing options.
 */
export function readOptions(command: Command, words: readonly string[]): OptionValues {
  const options = { ...command.options, ...commonOptions };
  const types = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  let values: OptionValues;
  try {
    values = parseArgs({ args: [...words], options: types, strict: true, allowPositionals: false })
      .values as OptionValues;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const missing = Object.entries(options).filter(([name, { required }]) => required && values[name] === undefined);
  if (missing.length > 0 && !values.help) {
    throw new UsageError(`Missing: ${missing.map(([name]) => `--${name}`).join(', ')}`);
  }
  return values;
}

/** The help of one command. */
export function describeCommand(command: Command): string {
  const options = Object.entries({ ...command.options, ...commonOptions }).map(([name, option]) => {
    const usage = option.type === 'string' ? `--${name} <${option.value ?? name}>` : `--${name}`;
    return `  ${usage.padEnd(26)} ${option.meaning}${option.required ? ' (required)' : ''}`;
  });
  const description = command.description === undefined ? '' : `\n\n${command.description}`;
  return `svc ${command.name}: ${command.summary}${description}\n\nOptions:\n${options.join('\n')}`;
}

/** The help of several commands that share their first words. */
export function describeCommands(commands: readonly Command[], words = 'svc'): string {
  const lines = commands.map((command) => `  ${command.name.padEnd(18)} ${command.summary}`);
  return `Usage: ${words} <command> [options]\n\nCommands:\n${lines.join('\n')}\n\nRun svc <command> --help for details.`;
}
