// The second script, which the script of the tag loads by its hash. In the same way it loads the parts that only some pages need.

import type { Parts } from '../optional-elements/load-elements.ts';
import { handOver } from '../page/document.ts';
import { loadScript } from '../page/load-script.ts';
import type { Page } from '../page/page.ts';
import { mountFurther } from '../panel/panel-script.ts';
import { panelShared } from '../panel-shared.ts';
import { shared } from '../shared.ts';

/** Set by the build. */
declare const SVC_INTEGRITY: Readonly<Record<keyof Parts, string>>;

const passed = [...shared, ...panelShared];

const parts: Parts = {
  details: () => loadScript('details', SVC_INTEGRITY.details, passed),
  extras: () => loadScript('extras', SVC_INTEGRITY.extras, passed),
  placeholders: () => loadScript('placeholders', SVC_INTEGRITY.placeholders, passed),
};

handOver((page: Page) => mountFurther(page, parts));
