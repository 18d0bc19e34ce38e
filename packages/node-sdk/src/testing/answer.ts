import type { ServerResponse } from 'node:http';
import { codeOf, type Fault, type FaultKind } from './faults.ts';
import { compilePath } from './read-request.ts';
import type { OpenRecord, RecordedRequest } from './recorded-request.ts';
import { Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { presentRefusal } from './scim-message.ts';

/** What a test says in place of an operation: the payload, or what makes it of the request. */
export type TestAnswer<Payload = object | string | null> = Payload | ((request: RecordedRequest) => Payload);

/** What a test may say besides. */
export interface TestAnswerOptions {
  /** Default: that of the operation, or 200. An error is for `fail`; only a text with its own `type` may have any status. */
  readonly status?: number;
  /** A media type other than JSON: the answer is a text then, and sent as it is. */
  readonly type?: string;
}

/** An answer that a test gave beforehand. */
export interface ToldAnswer {
  /** The operationId, or method and path of an operation that the table does not have. */
  readonly operation: string;
  readonly answer: TestAnswer;
  readonly options: TestAnswerOptions;
}

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The dated version of the API that the server speaks. */
export const apiVersion: string = requestRules.versions.at(-1) ?? '';

/** @throws {Refusal} `unsupported_version`. */
export function requireVersion(version: string | undefined): void {
  if (version === undefined || requestRules.versions.includes(version)) return;
  throw new Refusal(400, 'unsupported_version', `Svc-Version must be one of: ${requestRules.versions.join(', ')}.`);
}

/** The status of an operation that is known by name alone; 200 where there is none. */
export function statusOfOther(operation: string | null): number {
  return requestRules.others.find(([id]) => id === operation)?.[3] ?? 200;
}

/** The answer with a payload: in the envelope under `/v1`; an export as it is. */
export function presentPayload(payload: unknown, status: number, path: string): Answer {
  const [, ledger] = /^\/v1\/ledgers\/(\w+)\/export$/.exec(path) ?? [];
  if (typeof payload === 'string' && ledger !== undefined) return presentExport(payload, ledger);
  const body = JSON.stringify(path.startsWith('/v1/') ? { data: payload } : payload);
  return { status, body: status === 204 ? '' : body, headers: {} };
}

function presentExport(lines: string, ledger: string): Answer {
  const [, size] = /\n(\d+)\n/.exec(JSON.parse(lines.slice(0, lines.indexOf('\n'))).checkpoint) ?? [];
  const headers = {
    'Content-Type': 'application/jsonl; charset=utf-8',
    'Content-Disposition': `attachment; filename="${ledger}-${size}.jsonl"`,
  };
  return { status: 200, body: lines, headers };
}

/** @throws {TypeError} for a status that such an answer cannot have. */
export function requireAnswerStatus({ status = 200, type }: TestAnswerOptions): void {
  const top = type === undefined ? 299 : 599;
  if (Number.isInteger(status) && status >= 200 && status <= top) return;
  throw new TypeError(`An answer has no status ${status}, but 200 to ${top}: use fail for errors`);
}

/** What a test told: the answer to a request. */
export function presentTold(
  { operation, answer, options }: ToldAnswer,
  recorded: RecordedRequest,
  status: number,
): Answer {
  const payload = typeof answer === 'function' ? answer(recorded) : answer;
  if (payload instanceof Promise) throw new TypeError('An answer must be there at once: respond takes no promises');
  const type = options.type ?? (typeof payload === 'string' ? textTypes[operation] : undefined);
  if (type === undefined) return presentPayload(payload, options.status ?? status, recorded.path);
  return { status: options.status ?? status, body: String(payload), headers: { 'Content-Type': type } };
}

/** The operations that answer with a text. */
const textTypes: Readonly<Record<string, string>> = {
  exportAuditLedger: 'application/jsonl; charset=utf-8',
  exportConsentLedger: 'application/jsonl; charset=utf-8',
  getLedgerKey: 'text/plain; charset=utf-8',
};

/** Finds what a test told of a path that the table does not have. */
export function findTold(told: readonly ToldAnswer[], method: string, path: string) {
  for (const one of told) {
    const [wanted, template = ''] = one.operation.split(' ');
    const params = wanted === method ? compilePath(template)(path) : null;
    if (params !== null) return { told: one, params };
  }
  return undefined;
}

/** The answer, or what refuses it. */
export function answerOrRefuse(requestId: string, path: string, answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    // What a test throws where it answers must be seen by whoever reads the failure.
    const message = `The test server failed: ${error instanceof Error ? error.message : String(error)}`;
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal_error', message);
    return presentFailure(refusal, path, requestId);
  }
}

/** An error in the form of the surface. */
function presentFailure(refusal: Refusal, path: string, requestId: string): Answer {
  const headers = refusal.more.headers ?? {};
  if (!path.startsWith('/scim/v2/')) return { status: refusal.status, body: refusal.toBody(requestId), headers };
  const { status, body } = presentRefusal(refusal);
  return { status, body: JSON.stringify(body), headers };
}

/** The error that a test ordered, or the answer, which is then sent in part. */
export function spoil(kind: FaultKind, fault: Fault, answer: Answer, path: string, requestId: string): Answer {
  if (typeof kind !== 'number') return answer;
  const { retryAfter, code = codeOf(kind) } = fault;
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  const refusal = new Refusal(kind, code, `The test server was told to fail with ${kind}.`, { headers });
  return { ...presentFailure(refusal, path, requestId), status: kind };
}

/** Sends an answer, or as much of it as a fault leaves. */
export function sendAnswer(
  response: ServerResponse,
  requestId: string,
  recorded: OpenRecord,
  { status, body, headers }: Answer,
  kind: FaultKind | undefined,
): void {
  if (kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  recorded.status = status;
  const bytes = Buffer.from(body);
  const type = recorded.path.startsWith('/scim/v2/') ? 'application/scim+json' : 'application/json; charset=utf-8';
  response.writeHead(status, {
    ...(status !== 204 && { 'Content-Type': type, 'Content-Length': bytes.length }),
    'Svc-Request-Id': requestId,
    ...(recorded.path.startsWith('/v1/') && { 'Svc-Version': apiVersion }),
    ...(recorded.path.startsWith('/v1/public/') && { 'Access-Control-Allow-Origin': '*' }),
    ...headers,
  });
  if (kind !== 'stall' && kind !== 'truncate') response.end(bytes);
  else
    response.write(bytes.subarray(0, bytes.length >> 1), () => {
      if (kind === 'truncate') response.destroy();
    });
}
