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

/**
 * Waits until a page, which has a decision, has released what it allows: in document order and each in its turn, so after the
 * last tag of all nothing is left.
 */
export async function whenReleased(frame: Pick<HTMLIFrameElement, 'contentDocument'> = { contentDocument: document }) {
  const { body } = frame.contentDocument as Document;
  const last = body.ownerDocument.createElement('script');
  Object.assign(last, { type: 'text/plain' });
  Object.assign(last.dataset, { svcPurpose: 'necessary', svcSrc: '/visitor-page/empty.js' });
  let isLoaded = false;
  last.addEventListener('load', () => (isLoaded = true));
  body.append(last);
  await waitUntil(() => isLoaded, 'the last tag is released');
  last.remove();
}
