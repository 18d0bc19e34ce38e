// The entry of the add-on's own script tag: data-requests="statistics: plausible.io @statistics; marketing: @marketing".

import { reportProblem } from '../../page/browser.ts';
import { currentScript } from '../../page/document.ts';
import { holdRequests } from './index.ts';

const script = currentScript();
if (!script || script.async || script.defer) {
  reportProblem(
    'svc-consent-requests.js comes too late to hold all. Remove async, defer and type="module" from its tag.',
  );
}
const { requests, apiBase } = { ...script?.dataset };
holdRequests({ requests, source: script?.src, apiBase });
