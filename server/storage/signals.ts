import { EventEmitter } from 'node:events';
import type { Queries } from './database.ts';

/** Signals within the process, sent when a change is durable. They only make a worker check sooner. */
export type Signals = EventEmitter<{
  /** These endpoints have due deliveries. */
  deliveries: [endpointIds: readonly string[]];
  /** An entry with a time before that of the newest one is about to be appended: the clock was set back. */
  clockFell: [fall: { readonly ledger: string; readonly now: string; readonly newest: string }];
}>;

// The adapter is one object per database, inside and outside transactions.
const signalsByAdapter = new WeakMap<object, Signals>();

export function createSignals(): Signals {
  return new EventEmitter();
}

/** Registers the signals of a database. */
export function shareSignals(queries: Queries, signals: Signals): void {
  signalsByAdapter.set(queries.getExecutor().adapter, signals);
}

/** The signals of a query's database, for code without a unit of work. */
export function signalsOf(queries: Queries): Signals | undefined {
  return signalsByAdapter.get(queries.getExecutor().adapter);
}
