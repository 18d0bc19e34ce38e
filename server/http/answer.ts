import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AccountGone } from '../storage/database.ts';
import type { FaultLog } from '../storage/fault-log.ts';
import { BrokenSeal } from '../storage/secrets.ts';
import type { Principal } from './principal.ts';
import { notFound, Problem, type ProblemCode } from './problem.ts';
import {
  leavesTooMuch,
  lingerAfterAnswer,
  type ReadBody,
  readJsonBody,
  refuseExpectation,
  refuseSmuggling,
} from './request.ts';
import { namedObject } from './schemas.ts';
import { readTraceContext } from './trace-context.ts';

/**
 * Gives every request its id and turns whatever is thrown into the error envelope; nothing else answers with errors.
 * @param surfaces the surfaces whose errors differ from those of the REST API.
 */
export function answerRequests(
  faults: Pick<FaultLog, 'log' | 'logRequest'>,
  surfaces: readonly Surface[],
  { closing, logsRequests = false }: AnswerOptions = {},
): Middleware {
  const { log } = faults;
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    ctx.set('Svc-Request-Id', requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    try {
      refuseSmuggling(ctx.req);
      refuseExpectation(ctx.req);
      if (!hasPath(ctx)) throw notFound('path');
      await next();
      // A streamed body may fail after the response has started; then the response breaks off.
      if (ctx.body instanceof Readable) ctx.body.once('error', (error) => hideFailure(faults, requestId, error));
    } catch (error) {
      const problem = error instanceof Problem ? error : hideFailure(faults, requestId, error);
      const path = hasPath(ctx) ? ctx.path : '';
      answerProblem(ctx, requestId, problem, surfaces.find((surface) => isOn(surface, path)) ?? rest);
    }
    if (closing?.aborted || leavesTooMuch(ctx.req)) ctx.set('Connection', 'close');
    if (ctx.response.get('Connection') === 'close') lingerAfterAnswer(ctx.req);
    const milliseconds = Math.round(performance.now() - started);
    if (logsRequests) log.info(describeRequest(ctx, requestId, milliseconds), 'request');
    else if (milliseconds >= slowMilliseconds) log.info(describeRequest(ctx, requestId, milliseconds), 'slow request');
    else if (log.isLevelEnabled('debug')) log.debug(describeRequest(ctx, requestId, milliseconds), 'request');
  };
}

export interface AnswerOptions {
  /** Aborted when the server stops; clients are then asked to use another connection. */
  readonly closing?: AbortSignal | undefined;
  /** Logs each request at `info`. */
  readonly logsRequests?: boolean;
}

const slowMilliseconds = 1000;

/** The fields of a request in the log. Only the pattern of the route: a path may name a person. */
function describeRequest({ req, method, status, state }: Context, requestId: string, milliseconds: number) {
  const principal: Principal | undefined = state.principal ?? undefined;
  return {
    requestId,
    method,
    route: state.route,
    status,
    milliseconds,
    tenantId: principal?.tenantId,
    principalId: principal?.actor.id ?? undefined,
    traceId: req.headers.traceparent && readTraceContext(req.headers.traceparent)?.traceId,
  };
}

/** True if the target can be parsed, unlike http://[ (a whole URL is allowed, RFC 9112). */
function hasPath(ctx: Context): boolean {
  try {
    return ctx.path !== undefined;
  } catch {
    return false;
  }
}

/** Failures are logged; the client gets a generic error. */
function hideFailure(faults: Pick<FaultLog, 'logRequest'>, requestId: string, error: unknown): Problem {
  if (error instanceof BrokenSeal)
    return new Problem(
      'conflict',
      'A row in the database that this request depends on was changed by something other than Svc. The operator of this server finds it with `svc verify`.',
    );
  if (error instanceof AccountGone) return new Problem('conflict', 'The user was erased in the meantime.');
  if (!faults.logRequest(error, requestId))
    return new Problem('internal_error', 'An unexpected error occurred. If it happens again, report the request id.');
  // Most outages are over within seconds: a restart, a failover, the lock of a backup.
  return new Problem('unavailable', 'The database cannot be used at the moment. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  });
}

function answerProblem(ctx: Context, requestId: string, problem: Problem, surface: Surface): void {
  const { status, body } = surface.presentProblem(problem, requestId);
  ctx.status = status;
  // Errors are not cached: what is missing now may exist the next time.
  ctx.set('Cache-Control', 'no-store');
  if (problem.options.headers) ctx.set(problem.options.headers);
  ctx.type = surface.answerType;
  ctx.body = JSON.stringify(body);
}

/** The whole answer to a request that never reached the pipeline: its connection ends with it. */
export function writeRefusal(problem: Problem): string {
  const requestId = randomUUID();
  const { status, body } = rest.presentProblem(problem, requestId);
  const text = JSON.stringify(body);
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': rest.answerType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Svc-Request-Id': requestId,
    Connection: 'close',
    ...problem.options.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n');
}

/** How the operations below one path speak: what bodies they take, and how results and problems look. */
export interface Surface {
  /** The path that they have in common. */
  readonly base: string;
  /** The media type of answers. */
  readonly answerType: string;
  /** Media types of bodies, for the documentation. */
  readonly bodyTypes: readonly string[];
  /** Parts of the documentation that all operations have in common. */
  readonly text: {
    /** The form of errors. */
    readonly errors: z.ZodType;
    /** Codes that any operation may answer with. */
    readonly commonCodes: readonly ProblemCode[];
    /** Codes that an operation with a body may answer with besides. */
    readonly bodyCodes: readonly ProblemCode[];
    /** The text of a code in an error; null if the status is enough. */
    nameCode(code: ProblemCode): string | null;
    /** True if a 201 has a Location header with the address of the new object. */
    readonly sendsLocation: boolean;
  };
  /** True if callers must be authenticated before paths and methods are revealed. */
  readonly authenticatesFirst: boolean;
  /** True if the Svc-Version header chooses a version. */
  readonly isVersioned: boolean;
  readBody(request: IncomingMessage): Promise<ReadBody>;
  /** The text of a result. */
  present(result: unknown): string;
  presentProblem(problem: Problem, requestId: string): { readonly status: number; readonly body: object };
}

/** The most bytes of a body under /v1 (contract.md "Headers"). */
const bodyLimit = 64 * 1024;

/** spec.md "Errors". */
const ErrorEnvelope = z
  .strictObject({
    error: z
      .looseObject({
        code: z.string().meta({ description: 'One of the codes of this operation.' }),
        message: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
        details: z
          .array(namedObject('ProblemDetail', { path: z.string(), issue: z.string() }))
          .optional()
          .meta({ description: 'Each value that breaks its rule, such as body.purposes.analytics; the first 100.' }),
        requestId: z.string().optional().meta({ description: 'The value of Svc-Request-Id.' }),
      })
      .meta({ id: 'Problem' }),
  })
  .meta({ id: 'ErrorEnvelope' });

/** The REST API: JSON in envelopes (spec.md "Response envelope", "Errors"). */
export const rest: Surface = {
  base: '/v1',
  answerType: 'application/json; charset=utf-8',
  bodyTypes: ['application/json'],
  text: {
    errors: ErrorEnvelope,
    // spec.md "Conventions" names the statuses.
    commonCodes: [
      'invalid_json',
      'invalid_header',
      'unsupported_version',
      'unauthenticated',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'validation_failed',
      'rate_limited',
      'internal_error',
      'unavailable',
    ],
    bodyCodes: ['payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => code,
    sendsLocation: false,
  },
  authenticatesFirst: false,
  isVersioned: true,
  readBody: (request) => readJsonBody(request, bodyLimit, ['application/json']),
  present: (result) => `{"data":${JSON.stringify(result)}}`,
  presentProblem: ({ status, code, message, options: { details, fields } }, requestId) => {
    return { status, body: { error: { code, message, ...fields, ...(details && { details }), requestId } } };
  },
};

/** True if a path is the base of a surface or below it. */
export function isOn(surface: Surface, path: string): boolean {
  return path.startsWith(surface.base) && (path.length === surface.base.length || path[surface.base.length] === '/');
}

type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** An answer as it is sent, with its own headers. A stream is sent while it is made, however long it is. */
export class ReadyAnswer {
  readonly status: number;
  readonly body: string | Buffer | Readable;
  readonly headers: AnswerHeaders;

  constructor(status: number, body: ReadyAnswer['body'], headers: AnswerHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A result of the REST API with its own headers. */
export function answerWith(result: unknown, headers: AnswerHeaders, status = 200): ReadyAnswer {
  return new ReadyAnswer(status, rest.present(result), headers);
}

/** Every dated version of the REST API, oldest first. */
export const knownVersions = ['2026-11-01'] as const;

export const latestVersion: string = knownVersions[knownVersions.length - 1] as string;

/**
 * The version that a request runs under: the one its Svc-Version header names, else the tenant's.
 * @throws {Problem} `unsupported_version`, naming the known ones.
 */
export function resolveVersion(header: string | undefined, pinned: string): string {
  if (header === undefined) return pinned;
  if ((knownVersions as readonly string[]).includes(header)) return header;
  throw new Problem('unsupported_version', `Svc-Version must be one of: ${knownVersions.join(', ')}.`);
}

/** Headers of every answer of a public operation: any site may read it, none with credentials (Fetch, CORS protocol). */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Svc-Request-Id, Svc-Version, Svc-Region, Retry-After, RateLimit, RateLimit-Policy',
} as const;
