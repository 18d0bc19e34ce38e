import { restorePage } from './network.ts';
import { leavePage } from './visitor.ts';

/** The presses that decide about the tags of `addBlocked()`. */
export const accept = '.banner [data-choice=accept]';
export const reject = '.banner [data-choice=reject]';

/** Blocked scripts add their names here when they run. */
export const page = window as unknown as { ran: string[] };

/** Starts each test of a suite on a page without blocked tags and ends it with one. */
export function clearTags(): void {
  beforeEach(async () => {
    await leavePage();
    page.ran = [];
  });

  afterEach(() => {
    restorePage();
    for (const holder of document.querySelectorAll('.held')) holder.remove();
  });
}

/** Inserts a tag as a parser would: a script in it does not run by itself. */
export function addBlocked(markup: string): HTMLElement {
  const holder = document.createElement('div');
  holder.className = 'held';
  holder.append(document.createRange().createContextualFragment(markup));
  document.body.append(holder);
  return holder;
}

/** The address of a script that the page fetches. */
export const serve = (code: string): string => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));

export const listBoxes = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('svc-consent-placeholder:not([hidden])'),
];
