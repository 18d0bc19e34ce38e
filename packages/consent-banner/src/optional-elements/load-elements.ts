import { isOptOut } from '../decision/grants.ts';
import { isAway, watchReach } from '../first-layer/focus.ts';
import { query, reportProblem } from '../page/browser.ts';
import type { Page } from '../page/page.ts';
import type { details } from '../panel/details.ts';

type Mount = (page: Page) => void;

/** Scripts that only some pages need, and how each is loaded. */
export interface OptionalElements {
  /** For visitors who unfold something in the panel. */
  readonly details: () => Promise<typeof details>;
  /** For pages with optional elements, attributes about cookies, a hidden or inert banner, and where visitors can object. */
  readonly elements: () => Promise<Mount>;
  /** For pages with blocked frames, images or videos. */
  readonly placeholders: () => Promise<Mount>;
}

/** Loads and mounts those that a page needs. After a failure, a later change of the page retries, with backoff. */
export function mountOptionalElements(page: Page, { elements, placeholders }: OptionalElements): void {
  const coverOnce = mountOnce(page, placeholders);
  const extendOnce = mountOnce(page, elements);
  const update = (): void => {
    const { view } = page;
    const { element, frames, notice, region } = view;
    if (frames[0]) coverOnce();
    const hasMore =
      element?.matches('[clear-cookies],[cookie-domain]') ||
      query('svc-privacy-choices,svc-cookie-list') ||
      (notice && isOptOut(notice.purposes, region));
    if (hasMore) extendOnce();
  };
  page.subscribe(update);
  // The notice says whether visitors can object.
  if (page.view.region) findTexts(page);
  new MutationObserver(update).observe(document, { childList: true, subtree: true });
  watchReach(page, () => isAway(page.view) && extendOnce());
}

/** The texts of the notice that the visitor decided on do for a button. */
export function findTexts(page: Page | undefined): void {
  if (page?.view.stored && !page.view.notice && !page.recallStored()) void page.loadNotice();
}

const MOST_WAIT = 300_000;

function mountOnce(page: Page, load: () => Promise<Mount>): () => void {
  let isLoading = false;
  let wait = 1_000;
  return () => {
    if (isLoading) return;
    isLoading = true;
    load().then(
      (mount) => mount(page),
      (cause) => {
        reportProblem(`${cause} cannot be loaded`);
        setTimeout(() => (isLoading = false), wait);
        wait = Math.min(2 * wait, MOST_WAIT);
      },
    );
  };
}
