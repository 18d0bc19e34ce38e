import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../types/access.ts';
import { AccessTokens } from './access-tokens.ts';
import {
  type Answer,
  answerOrRefuse,
  findTold,
  presentPayload,
  presentTold,
  requireAnswerStatus,
  requireVersion,
  sendAnswer,
  spoil,
  type TestAnswer,
  type TestAnswerOptions,
  type ToldAnswer,
} from './answer.ts';
import { type Fault, type FaultKind, Faults, type PendingFault } from './faults.ts';
import { Notices } from './notices.ts';
import type { OperationAnswers, OperationId, OperationName } from './operation-answers.ts';
import { resolveOperation } from './operation-names.ts';
import { breachHandlers, dsrHandlers } from './privacy.ts';
import {
  findOperation,
  findOther,
  hasBody,
  type Match,
  parseBody,
  readBytes,
  validateRequest,
} from './read-request.ts';
import { type OpenRecord, type RecordedRequest, readHeader, recordRequest } from './recorded-request.ts';
import { Records } from './records.ts';
import { notFound, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { fingerprintRequest, readIdempotencyKey, StoredAnswers } from './stored-answers.ts';
import { Keys, trustHandlers } from './tenant.ts';
import { TestClock } from './test-clock.ts';
import { webhookHandlers } from './webhooks.ts';
import { auditHandlers, type Call, type Handlers, newId, World } from './world.ts';

/**
 * A server for tests of programs that use the API: real HTTP on a free port of this machine, everything in memory.
 * It refuses what the API refuses, in the same words, and keeps notices, records, the audit log, requests of data
 * subjects, breaches, webhooks and the trust center. To other operations it answers what the test told it (`respond`).
 */
export class TestServer implements AsyncDisposable {
  /** Sets the time that the server goes by. */
  readonly clock: TestClock = new TestClock();
  /** An API key with every scope. */
  readonly apiKey: string;
  /** The id of that key: with the key as the secret, it is an OAuth client. */
  readonly clientId: string;
  /** What operations on `/scim/v2` want as their token. */
  readonly scimToken: string = `scim_${randomUUID().replaceAll('-', '')}`;
  readonly #server: Server;
  readonly #faults = new Faults();
  readonly #stored = new StoredAnswers(this.clock);
  #world = new World(newId());
  readonly #keys = new Keys(this.#world);
  readonly #tokens = new AccessTokens(this.#keys, this.clock);
  #handlers: Handlers = {};
  #requests: readonly OpenRecord[] = [];
  #answers: readonly ToldAnswer[] = [];

  /** Use `createTestServer`. */
  constructor() {
    this.apiKey = this.createKey(requestRules.scopes);
    this.clientId = this.#keys.use(this.apiKey, this.clock.now())?.id ?? '';
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#build();
  }

  /** Begins to listen. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  /** Where the server is: hand it to the client. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every request so far, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** The id of the one tenant that there is; its slug is `test`. */
  get tenantId(): string {
    return this.#world.tenantId;
  }

  /** Makes an API key that has these scopes alone. */
  createKey(scopes: readonly Scope[]): string {
    return this.#keys.create('test', scopes, this.clock.now());
  }

  /**
   * Answers an operation in place of what the server would do. Requests are validated all the same.
   * @param operation the operationId; then the answer must be of the type that the API has for it. Or method and path as in
   *   the documentation, `GET /v1/users`: then it may be anything, and the operation one that the API does not have yet.
   * @param answer the payload: what stands in `data` under `/v1`, the whole body elsewhere; or what makes it of the request.
   * @throws {TypeError} for an operation that there is none, and for the status of an error: that is for `fail`.
   */
  respond<Id extends OperationId>(
    operation: Id,
    answer: TestAnswer<OperationAnswers[Id]>,
    options?: TestAnswerOptions & { readonly type?: never },
  ): void;
  respond(operation: Exclude<OperationName, OperationId>, answer: TestAnswer, options?: TestAnswerOptions): void;
  respond(
    operation: OperationName,
    answer: TestAnswer<string>,
    options: TestAnswerOptions & { readonly type: string },
  ): void;
  respond(operation: OperationName, answer: TestAnswer, options: TestAnswerOptions = {}): void {
    requireAnswerStatus(options);
    this.#answers = [{ operation: resolveOperation(operation), answer, options }, ...this.#answers];
  }

  /**
   * Lets one of the next requests fail.
   * @throws {TypeError} for an operation that there is none, and for a kind, a number of times or a field that is none.
   */
  fail(kind: FaultKind, fault: Fault = {}): void {
    this.#faults.add(kind, fault, (operation) => this.#answers.some((told) => told.operation === operation));
  }

  /** The faults that did not meet all their requests yet: at the end of a test, there should be none. */
  get pendingFaults(): readonly PendingFault[] {
    return this.#faults.pending;
  }

  /** Forgets everything but the keys: what was made, requests, faults, answers. The clock goes with the machine's again. */
  reset(): void {
    this.#requests = [];
    this.#faults.clear();
    this.#stored.clear();
    this.#answers = [];
    this.clock.set(null);
    this.#build();
  }

  /** Ends every connection and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #build(): void {
    const { tenantId } = this.#world;
    this.#world = new World(tenantId);
    const notices = new Notices(this.#world);
    this.#handlers = {
      ...notices.handlers(),
      ...new Records(this.#world, notices).handlers(),
      ...auditHandlers(this.#world),
      ...dsrHandlers(this.#world),
      ...breachHandlers(this.#world),
      ...webhookHandlers(this.#world),
      ...trustHandlers(this.#world, () => this.baseUrl),
      ...this.#keys.handlers(),
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const bytes = await readBytes(request);
    const found = attempt(() => findOperation(method, url.pathname));
    const match = found instanceof Refusal ? undefined : found;
    const other = match === undefined ? findOther(method, url.pathname) : undefined;
    const told = found === undefined && other === undefined ? findTold(this.#answers, method, url.pathname) : undefined;
    const recorded = recordRequest(request, method, url, match ?? other ?? told, bytes);
    this.#requests = [...this.#requests, recorded];
    const met = this.#faults.take(recorded.operation ?? told?.told.operation ?? null);
    const requestId = randomUUID();
    const answer = mustProcess(met)
      ? answerOrRefuse(requestId, () => {
          if (found instanceof Refusal) throw found;
          return match === undefined
            ? this.#answerOther(request, recorded, bytes, told?.told ?? this.#findAnswer(recorded.operation))
            : this.#answer(request, recorded, match, url, bytes);
        })
      : { status: 200, body: '{"data":{}}', headers: {} };
    const sent = met === undefined ? answer : spoil(met.kind, met.fault, answer, requestId);
    sendAnswer(response, requestId, recorded, sent, met?.kind);
  }

  #answer(request: IncomingMessage, recorded: OpenRecord, match: Match, url: URL, bytes: Buffer): Answer {
    const { method } = recorded;
    const [, , , scope, keyUse, status] = match.operation;
    const keyId = scope === null ? null : this.#admit(request, scope);
    requireVersion(readHeader(request, 'svc-version'));
    const key = readIdempotencyKey(readHeader(request, 'idempotency-key'), keyId === null ? 'none' : keyUse);
    const body = hasBody(request) && method !== 'GET' ? parseBody(request, bytes) : undefined;
    const valid = validateRequest(match, url.search, body);
    const fingerprint = fingerprintRequest(method, request.url, bytes);
    const earlier = key === null ? undefined : this.#stored.find(key, fingerprint);
    recorded.isReplay = earlier !== undefined;
    if (earlier !== undefined) {
      const { status, body } = earlier;
      return { status, body, headers: { 'Idempotent-Replayed': 'true' } };
    }
    const call = {
      ...valid,
      operation: match.operation,
      now: this.clock.now(),
      keyId,
      origin: request.headers.origin,
      address: request.socket.remoteAddress ?? null,
      userAgent: request.headers['user-agent'] ?? null,
    } as Call;
    const answer = this.#run(call, recorded, status);
    if (key !== null) this.#stored.keep(key, fingerprint, answer);
    return answer;
  }

  #run(call: Call, recorded: OpenRecord, status: number): Answer {
    const [id, method, path] = call.operation;
    const told = this.#findAnswer(id);
    if (told !== undefined) return presentTold(told, recorded, status);
    const handle = this.#handlers[id];
    if (handle === undefined) throw notTold(`${method} ${path}`);
    return presentPayload(handle(call), status, path);
  }

  #findAnswer(id: string | null): ToldAnswer | undefined {
    return this.#answers.find(({ operation }) => operation === id);
  }

  /** What is not in the table of rules: access tokens, SCIM, sign-in, and operations of newer servers. */
  #answerOther(request: IncomingMessage, recorded: OpenRecord, bytes: Buffer, told: ToldAnswer | undefined): Answer {
    const { method, path } = recorded;
    const isScim = path.startsWith('/scim/v2/');
    if (isScim && request.headers.authorization !== `Bearer ${this.scimToken}`)
      throw new Refusal(401, 'unauthenticated', 'The SCIM token is unknown or was replaced.');
    const status = requestRules.others.find(([id]) => id === recorded.operation)?.[3] ?? 200;
    if (told !== undefined) return presentTold(told, recorded, status);
    if (method === 'POST' && /^\/oauth\/(token|revoke)$/.test(path)) {
      const form = new URLSearchParams(bytes.toString());
      const { status, body } = this.#tokens.answer(path, form, request.headers.authorization);
      return presentPayload(body, status, path);
    }
    if (isScim || /^\/(v1\/(me|auth)|oauth|\.well-known)\b/.test(path)) throw notTold(`${method} ${path}`);
    throw notFound('path');
  }

  /** @returns the id of the key. */
  #admit(request: IncomingMessage, scope: string): string {
    const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const key = this.#tokens.use(token ?? '');
    if (key === undefined)
      throw new Refusal(401, 'unauthenticated', 'The API key or access token is unknown, expired or revoked.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="svc", error="invalid_token"' },
      });
    const tenant = readHeader(request, 'svc-tenant');
    if (tenant !== undefined && tenant !== this.#world.slug && tenant !== this.tenantId) {
      const message = 'These credentials may not act for the tenant that Svc-Tenant names.';
      throw new Refusal(403, 'tenant_not_allowed', message);
    }
    if (!(key.scopes as readonly string[]).includes(scope))
      throw new Refusal(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`);
    return key.id;
  }
}

/**
 * Starts a server for tests.
 * @returns the server; end it with `close()`, or declare it with `await using`.
 */
export async function createTestServer(): Promise<TestServer> {
  const server = new TestServer();
  await server.listen();
  return server;
}

/** Whether a request does its work, whatever becomes of its answer. */
function mustProcess(met: { readonly kind: FaultKind; readonly fault: Fault } | undefined): boolean {
  if (met === undefined) return true;
  return met.fault.isProcessed ?? (met.kind === 'stall' || met.kind === 'truncate');
}

function notTold(operation: string): Refusal {
  const message = `The test server has no state for this operation. Tell it what to answer: server.respond('${operation}', …)`;
  return new Refusal(501, 'not_implemented', message);
}

function attempt<Result>(run: () => Result): Result | Refusal {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
