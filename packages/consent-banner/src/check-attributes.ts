import { reportProblem } from './report-problem.ts';
import { AGE, DOMAIN } from './stub/attribute-values.ts';

const PAIRS = /^\s*[^\s:;]+\s*:[^:;]+(;\s*[^\s:;]+\s*:[^:;]+)*(;\s*)?$/;
const MAPPING = 'pairs such as "statistics: one two; marketing: three"';

/** The patterns of attribute values; the other attributes accept any text. */
const rules: Readonly<Record<string, readonly [RegExp, string]>> = {
  theme: [/^(auto|light|dark)$/, 'auto, light or dark'],
  trigger: [/^(none|bottom-left|bottom-right)$/, 'none, bottom-left or bottom-right'],
  'max-age': [AGE, 'a number of days above 0'],
  'refusal-max-age': [AGE, 'a number of days above 0'],
  'cookie-domain': [DOMAIN, 'a domain such as example.com'],
  'clear-cookies': [PAIRS, MAPPING],
  'reload-on-withdrawal': [/^(true|false)$/, 'true or false'],
  'consent-mode': [PAIRS, MAPPING],
};

/** Logs invalid attribute values, which are ignored. */
export function checkAttributes(element: Element): void {
  for (const [name, [rule, wanted]] of Object.entries(rules)) {
    const value = element.getAttribute(name);
    if (value && !rule.test(value)) reportProblem(`${name}="${value}" is not understood. It must be ${wanted}.`);
  }
}

/** Tags that load although they name a purpose, before anything is granted; and tags that cannot be blocked. */
const LOOSE =
  '[data-svc-purpose]:is(:is(iframe,img,embed,video,audio,source)[src]:not([data-src],[src^="about:"]),[srcset]:not([data-srcset]),[poster]:not([data-poster]),link[href]:not([data-href]),:has(>source[src]),script:is(:not([type]),[type*=javascript],[type=module]),object)';

/** Logs tags that are not blocked. */
export function checkTags(): void {
  for (const tag of Document.prototype.querySelectorAll.call(document, LOOSE)) {
    reportProblem(
      `<${tag.localName} data-svc-purpose="${tag.getAttribute('data-svc-purpose')}"> is not held back. Write its address as data-src, data-srcset, data-poster or data-href, and type="text/plain" on a script; in place of <object> write <iframe>.`,
    );
  }
}
