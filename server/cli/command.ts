import { parseArgs } from 'node:util';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import { Time } from '../http/schemas.ts';
import { explainFile } from '../installation/system-failure.ts';
import type { Settings } from '../settings.ts';
import type { Clock } from '../storage/clock.ts';
import { ExplainedError } from '../storage/explained-error.ts';

/** An option of a command: `--name value`. */
export interface Option {
  /** Reads the value: `flag` for an option without one, `texts` for one that may be repeated. Its message completes `--name`. */
  readonly schema: z.ZodType;
  readonly meaning: string;
  /** The placeholder of the value in the help; default: the name. */
  readonly value?: string;
}

type OptionSet = Readonly<Record<string, Option>>;
type Schemas<Options extends OptionSet> = { readonly [Name in keyof Options]: Options[Name]['schema'] };

/** The input and output of a command. */
export interface CommandContext<Options extends OptionSet = OptionSet> {
  readonly settings: Settings;
  readonly options: Readonly<z.output<z.ZodObject<Schemas<Options>>>>;
  readonly clock: Clock;
  /** True if a person reads standard output: it is a terminal, without --json. One-time secrets of a server go nowhere else. */
  readonly isTerminal?: boolean;
  /** Where a server logs; default: standard output, with --json standard error. */
  readonly logOutput?: DestinationStream | undefined;
  /** Resolves with the reason when a server has to stop; default: at SIGINT and SIGTERM. */
  readonly untilStopped?: (() => Promise<string>) | undefined;
  /** Writes a line for people; nothing with --json. */
  say(line: string): void;
  /** Replaces the line of progress on a terminal; an empty text clears it. */
  showProgress(text: string): void;
  /** Writes the result as JSON; nothing without --json. */
  result(value: unknown): void;
}

/** What a command of `svc` takes and does; its name is in `commands.ts`. */
export interface Command<Options extends OptionSet = OptionSet> {
  /** Defaults for settings that the environment does not set. */
  defaults?(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>>;
  readonly description?: string;
  readonly options: Options;
  /** @returns the exit code; undefined for 0. */
  run(context: CommandContext<Options>): Promise<number | undefined>;
}

/** A command whose options have the types of their schemas. */
export function defineCommand<Options extends OptionSet>(command: Command<Options>): Command<Options> {
  return command;
}

/** Invalid arguments; the message says which. */
export class UsageError extends ExplainedError {
  override readonly name = 'UsageError';

  override get exitCode() {
    return 2 as const;
  }
}

export const flag = z.boolean().optional();
export const texts = z.array(z.string()).readonly().optional();

/** A text that a schema reads. @param message the same for every text that the schema rejects. */
export function withMessage<Value>(schema: z.ZodType<Value, string>, message: string) {
  return z.string().transform((text, context): Value => {
    const read = schema.safeParse(text);
    if (read.success) return read.data;
    context.addIssue(message);
    return z.NEVER;
  });
}

/** A time in RFC 3339, read as UTC with milliseconds. */
export const time = withMessage(Time, ': must be a time such as 2027-01-31T00:00:00Z');

/** Codes that mean that nothing can be created at a path. */
const unsuitable: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
]);

/** Explains why a file or folder that must not exist could not be created. @throws {unknown} */
export function explainUncreated(error: NodeJS.ErrnoException): never {
  if (error.code === 'EEXIST') throw new UsageError(`${error.path} already exists; it was not changed.`);
  if (error.code === 'ENOENT') throw new UsageError(`There is no folder for ${error.path}.`);
  if (unsuitable.has(String(error.code)))
    throw new UsageError(`${error.path} cannot be created: ${explainFile(error)} (${error.code}).`);
  throw error;
}

const commonOptions = {
  'env-file': {
    schema: z.string().optional(),
    value: 'file',
    meaning: 'read settings from a file with lines NAME=value; the environment has priority',
  },
  json: { schema: flag, meaning: 'print the result as JSON' },
  help: { schema: flag, meaning: 'print this help' },
};

/**
 * Reads the options of a command.
 * @returns the values; null with --help.
 * @throws {UsageError} for unknown, incomplete, missing or invalid options.
 */
export function readOptions<Options extends OptionSet>(command: Command<Options>, words: readonly string[]) {
  const options: OptionSet = { ...command.options, ...commonOptions };
  const types = Object.entries(options).map(([name, { schema }]) => {
    return [name, { type: schema === flag ? 'boolean' : 'string', multiple: schema === texts }] as const;
  });
  let given: Readonly<Record<string, unknown>>;
  try {
    given = parseArgs({ args: [...words], options: Object.fromEntries(types) }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (given.help === true) return null;
  const missing = Object.entries(options).filter(([name, option]) => given[name] === undefined && isRequired(option));
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.map(([name]) => `--${name}`).join(', ')}`);
  const schemas = Object.fromEntries(Object.entries(options).map(([name, { schema }]) => [name, schema]));
  const read = z.object(schemas).safeParse(given);
  if (read.success) return read.data as CommandContext<Options & typeof commonOptions>['options'];
  const { path, message } = read.error.issues[0] as z.core.$ZodIssue;
  throw new UsageError(`--${String(path[0])}${message.startsWith(':') ? '' : ' '}${message}`);
}

function isRequired({ schema }: Option): boolean {
  return !schema.safeParse(undefined).success;
}

/** An option as the help writes it: `--name <value>`, and whether it is required. */
export function describeOption(name: string, option: Option): { readonly usage: string; readonly isRequired: boolean } {
  const usage = option.schema === flag ? `--${name}` : `--${name} <${option.value ?? name}>`;
  return { usage, isRequired: isRequired(option) };
}

/** The name of a command, as the user types it, and what it does. */
export interface CommandName {
  readonly name: string;
  readonly summary: string;
}

/** The help of one command. */
export function describeCommand({ name, summary }: CommandName, command: Command): string {
  const options = Object.entries({ ...command.options, ...commonOptions }).map(([name, option]) => {
    const { usage, isRequired } = describeOption(name, option);
    return `  ${usage.padEnd(26)} ${option.meaning}${isRequired ? ' (required)' : ''}`;
  });
  const description = command.description === undefined ? '' : `\n\n${command.description}`;
  return `svc ${name}: ${summary}${description}\n\nOptions:\n${options.join('\n')}`;
}

/** The help of several commands that share their first words. */
export function describeCommands(commands: readonly CommandName[], words = 'svc'): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`);
  return `Usage: ${words} <command> [options]\n\nCommands:\n${lines.join('\n')}\n\nRun svc <command> --help for details.`;
}
