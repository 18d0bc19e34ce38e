import { EventEmitter } from 'node:events';
import type { Queries } from './database.ts';

/** What one part of the process signals to the others when a change is durable; each only makes a worker look sooner. */
export type Signals = EventEmitter<{
  /** These endpoints have deliveries that are due. */
  deliveries: [endpointIds: readonly string[]];
  /** An entry of a ledger is about to be appended whose time is before that of the newest one: the clock was set back. */
  clockFell: [fall: { readonly ledger: string; readonly now: string; readonly newest: string }];
}>;

// The adapter is one object for a database, inside and outside of its transactions.
const signalsByAdapter = new WeakMap<object, Signals>();

export function createSignals(): Signals {
  return new EventEmitter();
}

/** Lets every query on a database find its signals. */
export function shareSignals(queries: Queries, signals: Signals): void {
  signalsByAdapter.set(queries.getExecutor().adapter, signals);
}

/** The signals of the database that a query runs on, for code that has no unit of work. */
export function signalsOf(queries: Queries): Signals | undefined {
  return signalsByAdapter.get(queries.getExecutor().adapter);
}
