// The second script, which the script of the tag loads by its hash. In the same way it loads the scripts that only some pages need.

import type { OptionalElements } from '../optional-elements/load-elements.ts';
import { handOver } from '../page/document.ts';
import { loadScript } from '../page/load-script.ts';
import type { Page } from '../page/page.ts';
import { mountPanelScript } from '../panel/panel-script.ts';
import { panelShared } from '../panel-shared.ts';
import { shared } from '../shared.ts';

/** Set by the build. */
declare const SVC_INTEGRITY: Readonly<Record<keyof OptionalElements, string>>;

const passed = [...shared, ...panelShared];

const optional: OptionalElements = {
  details: () => loadScript('details', SVC_INTEGRITY.details, passed),
  elements: () => loadScript('elements', SVC_INTEGRITY.elements, passed),
  placeholders: () => loadScript('placeholders', SVC_INTEGRITY.placeholders, passed),
};

handOver((page: Page) => mountPanelScript(page, optional));
