import { keepReachable } from './first-layer/keep-reachable.ts';
import { keepCookies } from './page/cookies.ts';
import type { Page } from './page/page.ts';
import { defineCookieList } from './panel/cookie-list.ts';
import { showOptOutButton } from './privacy-choices/opt-out-button.ts';
import { definePrivacyChoices } from './privacy-choices/privacy-choices-element.ts';

/** The further elements, the button for visitors who can object, and the attributes about cookies. */
export function mountExtras(page: Page): void {
  keepReachable(page);
  keepCookies(page);
  defineCookieList(page);
  definePrivacyChoices(page);
  showOptOutButton(page);
}
