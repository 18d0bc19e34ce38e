import { BLOCKED, readNeeds } from '../../blocked-content/blocked-content.ts';
import { type Attribute, attributes, readMapping } from '../../page/attributes.ts';
import type { PageView } from '../../page/consent-page.ts';
import { queryAll } from '../../page/document.ts';
import { findPage } from '../follow-consent.ts';

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
  return Object.entries<Attribute>(attributes).flatMap(([name, { values, pattern, rule }]) => {
    const value = element.getAttribute(name);
    if (!value) return [];
    const isValid = values?.includes(value) ?? pattern?.test(value) ?? true;
    const isShort = name === 'refusal-max-age' && Number(value) < 183;
    const isUnknown = name === 'region' && region === null;
    if (isValid && !isShort && !isUnknown) return [];
    const wanted = rule ?? `${values?.slice(0, -1).join(', ')} or ${values?.at(-1)}`;
    return `${name}="${value}" is not understood. It must be ${wanted}.`;
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
  const tags = queryAll(BLOCKED).filter((tag) => readNeeds(tag).some(isUnknown));
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

/** The attributes that lazy loaders read as well. */
const PLAIN = ['data-src', 'data-srcset', 'data-poster', 'data-href'];

/** Lists the conditions of a page that keep the banner or blocked content from working, and what to change. */
function checkSurroundings(view: PageView & { readonly element: HTMLElement }): readonly string[] {
  return [
    ...checkAddress(view),
    ...checkHost(view),
    ...checkPlace(view.element),
    ...checkDataLayer(view.element),
    ...checkPlainNames(),
    ...checkShadowTrees(),
    ...checkScripts(),
  ];
}

function checkAddress({ address, noticeId }: PageView): readonly string[] {
  return noticeId && address.startsWith('/')
    ? [
        'The script does not know its own address, because it is inlined, bundled or evaluated. Set api-base to the address of the server, and load svc-consent.js with its tag.',
      ]
    : [];
}

function checkHost({ notice }: PageView): readonly string[] {
  const { hostname } = location;
  return !notice?.domain || hostname === notice.domain || hostname.endsWith(`.${notice.domain}`)
    ? []
    : [
        `The notice belongs to ${notice.domain}, and this page to ${hostname}: the server refuses its records. Use a notice of this domain.`,
      ];
}

/** Where the element is, and what is above it. */
function checkPlace(element: HTMLElement): readonly string[] {
  const trees = [document, ...listShadowRoots(document).filter(({ host }) => !host.localName.startsWith('svc-'))];
  const outside = (selector: string): readonly HTMLElement[] =>
    trees.flatMap((root) => queryAll(selector, root)).filter((one) => !one.contains(element));
  const [modal] = outside(':modal');
  const trap = outside('[aria-modal="true"]').find((one) => one.checkVisibility() && !one.matches(':modal'));
  const hidden = element.closest('[inert],[aria-hidden="true"]');
  const unrendered = listParents(element).find((one) => getComputedStyle(one).display === 'none' || isFolded(one));
  return [
    ...(modal
      ? [`<${modal.localName}> is modal: nothing beside it takes input. Open it after the visitor has decided.`]
      : []),
    ...(trap
      ? [
          `<${trap.localName}> has aria-modal: nothing beside it is read by screen readers, and it may trap the focus. Open it after the visitor has decided.`,
        ]
      : []),
    ...(hidden
      ? [
          `<${hidden.localName}> has ${hidden.hasAttribute('inert') ? 'inert' : 'aria-hidden'}: the banner takes no input there. Exclude <svc-consent> from what your library disables, or move it out of that element.`,
        ]
      : []),
    ...(unrendered
      ? [`<svc-consent> is in <${unrendered.localName}>, which is not rendered. Move it to the start of the body.`]
      : []),
  ];
}

function listParents(element: Element): readonly Element[] {
  const { parentElement } = element;
  return parentElement ? [parentElement, ...listParents(parentElement)] : [];
}

function isFolded(element: Element): boolean {
  return element.localName === 'details' && !element.hasAttribute('open');
}

/** Tag Manager may read another array: `gtm.js?l=name`. Without the attribute, the banner finds the first tag before it. */
function checkDataLayer(element: Element): readonly string[] {
  const given = element.getAttribute('data-layer');
  if (!given && !readMapping(element.getAttribute('consent-mode'))[0]) return [];
  const scripts = queryAll<HTMLScriptElement>('script[src*="gtm.js"],script[src*="gtag/js"]');
  const names = scripts.map(({ src }) => new URL(src, document.baseURI).searchParams.get('l') ?? 'dataLayer');
  return [...new Set(names)]
    .filter((name) => (given ? name !== given : !hasSignals(name)))
    .map((name) => `Google Tag Manager reads window.${name}. Set data-layer="${name}" on <svc-consent>.`);
}

function hasSignals(name: string): boolean {
  const layer: unknown = Reflect.get(window, name);
  return Array.isArray(layer) && layer.some((command) => command?.[0] === 'consent');
}

function checkPlainNames(): readonly string[] {
  const page = window as unknown as Record<string, unknown>;
  const hasLoader = ['lazySizes', 'lazySizesConfig', 'LazyLoad', 'lozad', 'Layzr', 'bLazy', 'Blazy', 'yall'].some(
    (name) => page[name],
  );
  return queryAll(BLOCKED).flatMap((tag) => {
    const plain = PLAIN.filter(
      (name) => tag.hasAttribute(name) && !tag.hasAttribute(name.replace('data-', 'data-svc-')),
    );
    if (!plain.length) return [];
    const own = plain.map((name) => name.replace('data-', 'data-svc-'));
    const reason = hasLoader
      ? 'The lazy loader of this page reads it, and requests the address before consent.'
      : 'Lazy loaders read it, and request the address before consent.';
    return `<${tag.localName} data-svc-purpose="${readNeeds(tag).join(' ')}"> has ${plain.join(', ')}. ${reason} Write ${own.join(', ')}.`;
  });
}

function checkShadowTrees(): readonly string[] {
  const observed = [...(findPage()?.roots ?? [])].map((reference) => reference.deref());
  return listShadowRoots(document).flatMap((root) =>
    observed.includes(root)
      ? []
      : queryAll(BLOCKED, root).map(
          (tag) =>
            `<${tag.localName} data-svc-purpose="${readNeeds(tag).join(' ')}"> is in the shadow tree of <${root.host.localName}>. Call SvcConsent.observe(root) with its shadow root.`,
        ),
  );
}

function listShadowRoots(root: ParentNode): readonly ShadowRoot[] {
  return queryAll('*', root).flatMap(({ shadowRoot }) =>
    shadowRoot ? [shadowRoot, ...listShadowRoots(shadowRoot)] : [],
  );
}

/** Released scripts that were written for a page that is being parsed. */
function checkScripts(): readonly string[] {
  const list = (name: string): readonly string[] => [
    ...new Set(
      performance
        .getEntriesByName(`svc-consent:${name}`)
        .map((mark) => (mark as PerformanceMark).detail || 'An inline script'),
    ),
  ];
  return [
    ...list('write').map(
      (script) =>
        `${script} uses document.write(). Its markup was inserted behind the script. Use the asynchronous version of the script if there is one.`,
    ),
    ...list('listener').map(
      (script) =>
        `${script} waits for the page to load, which was over when it ran. Its listeners were called. Check that it works, or start it in SvcConsent.onDecision().`,
    ),
  ];
}
