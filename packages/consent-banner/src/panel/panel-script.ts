import { isOptOut } from '../decision/grants.ts';
import { adoptFurtherStyles, completeBanner } from '../first-layer/complete-banner.ts';
import { keepFocusClear, returnFocus, shieldEvents } from '../first-layer/focus.ts';
import { isAway, watchReach } from '../first-layer/reach.ts';
import { query, reportProblem } from '../page/browser.ts';
import { keepPage } from '../page/keep-page.ts';
import type { Page } from '../page/page.ts';
import { fail, open } from '../page/page-state.ts';
import type { details } from './details.ts';
import { mountPanel } from './panel.ts';

/** What a page with the banner needs after its first paint. */
export function mountFurther(page: Page, parts: Parts): void {
  keepPage(page);
  adoptFurtherStyles(page);
  keepFocusClear(page);
  returnFocus(page);
  shieldEvents();
  completeBanner(page);
  mountPanel(page, parts.details);
  openPanel(page);
  mountParts(page, parts);
}

/** Opens the panel when the visitor asks for it: at once if the notice is there. */
function openPanel(page: Page): void {
  let wish: readonly string[] | undefined;
  page.subscribe(() => {
    const { isOpening, isFailed, switchedOn, notice, isRecalled } = page.view;
    const next = isOpening && !isFailed ? switchedOn : undefined;
    if (wish === next) return;
    wish = next;
    if (!wish) return;
    if (notice && !isRecalled) page.dispatch(open);
    else void load(page);
  });
}

async function load(page: Page): Promise<void> {
  const { address } = page.view;
  await page.loadNotice();
  const { view } = page;
  if (address === view.address && view.isOpening) page.dispatch(view.notice ? open : fail);
}

type Mount = (page: Page) => void;

/** What only some pages need, and how it is loaded. */
export interface Parts {
  /** For visitors who unfold something in the panel. */
  readonly details: () => Promise<typeof details>;
  /** For pages with further elements, attributes about cookies, a hidden or inert banner, and where visitors can object. */
  readonly extras: () => Promise<Mount>;
  /** For pages with blocked frames, images or videos. */
  readonly placeholders: () => Promise<Mount>;
}

/** Loads and mounts the parts that a page needs. After a failure, a later change of the page retries, with backoff. */
function mountParts(page: Page, { extras, placeholders }: Parts): void {
  const coverOnce = mountOnce(page, placeholders);
  const extendOnce = mountOnce(page, extras);
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
