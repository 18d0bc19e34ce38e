/** Where requests of these tests would go: the test server itself, under names that are hosts of their own. */
const { port } = location;

/** A host below `.localhost`, which every browser finds on this machine. */
export function nameHost(name: string): string {
  return `${name}.localhost`;
}

/** An address on a host, that nobody has asked for before. */
export function createAddress(host: string, path = '/visitor-page/blank'): string {
  return `http://${host}:${port}${path}?${crypto.randomUUID()}`;
}

/** How often the browser began a request for an address, refused ones included. */
export function countRequests(address: string): number {
  return performance.getEntriesByName(address).length;
}

/** Waits until the browser has told of a request that began behind all that were before. */
export async function settleRequests(): Promise<void> {
  const last = createAddress('behind.localhost');
  const seen = new Promise((resolve) => {
    new PerformanceObserver((list) => list.getEntriesByName(last).length > 0 && resolve(0)).observe({
      entryTypes: ['resource'],
    });
  });
  await fetch(last, { mode: 'no-cors' }).catch(() => {});
  await seen;
}
