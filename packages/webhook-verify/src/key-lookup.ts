import { WebhookVerificationError } from './error.ts';
import type { KeyLookup, LookupRequest } from './options.ts';

/** So many lists of keys are kept ready to verify with; then the one that was not used for longest goes. */
const maxPrepared = 1000;

/** Errors of look-ups that look like ours: they are the caller's. */
export const lookupErrors = new WeakSet<object>();

export interface KeySource<Request, Keys, List, Prepared> {
  readonly keys: Keys | KeyLookup<Request, Keys>;
  /** Checks what was given or found. */
  readonly read: (keys: Keys) => List;
  /** Makes keys ready to verify with, which costs as much as a signature. */
  readonly prepare: (list: List) => Prepared;
}

/** Gives keys that are ready to verify with: the same for every request, or found for each. Null: there are none. */
export function createKeyLookup<Request, Keys, List, Prepared>({
  keys,
  read,
  prepare,
}: KeySource<Request, Keys, List, Prepared>): (of: LookupRequest<Request>) => Promise<Prepared | null> {
  if (typeof keys !== 'function') {
    const prepared = prepare(read(keys));
    return async () => prepared;
  }
  const kept = new Map<string, Prepared>();
  return async (of) => {
    const found = await callLookup(keys as KeyLookup<Request, Keys>, of);
    if (found === null) return null;
    const list = read(found);
    const text = JSON.stringify(list);
    const prepared = kept.get(text) ?? prepare(list);
    // Last in the order of the map, which is the order of forgetting.
    kept.delete(text);
    kept.set(text, prepared);
    if (kept.size > maxPrepared) kept.delete(kept.keys().next().value as string);
    return prepared;
  };
}

async function callLookup<Request, Keys>(
  lookUp: KeyLookup<Request, Keys>,
  { header, request }: LookupRequest<Request>,
): Promise<Keys | null> {
  try {
    return await lookUp({ header, request });
  } catch (error) {
    if (WebhookVerificationError.isInstance(error)) lookupErrors.add(error);
    throw error;
  }
}
