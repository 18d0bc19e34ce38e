import { verifierNames } from './check.ts';
import { bodyIncomplete, bodyTooLarge, fail, type Names, requireOptions, WebhookVerificationError } from './error.ts';
import type {
  HeaderGetter,
  LimitOptions,
  RequestVerifier,
  SignedDelivery,
  Verification,
  WebhookEvent,
} from './options.ts';
import type { ReplayGuard } from './replay.ts';
import { createSecretVerifier, lookupErrors, type SecretOptions } from './secret-verifier.ts';

/** Context of an event, passed to the handler. */
export interface DeliveryContext<Request> extends Verification {
  /**
   * The `Svc-Delivery` header, the same for each try of one delivery. It is proven where a replay guard goes by it, and
   * with public keys; otherwise an attacker may have changed it.
   */
  readonly deliveryId: string | null;
  /** The request as the framework gives it; its body has been read. */
  readonly request: Request;
}

/** Options of every adapter. */
export type AdapterOptions<Request> = HandlerOptions<Request> &
  (SecretVerification<Request> | GivenVerification<Request>);

/** An adapter that verifies by secrets. */
export interface SecretVerification<Request> extends SecretOptions<Request> {
  readonly verifier?: undefined;
}

/** An adapter that verifies by what it is given; whatever else a verifier takes, this one was given. */
export type GivenVerification<Request> = { readonly [Name in keyof LimitOptions | 'secrets']?: undefined } & {
  /** Verifies instead of secrets: `createAsymmetricVerifier` of `@svc/webhook-verify/asymmetric` creates one. */
  readonly verifier: RequestVerifier<Request>;
};

/** Options for the handling of deliveries. */
export interface HandlerOptions<Request> {
  /**
   * Called with each genuine event. The answer waits for it: 200 when it returns, 500 when it throws, whereupon the
   * server tries again. Put long work into a queue.
   */
  readonly handler: (event: WebhookEvent, context: DeliveryContext<Request>) => unknown;
  /** Without one, a delivery that is repeated is handled again. */
  readonly replay?: ReplayGuard | undefined;
  /** Called with each duplicate that the guard kept from the handler. */
  readonly onDuplicate?: ((event: WebhookEvent, context: DeliveryContext<Request>) => unknown) | undefined;
  /** The largest body, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called for every rejection (400, 413) and failure (500). Default: prints failures. It is not awaited. */
  readonly onError?: ((error: unknown, details: RefusalDetails) => unknown) | undefined;
}

/** Details of a rejected request: the status of the answer, and the delivery. */
export interface RefusalDetails {
  readonly status: number;
  readonly deliveryId: string | null;
}

/** A request, as far as it matters here. */
export interface Incoming {
  readonly header: HeaderGetter;
  /** Reads the raw body. */
  readonly readBody: (maxBytes: number) => unknown;
}

/** The answer to a delivery, in JSON. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

export const jsonHeaders = { 'content-type': 'application/json' };

const names: Names<HandlerOptions<unknown> & SecretVerification<unknown>> = {
  ...verifierNames,
  verifier: 1,
  handler: 1,
  replay: 1,
  onDuplicate: 1,
  maxBytes: 1,
  onError: 1,
};

/** Makes what turns a request into an answer; adapters only translate. */
export function createReceiver<Request>(
  options: AdapterOptions<Request>,
): (incoming: Incoming, request: Request) => Promise<Answer> {
  const { handler, replay, maxBytes = 1_048_576, onError = printFailure, onDuplicate } = requireOptions(options, names);
  const verifier = readVerifier(options);
  const run = replay === undefined ? handler : replay?.run;
  const functions = [handler, onError, onDuplicate ?? handler, run, verifier?.constructEvent, verifier?.checkHeaders];
  if (!(maxBytes >= 1) || !functions.every((one) => typeof one === 'function'))
    fail(
      'options_invalid',
      'maxBytes must be a number from 1; handler, onError, onDuplicate, replay.run, verifier.constructEvent and verifier.checkHeaders functions.',
    );
  return async ({ header, readBody }, request) => {
    let deliveryId = header('svc-delivery') ?? null;
    let isGenuine = false;
    try {
      // Before the body, so that unsigned requests are not read.
      verifier.checkHeaders(header);
      const body = (await readBody(maxBytes)) as SignedDelivery['body'];
      const { event, deliveryId: proven, ...found } = await verifier.constructEvent({ body, header, request });
      isGenuine = true;
      deliveryId = proven ?? deliveryId;
      const id = replay?.by === 'event' ? event.id : proven;
      const context = { ...found, deliveryId, request };
      const handle = () => handler(event, context);
      const outcome = replay === undefined ? void (await handle()) : await replay.run(id as string, handle);
      if (outcome === 'running') return refuse(409, inProgress);
      if (outcome !== 'done') return { status: 200, body: '{"received":true}' };
      void notify(() => onDuplicate?.(event, context));
      return { status: 200, body: '{"received":true,"duplicate":true}' };
    } catch (error) {
      // Whatever status an error of the handler carries is not for the sender: a 410 would end the subscription.
      const reported = !isGenuine && isOurs(error) ? error : failure;
      const status = statuses[reported.code] ?? 400;
      void notify(() => onError(error, { status, deliveryId }));
      return refuse(status, reported);
    }
  };
}

function readVerifier<Request>(options: AdapterOptions<Request>): RequestVerifier<Request> {
  const { verifier, replay, secrets, toleranceSeconds, now, validate } = options;
  const createIdReader = replay?.by === 'event' ? undefined : replay?.createIdReader;
  if (verifier === undefined) {
    if (replay && replay.by !== 'event' && createIdReader === undefined)
      fail('options_invalid', 'A guard that createReplayGuard has not made must go by: "event".');
    return createSecretVerifier(options, createIdReader);
  }
  if ([secrets, toleranceSeconds, now, validate].some((one) => one !== undefined))
    fail('options_invalid', 'Give secrets, toleranceSeconds, now and validate to what makes the verifier.');
  return verifier;
}

/** True if an error is the reason why a delivery was refused; false if a look-up has thrown it. */
function isOurs(error: unknown): error is WebhookVerificationError {
  return WebhookVerificationError.isInstance(error) && !lookupErrors.has(error);
}

const failure = { code: 'receiver_failed', message: 'Try again later.' };
const inProgress = { code: 'delivery_in_progress', message: 'Try again later.' };

/** All others are 400. Those with 500 are a mistake here, not of the sender, which shall try again. */
const statuses: Readonly<Record<string, number>> = {
  receiver_failed: 500,
  secret_invalid: 500,
  public_key_invalid: 500,
  algorithm_unsupported: 500,
  body_not_bytes: 500,
  options_invalid: 500,
  body_too_large: 413,
};

function refuse(status: number, { code, message }: { readonly code: string; readonly message: string }): Answer {
  return { status, body: JSON.stringify({ error: { code, message } }) };
}

/** Calls what only listens: whether it throws or rejects, the answer goes out and the process goes on. */
async function notify(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    console.error(error);
  }
}

function printFailure(error: unknown, { status }: RefusalDetails): void {
  if (status === 500) console.error(error);
}

/** Properties that frameworks and platforms add to a request. */
export interface ParsedBody {
  /** The result of the body parser, if one ran. */
  readonly body?: unknown;
  /** The raw bytes, where something kept them: NestJS with `rawBody`, cloud functions. */
  readonly rawBody?: unknown;
}

/** The request of Node, as far as it matters here. */
export interface NodeRequest extends ParsedBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly httpVersionMajor?: number;
  on(event: string, listener: (chunk: Uint8Array) => void): unknown;
  pause?(): unknown;
}

/** The answer of Node, as far as it matters here. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

export function readNodeRequest(request: NodeRequest, parsed: ParsedBody = request): Incoming {
  return {
    // Node joins repeated headers that it does not know.
    header: (name) => request.headers[name] as string | undefined,
    readBody: (maxBytes) => {
      const kept = [parsed.rawBody, parsed.body].find((one) => ArrayBuffer.isView(one) || typeof one === 'string');
      if (kept !== undefined && Buffer.byteLength(kept as string | Uint8Array) > maxBytes) throw bodyTooLarge();
      // A body that was read without its raw bytes was parsed: verification fails and says how to remove the parser.
      return kept ?? (request.readableDidRead ? parsed.body : collectNodeBody(request, maxBytes));
    },
  };
}

/** The headers of an answer. What is too large is not read to its end, so its connection must be closed (RFC 9112, 9.6). */
export function headersOf({ status }: Answer, { httpVersionMajor }: NodeRequest): Record<string, string> {
  // HTTP/2 has streams instead, and forbids the header (RFC 9113, section 8.2.2).
  return status === 413 && (httpVersionMajor ?? 1) < 2 ? { ...jsonHeaders, connection: 'close' } : jsonHeaders;
}

export function sendNodeAnswer(response: NodeResponse, answer: Answer, request: NodeRequest): void {
  response.writeHead(answer.status, headersOf(answer, request));
  response.end(answer.body);
}

function collectNodeBody(request: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      // To destroy the request would destroy the answer.
      request.pause?.();
      reject(bodyTooLarge());
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // Also after the end, when it no longer changes anything.
    request.on('close', () => reject(bodyIncomplete()));
  });
}

// The types of fetch are those of the compiling program, if it has them: from the DOM library, from the
// types of Node or of their platform. Otherwise the shape is used.

/** A `Request`. */
export type FetchRequest = typeof globalThis extends { Request: { prototype: infer Request } } ? Request : RequestShape;

/** A `Response`. */
export type FetchResponse = typeof globalThis extends { Response: { prototype: infer Response } }
  ? Response
  : { readonly status: number; text(): Promise<string> };

/** A `Request`, as far as it matters here. */
export interface RequestShape {
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  readonly bodyUsed: boolean;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

export function readFetchRequest({ headers, body, bodyUsed }: RequestShape): Incoming {
  return {
    header: (name) => headers.get(name),
    // Null is no bytes, and verifying says how to get at a body that was read before.
    readBody: (maxBytes) => (bodyUsed ? null : collectFetchBody(body, maxBytes)),
  };
}

export function createResponse({ status, body }: Answer): FetchResponse {
  return new Response(body, { status, headers: jsonHeaders }) as FetchResponse;
}

async function collectFetchBody(body: RequestShape['body'], maxBytes: number): Promise<ArrayBuffer> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = maxBytes;
  for (;;) {
    const { value } = (await reader?.read().catch(() => Promise.reject(bodyIncomplete()))) ?? {};
    if (value === undefined) return new Blob(chunks).arrayBuffer();
    left -= value.length;
    if (left < 0) {
      reader?.cancel().catch(() => undefined);
      throw bodyTooLarge();
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
}
