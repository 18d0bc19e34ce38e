import { ConsentView } from './consent-view.ts';
import type { ConsentInterface, PageActions } from './stub/consent-state.ts';

/** Makes the interface of a page, with its way to the words of other languages than English. */
export function mountInterface(
  actions: PageActions,
  loadLanguage: (language: string) => Promise<unknown>,
): ConsentInterface {
  return new ConsentView(actions, loadLanguage);
}
