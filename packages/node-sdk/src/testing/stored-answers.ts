import { hash } from 'node:crypto';
import { Refusal } from './refusal.ts';
import type { TestClock } from './test-clock.ts';

const retention = 24 * 60 * 60 * 1000;
const keyPattern = /^[A-Za-z0-9_-]{8,128}$/;

interface Stored {
  readonly fingerprint: string;
  readonly at: number;
  readonly status: number;
  readonly body: string;
}

/** The answers that retries get: those of requests with an Idempotency-Key, for 24 hours. */
export class StoredAnswers {
  readonly #clock: TestClock;
  readonly #stored = new Map<string, Stored>();

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  /**
   * The answer of an earlier request with the key.
   * @throws {Refusal} `idempotency_key_reused` when that was another request.
   */
  find(key: string, fingerprint: string): Pick<Stored, 'status' | 'body'> | undefined {
    const stored = this.#stored.get(key);
    if (stored === undefined || this.#clock.milliseconds() - stored.at >= retention) return undefined;
    if (stored.fingerprint === fingerprint) return stored;
    const message = 'This Idempotency-Key was used with another request; use a new one.';
    throw new Refusal(422, 'idempotency_key_reused', message);
  }

  keep(key: string, fingerprint: string, { status, body }: Pick<Stored, 'status' | 'body'>): void {
    this.#stored.set(key, { fingerprint, at: this.#clock.milliseconds(), status, body });
  }

  clear(): void {
    this.#stored.clear();
  }
}

/** What makes two requests the same. */
export function fingerprintRequest(method: string, target: string | undefined, body: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${method} ${target}\n`), body]));
}

/** Checks the header. @throws {Refusal} `idempotency_key_required`, `idempotency_key_invalid`. */
export function readIdempotencyKey(key: string | undefined, use: 'none' | 'accepted' | 'required'): string | null {
  if (use === 'none' || (key === undefined && use === 'accepted')) return null;
  if (key === undefined) {
    const message = 'Send an Idempotency-Key header, a new value for each new record.';
    throw new Refusal(400, 'idempotency_key_required', message);
  }
  if (keyPattern.test(key)) return key;
  const message = 'The Idempotency-Key must be 8 to 128 of the characters A-Z a-z 0-9 _ -.';
  throw new Refusal(400, 'idempotency_key_invalid', message);
}
