import { verifierNames } from './check.ts';
import { fail, type Names, requireOptions, WebhookVerificationError } from './error.ts';
import { lookupErrors } from './key-lookup.ts';
import type {
  HeaderGetter,
  LimitOptions,
  RequestVerifier,
  SignedDelivery,
  Verification,
  WebhookEvent,
} from './options.ts';
import type { ReplayGuard } from './replay.ts';
import { createSecretVerifier, type SecretOptions } from './secret-verifier.ts';

/** What a handler gets beside the event. */
export interface DeliveryContext<Request> extends Verification {
  /**
   * The `Svc-Delivery` header, the same for each try of one delivery. It is proven where a replay guard goes by it, and
   * with public keys; otherwise an attacker may have changed it.
   */
  readonly deliveryId: string | null;
  /** The request as the framework gives it; its body has been read. */
  readonly request: Request;
}

/** What every adapter takes. */
export type AdapterOptions<Request> = HandlerOptions<Request> &
  (SecretVerification<Request> | GivenVerification<Request>);

/** An adapter that verifies by secrets. */
export interface SecretVerification<Request> extends SecretOptions<Request> {
  readonly verifier?: undefined;
}

/** An adapter that verifies by what it is given; whatever else a verifier takes, this one was given. */
export type GivenVerification<Request> = { readonly [Name in keyof LimitOptions | 'secrets']?: undefined } & {
  /** What verifies instead of secrets: `createAsymmetricVerifier` of `@svc/webhook-verify/asymmetric` makes one. */
  readonly verifier: RequestVerifier<Request>;
};

/** What an adapter does with deliveries. */
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

/** What is known of a request that was rejected: the status that it is answered with, and its delivery. */
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

/** What to answer: JSON. */
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

/** Whether an error says why a delivery was refused, and is not one that a look-up has thrown. */
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
