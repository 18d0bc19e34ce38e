#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { constructEvent, type NamedSecret, type SignedDelivery, WebhookVerificationError } from './node.ts';

const usage = `Says whether a captured webhook of Svc is genuine, and what is wrong when it is not. Nothing leaves this machine.

  svc-webhook-verify --request captured.http
  svc-webhook-verify --body body.json --header 'Svc-Signature: t=…,v1=…'

  --request <file>     the whole request: header lines, an empty line, the body as it came
  --body <file>        only the body, as it was received
  --header <line>      a header, with --body
  --secret-env <name>  the variable with the secrets, separated by commas (default: SVC_WEBHOOK_SECRET)
  --secret-stdin       read them from the standard input instead
  --received <time>    when it came (RFC 3339), to judge its age; "now" for just now
  --tolerance <s>      how old or how new it may be then (default: 300)
  --json               for programs: one object, also for a mistake in the call

Secrets are never arguments, for others see those. Exit codes: 0 genuine, 1 not genuine, 2 a mistake in the call.`;

class UsageError extends Error {}

function run(): number {
  const values = readArguments();
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const { headers, body } = readRequest(values);
  checkConflicts(values);
  const receivedAt = values.received === undefined ? null : readTime(values.received);
  const toleranceSeconds = readTolerance(values.tolerance);
  const secrets = readSecrets(values['secret-stdin'] ?? false, values['secret-env'] ?? 'SVC_WEBHOOK_SECRET');
  const signatures = headers.get('svc-signature') ?? [];
  const signature = signatures.length > 1 ? signatures : signatures[0];
  const diagnosis = diagnose({ body, signature, secrets }, toleranceSeconds, receivedAt);
  console.log(values.json ? JSON.stringify(diagnosis) : diagnosis.lines.join('\n'));
  return diagnosis.isGenuine ? 0 : diagnosis.code === 'secret_invalid' ? 2 : 1;
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        request: { type: 'string' },
        body: { type: 'string' },
        header: { type: 'string', multiple: true },
        'secret-env': { type: 'string' },
        'secret-stdin': { type: 'boolean' },
        received: { type: 'string' },
        tolerance: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Options that say the same in two ways, or have no meaning without another: none is passed over in silence. */
function checkConflicts(values: Arguments): void {
  for (const line of values.header ?? [])
    if (readHeaderLines([line]).size === 0) throw new UsageError('--header must be a line of the form Name: value.');
  if (values.request !== undefined && values.header !== undefined)
    throw new UsageError('--header goes with --body: a captured request has its own headers.');
  if (values['secret-stdin'] && values['secret-env'] !== undefined)
    throw new UsageError('Either --secret-stdin or --secret-env, not both.');
  if (values.tolerance !== undefined && values.received === undefined)
    throw new UsageError('--tolerance needs --received: without it no age is judged.');
}

type Arguments = ReturnType<typeof readArguments>;

/**
 * Reads the headers and the body: of a request in the form of HTTP/1.1, with header lines (a request line before them is passed
 * over), an empty line, and the body as it came; or of the arguments.
 */
function readRequest({ request, body, header }: Arguments) {
  if ((request === undefined) === (body === undefined)) throw new UsageError('Either --request or --body is needed.');
  const bytes = readBytes((request ?? body) as string);
  if (request === undefined) return { headers: readHeaderLines(header ?? []), body: bytes };
  const text = bytes.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  if (end === null) throw new UsageError('--request has no empty line between the headers and the body.');
  const headers = readHeaderLines(text.slice(0, end.index).split(/\r?\n/));
  return { headers, body: bytes.subarray(end.index + end[0].length) };
}

/** Reads lines of the form `Name: value`; others are passed over. */
function readHeaderLines(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    const values = headers.get(key) ?? [];
    headers.set(key, values);
    values.push(value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
  }
  return headers;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readSecrets(fromInput: boolean, variable: string): readonly NamedSecret[] {
  const text = fromInput ? readFileSync(0, 'utf8') : (process.env[variable] ?? '');
  const secrets = text.split(/[\s,]+/).filter((secret) => secret !== '');
  return secrets.map((secret, index) => ({ name: `secret ${index + 1}`, secret }));
}

function readTolerance(text = '300'): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0)) throw new UsageError('--tolerance must be a number of seconds from 0.');
  return seconds;
}

function readTime(text: string): number {
  const time = text === 'now' ? Date.now() : Date.parse(text);
  if (Number.isNaN(time)) throw new UsageError('--received must be a time in RFC 3339, or "now".');
  return time;
}

/** The result for a delivery that is not genuine. */
function describeFailure(code: string, lines: readonly string[]) {
  return { isGenuine: false, code, lines, secretName: null, timestamp: null, eventId: null, eventType: null };
}

interface CapturedDelivery extends SignedDelivery {
  readonly body: Buffer;
  readonly secrets: readonly NamedSecret[];
}

/** @param receivedAt in milliseconds; null when that is not known, and the age of the delivery is not judged. */
function diagnose(delivery: CapturedDelivery, toleranceSeconds: number, receivedAt: number | null) {
  const age =
    receivedAt === null ? { toleranceSeconds: Number.POSITIVE_INFINITY } : { toleranceSeconds, now: () => receivedAt };
  const unjudged = `Its age was not judged: a receiver takes it within ${toleranceSeconds} seconds of that time (--received).`;
  try {
    const { event, secretName, timestamp } = constructEvent({ ...delivery, ...age });
    return {
      isGenuine: true,
      code: 'genuine',
      lines: [
        `Genuine: signed with ${secretName} at ${new Date(timestamp * 1000).toISOString()}.`,
        `The event ${event.id} is of the type ${event.type}.`,
        ...(receivedAt === null ? [unjudged] : []),
      ],
      secretName,
      timestamp,
      eventId: event.id,
      eventType: event.type,
    };
  } catch (error) {
    if (!WebhookVerificationError.isInstance(error)) throw error;
    const hints = error.code === 'signature_mismatch' ? findRepairs(delivery) : [];
    return describeFailure(error.code, [`${error.code}: ${error.message}`, ...hints]);
  }
}

/** Tries what usually happens to bodies and secrets: a repair that gives the signature says what went wrong. */
function findRepairs(delivery: CapturedDelivery): readonly string[] {
  const found = repairs.filter(({ apply }) => {
    try {
      constructEvent({ ...delivery, body: apply(delivery.body), toleranceSeconds: Number.POSITIVE_INFINITY });
      return true;
    } catch {
      return false;
    }
  });
  return found.map(({ says }) => `It would match if ${says}.`);
}

const repairs: readonly { readonly says: string; readonly apply: (body: Buffer) => string }[] = [
  {
    says: 'the line break at the end of the body were not there: the capture has added it',
    apply: (body) => String(body).replace(/\r?\n$/, ''),
  },
  {
    says: 'the body had no byte order mark: something that writes text files has added it',
    apply: (body) => String(body).replace(/^\uFEFF/, ''),
  },
  {
    says: 'its line breaks were LF and not CR LF: the body was handled as text',
    apply: (body) => String(body).replaceAll('\r\n', '\n'),
  },
  {
    says: 'the body were JSON without white space: it was parsed and written again',
    apply: (body) => JSON.stringify(JSON.parse(String(body))),
  },
];

try {
  process.exitCode = run();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  // The arguments may be what is wrong, so they are looked at as they came.
  if (process.argv.includes('--json')) console.log(JSON.stringify(describeFailure('usage_invalid', [error.message])));
  else console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
