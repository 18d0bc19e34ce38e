const pageSetTimeout = window.setTimeout; // A test may replace the timers of the page.

/** Waits for a condition, up to eight seconds, because a busy machine is slow. */
export async function waitUntil(
  holds: () => unknown,
  what = 'a condition',
  { timeout = 8000 }: { readonly timeout?: number } = {},
): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Timed out waiting until ${what}`);
    await new Promise((resolve) => pageSetTimeout(resolve, 20));
  }
}
