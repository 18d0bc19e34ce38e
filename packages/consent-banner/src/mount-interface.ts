import { ConsentView } from './consent-view.ts';
import type { LoadPanel } from './panel-loader.ts';
import type { ConsentInterface, PageActions } from './stub/consent-state.ts';

export interface InterfaceLoaders {
  /** Loads the words of languages other than English. */
  readonly loadLanguage: (language: string) => Promise<unknown>;
  /** Loads stage three. */
  readonly loadPanel: LoadPanel;
}

/** Creates the interface of a page. */
export function mountInterface(actions: PageActions, loaders: InterfaceLoaders): ConsentInterface {
  return new ConsentView(actions, loaders);
}
