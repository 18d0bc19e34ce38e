import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** An event as in the body of a delivery. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One delivery, with all its attempts. */
export interface ReceivedDelivery {
  readonly event: ReceivedEvent;
  readonly body: string;
  /** How often it was answered with 2xx, whether or not the sender still ran. */
  taken: number;
  /** How often it was rejected with 500, or not answered. */
  refused: number;
}

/** Response of a receiver to the first attempt at a delivery. */
export type Mood = (random: () => number) => 'take' | 'refuse' | 'ignore';

export interface ReceiverOptions {
  readonly random: () => number;
  readonly mood: Mood;
  /** The response to repetitions, which are accepted by default. */
  readonly repetitions?: Mood;
  /** How long it takes to respond, at most, in milliseconds. */
  readonly slowest?: number;
}

/** A receiver that checks every signature and takes up to 20 ms, or a given time, to respond. */
export class Receiver implements AsyncDisposable {
  readonly deliveries = new Map<string, ReceivedDelivery>();
  /** Faults of requests: a wrong signature, or another body than the time before. */
  readonly complaints: string[] = [];
  /** Requests so far. */
  requests = 0;
  mood: Mood;
  secret = '';
  readonly #random: () => number;
  readonly #repetitions: Mood;
  readonly #slowest: number;
  readonly #server = createServer((request, response) => {
    this.#receive(request)
      .then((status) => status !== null && response.writeHead(status).end())
      // A process that was killed while sending leaves an incomplete request.
      .catch(() => response.destroy());
  });

  constructor({ random, mood, repetitions = calm, slowest = 20 }: ReceiverOptions) {
    this.#random = random;
    this.mood = mood;
    this.#repetitions = repetitions;
    this.#slowest = slowest;
  }

  /** Starts to listen. @returns its address. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #receive(request: IncomingMessage): Promise<number | null> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    this.requests += 1;
    const id = String(request.headers['svc-delivery']);
    if (!this.#isSigned(request, body)) {
      this.complaints.push(`${id} was not signed with the secret of the webhook`);
      return 401;
    }
    const before = this.deliveries.get(id);
    const delivery = before ?? { event: JSON.parse(body), body, taken: 0, refused: 0 };
    if (delivery.body !== body) this.complaints.push(`${id} came with another body than the time before`);
    this.deliveries.set(id, delivery);
    await wait(this.#random() * this.#slowest);
    const act = (before === undefined ? this.mood : this.#repetitions)(this.#random);
    if (act === 'take') delivery.taken += 1;
    else delivery.refused += 1;
    return act === 'ignore' ? null : act === 'take' ? 204 : 500;
  }

  #isSigned({ headers }: IncomingMessage, body: string): boolean {
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['svc-signature'])) ?? [];
    return signature === createHmac('sha256', this.secret).update(`${time}.${body}`).digest('hex');
  }
}

/** Accepts everything. */
export const calm: Mood = () => 'take';

/** Rejects one delivery in fifty. */
export const refusing: Mood = (random) => (random() < 1 / 50 ? 'refuse' : 'take');

/** Rejects one delivery in fifty, and never answers one in two hundred. */
export const moody: Mood = (random) => (random() < 1 / 200 ? 'ignore' : refusing(random));

/** Rejects everything. */
export const broken: Mood = () => 'refuse';
