import type { EndedAttempt } from './attempt.ts';

/** What was sent since it was asked for last. */
export interface SentCount {
  readonly delivered: number;
  readonly failed: number;
  /** Of the attempts that came to a connection: how many opened one, and how many used one of before again. */
  readonly connections: { readonly opened: number; readonly reused: number };
}

/** Counts attempts, for the log. */
export class SendCounter {
  #delivered = 0;
  #failed = 0;
  #opened = 0;
  #reused = 0;

  count({ failure, connection }: Pick<EndedAttempt, 'failure' | 'connection'>): void {
    if (failure === null) this.#delivered += 1;
    else this.#failed += 1;
    if (connection === 'opened') this.#opened += 1;
    if (connection === 'reused') this.#reused += 1;
  }

  /** Takes what was counted, and begins anew; null when there was nothing. */
  take(): SentCount | null {
    const connections = { opened: this.#opened, reused: this.#reused };
    const counted = { delivered: this.#delivered, failed: this.#failed, connections };
    [this.#delivered, this.#failed, this.#opened, this.#reused] = [0, 0, 0, 0];
    return counted.delivered + counted.failed === 0 ? null : counted;
  }
}
