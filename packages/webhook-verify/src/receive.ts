import { createWebhookVerifier } from '#verifier';
import { fail, WebhookVerificationError } from './error.ts';
import type { WebhookEvent } from './event.ts';
import type { SignedDelivery, Verification, VerifierOptions } from './options.ts';
import type { ReplayGuard } from './replay.ts';

/** What a handler gets beside the event. */
export interface DeliveryContext<Request> extends Verification {
  /** The `Svc-Delivery` header, the same for each try of one delivery. It is not signed. */
  readonly deliveryId: string | null;
  /** The request as the framework gives it; its body has been read. */
  readonly request: Request;
}

/** What every adapter takes. */
export interface AdapterOptions<Request> extends VerifierOptions {
  /**
   * Called with each genuine event. The answer waits for it: 200 when it returns, 500 when it throws, whereupon the
   * server tries again. Put long work into a queue.
   */
  readonly handler: (event: WebhookEvent, context: DeliveryContext<Request>) => unknown;
  /** Without one, an event whose delivery is repeated is handled again. */
  readonly replay?: ReplayGuard | undefined;
  /** The largest body, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Told of every refusal (400, 413) and failure (500). Default: prints failures. */
  readonly onError?: ((error: unknown, details: RefusalDetails) => void) | undefined;
}

export interface RefusalDetails {
  readonly status: number;
  readonly deliveryId: string | null;
}

/** A request, as far as it matters here. */
export interface Incoming {
  readonly header: (name: string) => string | null | undefined;
  /** Reads the raw body. */
  readonly readBody: (maxBytes: number) => unknown;
}

/** What to answer: JSON. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

export const jsonHeaders = { 'content-type': 'application/json' };

/** Makes what turns a request into an answer; adapters only translate. */
export function createReceiver<Request>(
  options: AdapterOptions<Request>,
): (incoming: Incoming, request: Request) => Promise<Answer> {
  const { handler, replay, maxBytes = 1_048_576, onError = printFailure } = options;
  const verifier = createWebhookVerifier(options);
  if (typeof handler !== 'function' || !(maxBytes >= 1))
    fail('options_invalid', 'maxBytes must be a number from 1, handler a function.');
  return async ({ header, readBody }, request) => {
    const deliveryId = header('svc-delivery') ?? null;
    let isGenuine = false;
    try {
      const delivery = { body: await readBody(maxBytes), signature: header('svc-signature') };
      const { event, ...found } = await verifier.constructEvent(delivery as SignedDelivery);
      isGenuine = true;
      const handle = () => handler(event, { ...found, deliveryId, request });
      if ((replay === undefined ? void (await handle()) : await replay.run(event.id, handle)) === 'running')
        return refuse(409, { code: 'delivery_in_progress', message: 'Try again later.' });
      return { status: 200, body: '{"received":true}' };
    } catch (error) {
      // Whatever status an error of the handler carries is not for the sender: a 410 would end the subscription.
      const told = !isGenuine && WebhookVerificationError.isInstance(error) ? error : failure;
      const status = statuses[told.code] ?? 400;
      onError(error, { status, deliveryId });
      return refuse(status, told);
    }
  };
}

const failure = { code: 'receiver_failed', message: 'Try again later.' };

/** All others are 400. `body_not_bytes` is a mistake here, not of the sender, which shall try again. */
const statuses: Readonly<Record<string, number>> = { receiver_failed: 500, body_not_bytes: 500, body_too_large: 413 };

function refuse(status: number, { code, message }: { readonly code: string; readonly message: string }): Answer {
  return { status, body: JSON.stringify({ error: { code, message } }) };
}

function printFailure(error: unknown, { status }: RefusalDetails): void {
  if (status === 500) console.error(error);
}
