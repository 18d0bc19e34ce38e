/** Waits until a page has had the time for what need not be done at once: what was asked for before has run by then. */
export async function whenIdle(page: Window = window): Promise<void> {
  await new Promise((done) => page.requestIdleCallback(done));
}

/** Waits until a page has finished what it started: a request, its response, and the work that follows are each over when it is idle. */
export async function whenSettled(page: Window = window): Promise<void> {
  for (let stage = 0; stage < 3; stage++) await whenIdle(page);
}
