import { HELD, readNeeds } from '../../held-content/held-content.ts';
import { AGE, DOMAIN, readMapping } from '../../page/attributes.ts';
import type { PageView } from '../../page/consent-page.ts';
import { queryAll } from '../../page/document.ts';
import { checkSurroundings } from './check-surroundings.ts';

const PAIRS = /^\s*[^\s:;]+\s*:[^:;]+(;\s*[^\s:;]+\s*:[^:;]+)*(;\s*)?$/;
const MAPPING = 'pairs such as "statistics: one two; marketing: three"';

/** The patterns of attribute values; the other attributes accept any text. */
const rules: Readonly<Record<string, readonly [RegExp, string]>> = {
  scheme: [/^(page|light|dark)$/, 'page, light or dark'],
  layout: [/^(card|bar|center)$/, 'card, bar or center'],
  position: [/^(bottom-end|bottom-start|bottom|top)$/, 'bottom-end, bottom-start, bottom or top'],
  region: [/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/, 'a code of ISO 3166 such as DE or US-CA'],
  trigger: [/^(none|bottom-left|bottom-right)$/, 'none, bottom-left or bottom-right'],
  'max-age': [AGE, 'a number of days above 0'],
  'refusal-max-age': [AGE, 'a number of days, at least 183'],
  'cookie-domain': [DOMAIN, 'a domain such as example.com'],
  'clear-cookies': [PAIRS, MAPPING],
  'reload-on-withdrawal': [/^(true|false)$/, 'true or false'],
  'consent-mode': [PAIRS, MAPPING],
};

/** Tags that load although they name a purpose; and tags that cannot be blocked. */
const LOOSE =
  '[data-svc-purpose]:is(:is(iframe,img,embed,video,audio,source)[src]:not([data-svc-src],[data-src],[src^="about:"]),[srcset]:not([data-svc-srcset],[data-srcset]),[poster]:not([data-svc-poster],[data-poster]),link[href]:not([data-svc-href],[data-href]),:has(>source[src]),script:is(:not([type]),[type*=javascript],[type=module]),object)';

/** Lists what is wrong with the set-up of the banner on this page, and the solution of each problem. */
export function checkPage(view: PageView | undefined): readonly string[] {
  if (!view?.element) return ['There is no <svc-consent notice-id="..."> on this page. Add the element.'];
  return [
    ...(view.noticeId ? [] : ['notice-id is missing. Set it to the id of a published notice.']),
    ...checkAttributes(view.element, view.region),
    ...checkTags(),
    ...checkPurposes(view),
    ...checkSurroundings({ ...view, element: view.element }),
  ];
}

function checkAttributes(element: Element, region: string | null): readonly string[] {
  return Object.entries(rules).flatMap(([name, [rule, wanted]]) => {
    const value = element.getAttribute(name);
    if (!value) return [];
    const isShort = name === 'refusal-max-age' && Number(value) < 183;
    const isUnknown = name === 'region' && region === null;
    return rule.test(value) && !isShort && !isUnknown
      ? []
      : `${name}="${value}" is not understood. It must be ${wanted}.`;
  });
}

function checkTags(): readonly string[] {
  return queryAll(LOOSE).map(
    (tag) =>
      `${name(tag)} is not held back. Write its address as data-svc-src, data-svc-srcset, data-svc-poster or data-svc-href, and type="text/plain" on a script; in place of <object> write <iframe>.`,
  );
}

function checkPurposes({ notice, element }: PageView): readonly string[] {
  if (!notice) return [];
  const isUnknown = (key: string): boolean => !notice.purposes.some((purpose) => purpose.key === key);
  const tags = queryAll(HELD).filter((tag) => readNeeds(tag).some(isUnknown));
  const mapped = ['clear-cookies', 'consent-mode'].flatMap((attribute) => {
    const keys = readMapping(element?.getAttribute(attribute)).map(([key]) => key);
    return [...new Set(keys)]
      .filter(isUnknown)
      .map((key) => `${attribute} names the purpose "${key}", which the notice does not have.`);
  });
  return [
    ...tags.map((tag) => `${name(tag)} needs a purpose that the notice does not have. It never loads.`),
    ...mapped,
  ];
}

function name(tag: Element): string {
  return `<${tag.localName} data-svc-purpose="${tag.getAttribute('data-svc-purpose')}">`;
}
