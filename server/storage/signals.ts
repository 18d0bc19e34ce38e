import { EventEmitter } from 'node:events';

/** What one part of the process tells the others when a change is durable; each only makes somebody look sooner. */
export type Signals = EventEmitter<{
  /** These endpoints have deliveries that are due. */
  deliveries: [endpointIds: readonly string[]];
}>;

export function createSignals(): Signals {
  return new EventEmitter();
}
