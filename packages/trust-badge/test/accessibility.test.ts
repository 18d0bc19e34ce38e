import { expect, nextFrame } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { emulateForcedColors, restoreMedia } from '../../consent-banner/test/media.ts';
import { choices } from '../src/attributes.ts';
import { mountSvcTrustBadge, type SvcTrustBadgeElement, type TrustBadgeOptions } from '../src/index.ts';
import { find, hasData } from './badge.ts';
import { createTenant, createTrust, listenToConsole, replaceNetwork, restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

type State = 'with data' | 'while it waits' | 'after a failure' | "with the site's own link" | 'with its drawer open';

interface Look {
  readonly options?: Partial<TrustBadgeOptions>;
  readonly background?: string;
  readonly prepare?: () => Promise<void>;
  readonly ignoredRules?: readonly string[];
}

const states: readonly State[] = [
  'with data',
  'while it waits',
  'after a failure',
  "with the site's own link",
  'with its drawer open',
];

const looks: Readonly<Record<string, Look>> = {
  light: {},
  dark: { options: { theme: 'dark' }, background: 'black' },
  'dark by the page': {
    options: { theme: 'auto' },
    background: 'black',
    prepare: async () => {
      document.documentElement.style.colorScheme = 'dark';
    },
  },
  // The system paints the text; axe would compare the colors that it painted over.
  'forced colors': { prepare: () => emulateForcedColors(true), ignoredRules: ['color-contrast'] },
  'right to left': { options: { locale: 'ar' } },
  '320 px': { prepare: () => setViewport({ width: 320, height: 640 }) },
  'a zoom of 400 %': { options: { size: 'lg' }, prepare: () => setViewport({ width: 320, height: 256 }) },
};

/** Puts every variant on the page in one state. */
async function showVariants(state: State, options: Partial<TrustBadgeOptions>): Promise<Element> {
  const tenant = createTenant();
  const network = replaceNetwork(createTrust(tenant));
  const logged = listenToConsole();
  if (state === 'while it waits' || state === "with the site's own link") network.answer = () => new Promise(() => {});
  if (state === 'after a failure') network.answer = () => new Response('', { status: 500 });
  const page = document.body.appendChild(document.createElement('main'));
  const variants = state === 'with its drawer open' ? (['floating'] as const) : choices.variant;
  const badges = variants.map((variant) => {
    const badge = mountSvcTrustBadge({ tenant, variant, target: page, ...options });
    if (state === "with the site's own link") badge.innerHTML = '<a href="/trust">Our trust center</a>';
    return badge;
  });
  for (const badge of badges) {
    badge.scrollIntoView(); // A badge far below the viewport does not request its data.
    await waitUntil(() => isIn(state, badge, logged), `it is ${state}`);
  }
  if (state === 'with its drawer open') find(badges[0] as Element, '[part~=trigger]').click();
  for (let frames = 0; frames < 3; frames++) await nextFrame();
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
  return page;
}

function isIn(state: State, badge: SvcTrustBadgeElement, logged: readonly string[]): boolean {
  if (state === 'with data' || state === 'with its drawer open') return hasData(badge);
  return badge.shadowRoot?.querySelector('.root') != null && (state !== 'after a failure' || logged.length > 0);
}

describe('axe finds nothing in any variant', () => {
  afterEach(async () => {
    for (const page of document.querySelectorAll('main')) page.remove();
    document.body.style.background = '';
    document.documentElement.style.colorScheme = '';
    restorePage();
    await restoreMedia();
    await setViewport({ width: 800, height: 600 });
  });

  for (const [name, { options = {}, background = 'white', prepare, ignoredRules = [] }] of Object.entries(looks)) {
    for (const state of states) {
      it(`${state}, in ${name}`, async () => {
        document.body.style.background = background;
        await prepare?.();
        const page = await showVariants(state, options);
        await expect(page).to.be.accessible({ ignoredRules: [...ignoredRules] });
      });
    }
  }
});
