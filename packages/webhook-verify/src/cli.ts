#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CapturedRequest, readCapturedRequest, readHeaderLines } from './captured-request.ts';
import { describeFailure, diagnose } from './diagnose.ts';

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
  const diagnosis = diagnose({ body, signatures, secrets, receivedAt, toleranceSeconds });
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

function readRequest(values: Arguments): CapturedRequest {
  if ((values.request === undefined) === (values.body === undefined))
    throw new UsageError('Either --request or --body is needed.');
  if (values.body !== undefined) return { headers: readHeaderLines(values.header ?? []), body: readBytes(values.body) };
  const request = readCapturedRequest(readBytes(values.request as string));
  if (request === undefined) throw new UsageError('--request has no empty line between the headers and the body.');
  return request;
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readSecrets(fromInput: boolean, variable: string): readonly string[] {
  const text = fromInput ? readFileSync(0, 'utf8') : (process.env[variable] ?? '');
  return text.split(/[\s,]+/).filter((secret) => secret !== '');
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

try {
  process.exitCode = run();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  // The arguments may be what is wrong, so they are looked at as they came.
  if (process.argv.includes('--json')) console.log(JSON.stringify(describeFailure('usage_invalid', [error.message])));
  else console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
