import { ConsentView } from './consent-view.ts';
import type { LoadPanel } from './panel-loader.ts';
import type { ConsentInterface, PageActions } from './stub/consent-state.ts';

export interface InterfaceLoaders {
  /** The way to the words of other languages than English. */
  readonly loadLanguage: (language: string) => Promise<unknown>;
  /** The way to stage three. */
  readonly loadPanel: LoadPanel;
}

/** Makes the interface of a page. */
export function mountInterface(actions: PageActions, loaders: InterfaceLoaders): ConsentInterface {
  return new ConsentView(actions, loaders);
}
