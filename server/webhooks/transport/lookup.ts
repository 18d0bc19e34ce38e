import { lookup as lookupAddresses, Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds every address of a host name; after the signal, no caller waits for them. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** Calls after so many milliseconds, unless cancelled by the function that it returns. */
export type Timer = (milliseconds: number, act: () => void) => () => void;

/** The look-up of the operating system: its hosts file, then DNS. */
export const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true, order: 'verbatim' });

/** One try of a query; two tries with the time limit of a delivery in mind. */
const queryMilliseconds = 3_000;
const queryTries = 2;
/** Once one family of addresses is known, the other gets a moment: some name servers never answer what they do not know. */
const otherFamilyMilliseconds = 500;

export interface PublicLookupOptions {
  readonly timer: Timer;
  /** Instead of those of the machine, `address:port`. */
  readonly servers?: readonly string[];
}

/**
 * Looks names up only in DNS, as fits names of the public internet. The look-up of the system waits in one of the few threads
 * that all of the process shares: two names whose servers never answer would stop every other look-up. An address
 * that comes too late is left out, and so is nothing to connect to either.
 */
export function createPublicLookup({ timer, servers }: PublicLookupOptions): Lookup {
  return async (hostname, signal) => {
    // A new one each time reads what the machine's settings are now.
    const resolver = new Resolver({ timeout: queryMilliseconds, tries: queryTries });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let stopWaiting = () => {};
    let isWaiting = false;
    const waitShortly = (addresses: readonly string[]) => {
      if (addresses.length > 0 && !isWaiting) {
        isWaiting = true;
        stopWaiting = timer(otherFamilyMilliseconds, cancel);
      }
      return addresses;
    };
    const [v6, v4] = await Promise.allSettled([
      resolver.resolve6(hostname).then(waitShortly),
      resolver.resolve4(hostname).then(waitShortly),
    ]);
    stopWaiting();
    signal.removeEventListener('abort', cancel);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [
      ...readAddresses(v6).map((address) => ({ address, family: 6 })),
      ...readAddresses(v4).map((address) => ({ address, family: 4 })),
    ];
  };
}

function readAddresses(result: PromiseSettledResult<readonly string[]>): readonly string[] {
  return result.status === 'fulfilled' ? result.value : [];
}
