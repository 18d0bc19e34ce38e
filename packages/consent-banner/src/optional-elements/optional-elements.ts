import { isAway, isReachable, listLayers, watchReach } from '../first-layer/focus.ts';
import { keepCookies } from '../page/cookies.ts';
import type { Page } from '../page/page.ts';
import { touch } from '../page/page-state.ts';
import { defineCookieList } from './cookie-list.ts';
import { showOptOutButton } from './opt-out-button.ts';
import { definePrivacyChoices } from './privacy-choices-element.ts';

/** The optional elements, the button for visitors who can object, and the attributes about cookies. */
export function mountElements(page: Page): void {
  keepReachable(page);
  keepCookies(page);
  defineCookieList(page);
  definePrivacyChoices(page);
  showOptOutButton(page);
}

// Pages that are around the banner, and the modules that keep it working there:
//
// - Modal dialogs, `inert`, `aria-hidden`, parts that are not rendered: this module.
// - Key handlers and focus traps on the document: `focus.ts`.
// - Routers that replace the body or keep copies of it: `focus.ts`, and `Page` for another first element.
// - Lazy loaders, morphing and routers around blocked tags: `blocked-tags.ts`. Hydration: `placeholder.ts`.
//
// The inspector reports those that the owner of the page can change: `check-page.ts` and `watch-page.ts`.

/** Milliseconds between two looks while a modal dialog is in the way: no event says that one in a shadow tree has closed. */
const PAUSE = 300;

/**
 * Brings the layers to visitors wherever the element is: in a part of the page that is hidden (Tag Manager's container, a closed
 * `<details>`, a footer that narrow windows lack), or beside a modal of the page inert or hidden from screen readers. Then they
 * are in a copy of the element at the end of the document. Behind a modal `<dialog>` they wait until it closes.
 */
function keepReachable(page: Page): void {
  /** The element that was copied. */
  let owner: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function leaveElement(): void {
    owner = page.view.element;
    if (!owner) return;
    const copy = owner.cloneNode(true) as HTMLElement;
    page.host = copy;
    // Not in the body, whose children become inert beside a modal.
    document.documentElement.append(copy);
    // It is no element of the page.
    page.elements.delete(copy);
  }

  function look(): void {
    const { host, view } = page;
    clearTimeout(timer);
    // The copy goes with the element. The page may remove it.
    if (host && (view.element !== owner || !host.isConnected)) {
      page.host = undefined;
      host.remove();
      page.refresh();
      return;
    }
    for (const name of ['inert', 'aria-hidden']) if (host?.hasAttribute(name)) host.removeAttribute(name);
    if (!isAway(view)) return;
    // The page may hide the element itself.
    if (!host && !view.element?.hidden) leaveElement();
    // An invisible dialog must not block the page.
    else if (view.layer === 'panel') page.close();
    else if (host) {
      for (const layer of listLayers(view)) if (!isReachable(layer)) layer.hidePopover();
      timer = setTimeout(() => page.dispatch(touch), PAUSE);
    }
  }

  watchReach(page, look);
}
