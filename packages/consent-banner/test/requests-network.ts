/** Where requests of these tests would go: the test server itself, under several host names. */
const { port } = location;

/** A host below `.localhost`, which every browser resolves to this machine. */
export function nameHost(name: string): string {
  return `${name}.localhost`;
}

/** A unique address on a host. */
export function createAddress(host: string, path = '/visitor-page/blank'): string {
  return `http://${host}:${port}${path}?${crypto.randomUUID()}`;
}

/** How often the browser started a request for an address, including refused ones. */
export function countRequests(address: string): number {
  return performance.getEntriesByName(address).length;
}

/** Waits until the browser has reported a request that started after all others. */
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
