const pageSetTimeout = window.setTimeout; // A test may hold the timers of the page.

/** Waits until something holds, up to eight seconds: a busy machine may take its time. */
export async function waitUntil(
  holds: () => unknown,
  what = 'a condition',
  { timeout = 8000 }: { readonly timeout?: number } = {},
): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => pageSetTimeout(resolve, 20));
  }
}
