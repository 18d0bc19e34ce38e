/** Where the user was on a page when they left it. */
export interface Whereabouts {
  readonly top: number;
  /** The address of the link of the page that had the focus; null for none. */
  readonly link: string | null;
}

export function readWhereabouts(): Whereabouts {
  const link = document.querySelector('main a:focus');
  return { top: scrollY, link: link?.getAttribute('href') ?? null };
}

/** Sets a parameter of the address, or removes an empty one. The router keeps the position in the history in its state. */
export function setParameter(name: string, value: string): void {
  const address = new URL(location.href);
  if (value === '') address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  history.replaceState(history.state, '', address);
}

/**
 * Gives a page that the user comes back to its scroll position and focus, as soon as what it loads is there. Ends when
 * that is done, or when the user does something else.
 * @param over aborts when another page is shown.
 */
export function returnTo(page: HTMLElement, { top, link }: Whereabouts, over: AbortSignal): void {
  const isDone = new AbortController();
  const signal = AbortSignal.any([over, isDone.signal]);
  const end = () => isDone.abort();
  const step = () => {
    const found = link === null ? null : page.querySelector<HTMLElement>(`a[href="${CSS.escape(link)}"]`);
    found?.focus({ preventScroll: true });
    scrollTo(0, top);
    // Positions between two device pixels are rounded.
    if (Math.abs(scrollY - top) < 1 && (link === null || found !== null)) end();
  };
  const observer = new MutationObserver(step);
  signal.addEventListener('abort', () => observer.disconnect());
  for (const act of ['keydown', 'pointerdown', 'wheel']) addEventListener(act, end, { signal, passive: true });
  observer.observe(page, { childList: true, subtree: true });
  step();
}
