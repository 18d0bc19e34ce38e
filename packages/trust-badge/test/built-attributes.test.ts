import { expect } from '@open-wc/testing';
import { attributes } from '../src/attributes.ts';
import type { SvcTrustBadgeElement } from '../src/index.ts';
import { hasData } from './badge.ts';
import { createTrust, listenToConsole, replaceNetwork, restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

// The built file and its sources: an attribute has the same effect in both, and does have one.

type Frame = HTMLIFrameElement & { readonly contentDocument: Document };

/** A value of each attribute that changes the rendering. */
const values: Readonly<Record<(typeof attributes)[number], string>> = {
  tenant: 'other',
  'api-base': '/privacy/',
  variant: 'card',
  theme: 'dark',
  accent: 'rebeccapurple',
  radius: 'pill',
  size: 'lg',
  position: 'top-left',
  'show-frameworks': 'false',
  'show-updated': 'false',
  'show-powered-by': 'false',
  locale: 'ar',
  'trust-url': '/security',
};

const usual = { tenant: 'acme', variant: 'full' };

/** The rendering without the white space and the markers of the templates. */
function describeDrawn(badge: Element): readonly string[] {
  const drawn = [...(badge.shadowRoot?.querySelectorAll('*') ?? [])];
  return drawn.map((element) => {
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const text = own.map(({ textContent }) => textContent?.trim()).join('');
    const names = [...element.attributes].map(({ name, value }) => `${name}=${value.trim().replace(/\s+/g, ' ')}`);
    return `${element.localName} ${names.sort().join(' ')} ${text}`;
  });
}

describe('in the built script', () => {
  let frame: Frame;

  before(async () => {
    frame = document.createElement('iframe') as Frame;
    frame.src = '/badge-page';
    frame.width = '600';
    frame.height = '500';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
  });
  after(() => frame.remove());
  afterEach(restorePage);

  async function draw(page: Document, given: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const badge = page.createElement('svc-trust-badge') as SvcTrustBadgeElement;
    for (const [name, value] of Object.entries(given)) badge.setAttribute(name, value);
    page.body.prepend(badge);
    await waitUntil(() => hasData(badge), 'the data is there');
    const drawn = describeDrawn(badge);
    badge.remove();
    return drawn;
  }

  async function drawFromSource(given: Readonly<Record<string, string>>): Promise<readonly string[]> {
    document.documentElement.lang = 'en';
    const trust = createTrust(given.tenant ?? '', {
      name: 'Acme',
      achievedFrameworks: ['GDPR'],
      updatedAt: '2024-03-05T12:00:00.000Z',
    });
    replaceNetwork(trust);
    return draw(document, given);
  }

  for (const name of attributes) {
    it(`${name} has the same effect as in the source`, async () => {
      const logged = listenToConsole();
      const given = { ...usual, [name]: values[name] };
      const drawn = await draw(frame.contentDocument, given);
      expect(drawn).to.deep.equal(await drawFromSource(given));
      expect(drawn).to.not.deep.equal(await draw(frame.contentDocument, usual));
      expect(logged).to.deep.equal([]);
    });
  }
});
