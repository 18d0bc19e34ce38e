import { attempt } from '../../stub/attempt.ts';
import type { Method } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

interface OpenConnection {
  /** Weak, because only the page decides how long it keeps one. */
  readonly connection: WeakRef<object>;
  readonly address: string;
  readonly close: Method;
}

/** The connections that went through, to be ended when their consent is taken back. */
export class OpenConnections {
  #kept: readonly OpenConnection[] = [];
  readonly #gate: RequestGate;

  constructor(gate: RequestGate) {
    this.#gate = gate;
  }

  /** @param close the native method, called on the connection. */
  add(connection: object, address: string, close: Method): void {
    if (!this.#gate.isListed(address)) return;
    this.#kept = [
      ...this.#kept.filter((one) => one.connection.deref()),
      { connection: new WeakRef(connection), address, close },
    ];
  }

  closeHeld(): void {
    const held = this.#kept.filter(({ address }) => this.#gate.findHold(address));
    this.#kept = this.#kept.filter((one) => !held.includes(one));
    for (const { connection, close } of held) {
      const open = connection.deref();
      if (open) attempt(() => close.call(open));
    }
  }
}
