import { styleText } from 'node:util';
import { type DestinationStream, pino } from 'pino';

/** The output of the log on a stream: JSON lines, or readable lines if the stream is a terminal. */
export function openLogOutput(stream: NodeJS.WriteStream & { readonly fd: 1 | 2 }): DestinationStream {
  if (!stream.isTTY) return pino.destination(stream.fd);
  return { write: (line) => void stream.write(formatLine(line, stream)) };
}

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** A line of the log for people: time, level, message, fields, and the stack of an error below. */
function formatLine(line: string, stream: NodeJS.WriteStream): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line);
  // Respects NO_COLOR.
  const paint = (style: 'dim' | 'red' | 'yellow' | 'cyan', text: string) => styleText(style, text, { stream });
  const label = String(pino.levels.labels[level]).toUpperCase().padEnd(5);
  const details = Object.entries(fields).map(([name, value]) => ` ${paint('dim', `${name}=`)}${formatValue(value)}`);
  return [
    paint('dim', new Date(time).toTimeString().slice(0, 8)),
    ' ',
    paint(level >= 50 ? 'red' : level >= 40 ? 'yellow' : 'cyan', label),
    ` ${hideControls(String(msg))}`,
    ...details,
    ...listErrors(err).map((error) => `\n  ${hideControls(describe(error)).replaceAll('\n', '\n  ')}`),
    '\n',
  ].join('');
}

function formatValue(value: unknown): string {
  return hideControls(typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

function describe({ name, message, stack = `${name}: ${message}` }: LoggedError): string {
  return stack;
}

function listErrors(error: LoggedError | undefined): readonly LoggedError[] {
  return error === undefined ? [] : [error, ...listErrors(error.cause)];
}

/** A value that a client chose must not control the terminal. */
function hideControls(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, '�');
}
