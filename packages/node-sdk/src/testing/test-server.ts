import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiKey, Scope } from '../types/access.ts';
import type { Session, User } from '../types/people.ts';
import type { WebhookDeliveryDetail } from '../types/webhooks.ts';
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
import { readBearer, unauthenticated } from './bearer.ts';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import { type Fault, type FaultKind, Faults, mustProcess, type PendingFault } from './faults.ts';
import { createFeatures, type Features } from './features.ts';
import { Keys } from './keys.ts';
import type { Member } from './members.ts';
import { NoteSigner } from './note-signer.ts';
import type { OperationAnswers, OperationId, OperationName } from './operation-answers.ts';
import { resolveOperation } from './operation-names.ts';
import {
  bodyLimit,
  findOperation,
  findOther,
  hasBody,
  type Match,
  parseBody,
  readBytes,
  validateRequest,
} from './read-request.ts';
import { type OpenRecord, type RecordedRequest, readHeader, recordRequest } from './recorded-request.ts';
import { notFound, notTold, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { Located, readScimParts, refuseScimPath, scimBase, scimBodyLimit } from './scim.ts';
import { fingerprintRequest, readIdempotencyKey, StoredAnswers } from './stored-answers.ts';
import { TestClock } from './test-clock.ts';
import { type Call, newId, World } from './world.ts';

/**
 * A server for tests of programs that use the API: real HTTP on a free port of this machine, everything in memory.
 * It refuses what the API refuses, in the same words, and keeps what it is told. What a test tells it to answer
 * (`respond`) comes first.
 */
export class TestServer implements AsyncDisposable {
  /** Sets the time that the server goes by. */
  readonly clock: TestClock = new TestClock();
  /** An API key with every scope. */
  readonly apiKey: string;
  /** The id of that key: with the key as the secret, it is an OAuth client. */
  readonly clientId: string;
  /** What operations on `/scim/v2` want as their token, until another is made over the API. */
  readonly scimToken: string = `scim_${randomUUID().replaceAll('-', '')}`;
  readonly #server: Server;
  readonly #faults = new Faults();
  readonly #stored = new StoredAnswers(this.clock);
  readonly #signer = new NoteSigner();
  #world = new World(newId(), this.clock.now());
  readonly #keys = new Keys(() => this.#world);
  readonly #tokens = new AccessTokens(this.#keys, this.clock);
  #features: Features;
  #requests: readonly OpenRecord[] = [];
  #answers: readonly ToldAnswer[] = [];

  /** Use `createTestServer`. */
  constructor() {
    this.apiKey = this.createKey(requestRules.scopes);
    this.clientId = this.#keys.use(this.apiKey, this.clock.now())?.id ?? '';
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#features = this.#createFeatures();
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
    return this.#keys.create(scopes, this.clock.now());
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

  /** The deliveries of webhooks, oldest first, with their events and attempts. Nothing is sent by itself. */
  listDeliveries(): readonly WebhookDeliveryDetail[] {
    return [...this.#features.webhooks.deliveries.values()];
  }

  /**
   * Makes one attempt of every delivery that is due by the clock, to webhooks that are enabled, without sending anything.
   * @param outcome what the receivers answer, or what tells it of a delivery: a status, or why there is no answer. Default: 204.
   * @returns the deliveries that were tried, as they are now. What fails is due again after a while: see `clock`.
   * @throws {TypeError} for an outcome that is none.
   */
  deliver(
    outcome: DeliveryOutcome | ((delivery: WebhookDeliveryDetail) => DeliveryOutcome) = 204,
  ): readonly WebhookDeliveryDetail[] {
    return this.#features.settler.settle(outcome, this.clock.now());
  }

  /**
   * Takes an invitation, as the person would do who was sent it.
   * @returns the member, who may sign in from now on.
   * @throws {TypeError} for a token that is not open.
   */
  acceptInvitation(token: string): User {
    return this.#viewMember(this.#features.invitations.accept(token, this.clock.now()));
  }

  /** Opens a session of a member, as if they signed in. @throws {TypeError} for nobody who may. */
  signIn(userId: string): Session {
    return this.#features.users.signIn(userId, this.clock.now());
  }

  /** Turns the second factor of a member on, as if they had enrolled one; their sessions end. @throws {TypeError} for nobody who may. */
  enableSecondFactor(userId: string): User {
    this.#features.users.enableSecondFactor(userId, this.clock.now());
    return this.#viewMember(userId);
  }

  #viewMember(userId: string): User {
    const { members, users } = this.#features;
    return users.view(members.find(userId) as Member);
  }

  /** Forgets everything but the keys: what was made, requests, faults, answers. The clock goes with the machine's again. */
  reset(): void {
    this.#requests = [];
    this.#faults.clear();
    this.#stored.clear();
    this.#answers = [];
    this.clock.set(null);
    this.#keys.reset();
    this.#world = new World(this.tenantId, this.clock.now());
    this.#features = this.#createFeatures();
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

  #createFeatures(): Features {
    const { scimToken } = this;
    const lasting = { keys: this.#keys, signer: this.#signer, scimToken, locate: () => this.baseUrl };
    return createFeatures(this.#world, lasting, this.clock.now());
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const isScim = url.pathname.startsWith(`${scimBase}/`);
    const bytes = await readBytes(request, isScim ? scimBodyLimit : bodyLimit);
    const found = attempt(() => findOperation(method, url.pathname));
    const match = found instanceof Refusal ? undefined : found;
    const other = match === undefined ? findOther(method, url.pathname) : undefined;
    const told = found === undefined && other === undefined ? findTold(this.#answers, method, url.pathname) : undefined;
    const recorded = recordRequest(request, method, url, match ?? other ?? told, bytes);
    this.#requests = [...this.#requests, recorded];
    const met = this.#faults.take(recorded.operation ?? told?.told.operation ?? null);
    const requestId = randomUUID();
    const answer = mustProcess(met)
      ? answerOrRefuse(requestId, url.pathname, () => {
          if (found instanceof Refusal) throw found;
          return match === undefined
            ? this.#answerOther(request, recorded, url, bytes, told?.told ?? this.#findAnswer(recorded.operation))
            : this.#answer(request, recorded, match, url, bytes);
        })
      : { status: 200, body: '{"data":{}}', headers: {} };
    const sent = met === undefined ? answer : spoil(met.kind, met.fault, answer, url.pathname, requestId);
    sendAnswer(response, requestId, recorded, sent, met?.kind);
  }

  #answer(request: IncomingMessage, recorded: OpenRecord, match: Match, url: URL, bytes: Buffer): Answer {
    const { method } = recorded;
    const [, , , scope, keyUse, status] = match.operation;
    const apiKey = scope === null ? null : this.#admit(request, scope);
    const keyId = apiKey?.id ?? null;
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
      ...this.#describeCaller(request, keyId, apiKey?.scopes ?? []),
    } as Call;
    const answer = this.#run(call, recorded, status);
    if (key !== null) this.#stored.keep(key, fingerprint, answer);
    return answer;
  }

  #run(call: Call, recorded: OpenRecord, status: number): Answer {
    const [id, method, path] = call.operation;
    const told = this.#findAnswer(id);
    if (told !== undefined) return presentTold(told, recorded, status);
    const handle = this.#features.handlers[id];
    if (handle === undefined) throw notTold(`${method} ${path}`);
    return presentPayload(handle(call), status, path);
  }

  #findAnswer(id: string | null): ToldAnswer | undefined {
    return this.#answers.find(({ operation }) => operation === id);
  }

  #describeCaller(request: IncomingMessage, keyId: string | null, scopes: readonly Scope[]) {
    return {
      now: this.clock.now(),
      keyId,
      scopes,
      baseUrl: this.baseUrl,
      origin: request.headers.origin,
      address: request.socket.remoteAddress ?? null,
      userAgent: request.headers['user-agent'] ?? null,
    };
  }

  /** What is not in the table of rules: access tokens, SCIM, the key of the ledgers, and operations of newer servers. */
  #answerOther(
    request: IncomingMessage,
    recorded: OpenRecord,
    url: URL,
    bytes: Buffer,
    told: ToldAnswer | undefined,
  ): Answer {
    const { method, path, operation } = recorded;
    if (path.startsWith(`${scimBase}/`)) return this.#answerScim(request, recorded, url, bytes, told);
    const status = requestRules.others.find(([id]) => id === operation)?.[3] ?? 200;
    if (told !== undefined) return presentTold(told, recorded, status);
    if (operation === 'getLedgerKey') {
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Access-Control-Allow-Origin': '*' };
      return { status, body: `${this.#signer.publicKey}\n`, headers };
    }
    if (method === 'POST' && /^\/oauth\/(token|revoke)$/.test(path)) {
      const form = new URLSearchParams(bytes.toString());
      const { status, body } = this.#tokens.answer(path, form, request.headers.authorization);
      return presentPayload(body, status, path);
    }
    if (/^\/(v1\/(me|auth)|oauth|\.well-known)\b/.test(path)) throw notTold(`${method} ${path}`);
    throw notFound('path');
  }

  #answerScim(
    request: IncomingMessage,
    recorded: OpenRecord,
    url: URL,
    bytes: Buffer,
    told: ToldAnswer | undefined,
  ): Answer {
    const { path, operation, params } = recorded;
    const isOpen = operation === 'getScimServiceProviderConfig';
    const tokenId = isOpen ? null : this.#admitScim(request);
    const status = requestRules.others.find(([id]) => id === operation)?.[3] ?? 200;
    if (told !== undefined) return presentTold(told, recorded, status);
    const handle = this.#features.scim[operation ?? ''];
    if (handle === undefined || operation === null) refuseScimPath(path);
    const locate = (resource: string) => this.baseUrl + scimBase + resource;
    const parts = readScimParts(operation, params, request, url.search, bytes);
    const found = handle({ ...this.#describeCaller(request, tokenId, []), ...parts, params, locate });
    if (!(found instanceof Located)) return presentPayload(found, status, path);
    return { ...presentPayload(found.resource, status, path), headers: { Location: found.location } };
  }

  /** @returns the id of the token. */
  #admitScim(request: IncomingMessage): string {
    const token = readBearer(request);
    if (token === undefined) throw unauthenticated('Send the SCIM token: Authorization: Bearer scim_…');
    const id = this.#features.scimTokens.use(token, this.clock.now());
    if (id === undefined) throw unauthenticated('The SCIM token is unknown or was replaced.', 'invalid_token');
    return id;
  }

  /** @returns the key. */
  #admit(request: IncomingMessage, scope: string): ApiKey {
    const key = this.#tokens.use(readBearer(request) ?? '');
    if (key === undefined)
      throw unauthenticated('The API key or access token is unknown, expired or revoked.', 'invalid_token');
    const tenant = readHeader(request, 'svc-tenant');
    if (tenant !== undefined && tenant !== this.#world.slug && tenant !== this.tenantId) {
      const message = 'These credentials may not act for the tenant that Svc-Tenant names.';
      throw new Refusal(403, 'tenant_not_allowed', message);
    }
    if (!(key.scopes as readonly string[]).includes(scope))
      throw new Refusal(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`);
    return key;
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

function attempt<Result>(run: () => Result): Result | Refusal {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
