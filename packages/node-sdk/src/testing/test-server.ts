import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope, Session, User, WebhookDeliveryDetail } from '../types/api.ts';
import { requireAnswerStatus, type TestAnswer, type TestAnswerOptions } from './answer.ts';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import type { Fault, FaultKind, PendingFault } from './faults.ts';
import type { Member } from './members.ts';
import type { OperationAnswers, OperationId, OperationName } from './operation-answers.ts';
import { resolveOperation } from './operation-names.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { requestRules } from './request-rules.ts';
import { serveRequest } from './serve-request.ts';
import { ServerState } from './server-state.ts';
import type { TestClock } from './test-clock.ts';

/**
 * A server for tests of programs that use the API: real HTTP on a free port of this machine, everything in memory.
 * It refuses what the API refuses, in the same words, and keeps what it is told. What a test tells it to answer
 * (`respond`) comes first.
 */
export class TestServer implements AsyncDisposable {
  /** Sets the time that the server goes by. */
  readonly clock: TestClock;
  /** An API key with every scope. */
  readonly apiKey: string;
  /** The id of that key: with the key as the secret, it is an OAuth client. */
  readonly clientId: string;
  /** What operations on `/scim/v2` want as their token, until another is made over the API. */
  readonly scimToken: string;
  readonly #state = new ServerState(() => this.baseUrl);
  readonly #server: Server;

  /** Use `createTestServer`. */
  constructor() {
    this.clock = this.#state.clock;
    this.scimToken = this.#state.scimToken;
    this.apiKey = this.createKey(requestRules.scopes);
    this.clientId = this.#state.keys.use(this.apiKey, this.clock.now())?.id ?? '';
    // It is not to close a connection in the moment in which a slow machine, or a debugger, sends over it.
    this.#server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      serveRequest(this.#state, request, response).catch((error: unknown) => response.destroy(error as Error));
    });
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
    return this.#state.requests;
  }

  /** The id of the one tenant that there is; its slug is `test`. */
  get tenantId(): string {
    return this.#state.world.tenantId;
  }

  /** Makes an API key that has these scopes alone. */
  createKey(scopes: readonly Scope[]): string {
    return this.#state.keys.create(scopes, this.clock.now());
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
    this.#state.keepAnswer({ operation: resolveOperation(operation), answer, options });
  }

  /**
   * Lets one of the next requests fail.
   * @throws {TypeError} for an operation that there is none, and for a kind, a number of times or a field that is none.
   */
  fail(kind: FaultKind, fault: Fault = {}): void {
    this.#state.faults.add(kind, fault, (operation) => this.#state.findAnswer(operation) !== undefined);
  }

  /** The faults that did not meet all their requests yet: at the end of a test, there should be none. */
  get pendingFaults(): readonly PendingFault[] {
    return this.#state.faults.pending;
  }

  /** The deliveries of webhooks, oldest first, with their events and attempts. Nothing is sent by itself. */
  listDeliveries(): readonly WebhookDeliveryDetail[] {
    return this.#state.features.webhooks.list();
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
    return this.#state.features.settler.settle(outcome, this.clock.now());
  }

  /**
   * Takes an invitation, as the person would do who was sent it.
   * @returns the member, who may sign in from now on.
   * @throws {TypeError} for a token that is not open.
   */
  acceptInvitation(token: string): User {
    const { invitations, users } = this.#state.features;
    const userId = invitations.accept(token, this.clock.now());
    users.endSessions(userId);
    return this.#viewMember(userId);
  }

  /** Opens a session of a member, as if they signed in. @throws {TypeError} for nobody who may. */
  signIn(userId: string): Session {
    return this.#state.features.users.signIn(userId, this.clock.now());
  }

  /** Turns the second factor of a member on, as if they had enrolled one; their sessions end. @throws {TypeError} for nobody who may. */
  enableSecondFactor(userId: string): User {
    this.#state.features.users.enableSecondFactor(userId, this.clock.now());
    return this.#viewMember(userId);
  }

  #viewMember(userId: string): User {
    const { members, users } = this.#state.features;
    return users.view(members.find(userId) as Member);
  }

  /** Forgets everything but the keys: what was made, requests, faults, answers. The clock goes with the machine's again. */
  reset(): void {
    this.#state.reset();
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
