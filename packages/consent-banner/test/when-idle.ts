/** Waits until a page has had the time for what need not be done at once: what was asked for before has run by then. */
export async function whenIdle(page: Window = window): Promise<void> {
  await new Promise((done) => page.requestIdleCallback(done));
}
