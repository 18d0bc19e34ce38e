import { expect, nextFrame } from '@open-wc/testing';
import { type SignalOptions, sendConsentSignals } from '../src/add-ons/signals/index.ts';
import { listenToConsole, restorePage } from './network.ts';
import { leavePage, meetBanner, openPanel, press, type Visit } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

type Page = Record<string, unknown>;

const page = window as unknown as Page;
const usual = new Set(Object.keys(page));
const stops: (() => void)[] = [];

function send(signals: SignalOptions['signals']): void {
  stops.push(sendConsentSignals({ signals }));
}

/** A vendor's function that records its calls. */
function listen(name: string): unknown[][] {
  const calls: unknown[][] = [];
  page[name] = (...args: unknown[]) => void calls.push(args);
  return calls;
}

/** A vendor's object, whose methods record their name and arguments. */
function listenTo(name: string, methods: readonly string[]): unknown[][] {
  const calls: unknown[][] = [];
  page[name] = Object.fromEntries(
    methods.map((method) => [method, (...args: unknown[]) => void calls.push([method, ...args])]),
  );
  return calls;
}

function readQueue(name: string): unknown {
  return JSON.parse(JSON.stringify(page[name]));
}

async function accept(visit: Visit): Promise<void> {
  await press(visit, '.banner [data-choice=accept]');
}

async function changeTo(visit: Visit, granted: readonly string[]): Promise<void> {
  await openPanel(visit);
  for (const key of ['statistics', 'marketing']) {
    const inputs = [...(visit.element.shadowRoot?.querySelectorAll('input') ?? [])];
    const input = inputs[key === 'statistics' ? 1 : 2];
    if (input?.checked !== granted.includes(key)) input?.click();
  }
  await press(visit, '.save');
}

describe('the signals add-on', () => {
  beforeEach(leavePage);

  afterEach(() => {
    restorePage();
    for (const stop of stops.splice(0)) stop();
    document.querySelector('#vendor')?.remove();
    for (const name of Object.keys(page)) if (!usual.has(name)) delete page[name];
  });

  describe('before there is a decision', () => {
    it('blocks every vendor that has a queue in the same task, before its code is loaded', () => {
      send('statistics: matomo microsoft-clarity fullstory; marketing: microsoft-ads tiktok hubspot');
      expect(readQueue('_paq')).to.deep.equal([['requireConsent']]);
      expect(readQueue('uetq')).to.deep.equal(['consent', 'default', { ad_storage: 'denied' }]);
      expect(readQueue('ttq')).to.deep.equal([['holdConsent']]);
      expect((page.clarity as { q: unknown[] }).q).to.deep.equal([
        ['consentv2', { ad_Storage: 'denied', analytics_Storage: 'denied' }],
      ]);
      expect(readQueue('_hsp')).to.deep.equal([
        ['setHubSpotConsent', { analytics: false, advertisement: false, functionality: false }],
      ]);
      expect(page._fs_capture_on_startup).to.equal(false);
    });

    it('puts that before the commands that the vendor’s tag has queued', () => {
      page._paq = [['trackPageView']];
      page.uetq = ['event', 'page_view', {}];
      page.ttq = [['page']];
      send('statistics: matomo matomo-cookies; marketing: microsoft-ads tiktok');
      expect(readQueue('_paq')).to.deep.equal([['requireCookieConsent'], ['requireConsent'], ['trackPageView']]);
      expect((page.uetq as unknown[]).slice(0, 4)).to.deep.equal([
        'consent',
        'default',
        { ad_storage: 'denied' },
        'event',
      ]);
      expect(readQueue('ttq')).to.deep.equal([['holdConsent'], ['page']]);
    });

    for (const [vendor, name, denial] of [
      ['meta', 'fbq', ['consent', 'revoke']],
      ['pinterest', 'pintrk', ['setconsent', false]],
    ] as const) {
      it(`notifies ${vendor} before its code can load, as the first command, if its tag comes after ours`, async () => {
        send(`marketing: ${vendor}`);
        // Same steps as the vendor's own tag: create a queue, insert a script for its code, queue the first commands.
        const tag = document.createElement('script');
        tag.id = 'vendor';
        tag.textContent = `
          window.${name} = function () { window.${name}.queue.push(arguments); };
          window.${name}.queue = [];
          document.head.append(Object.assign(document.createElement('script'), { type: 'text/plain' }));
          window.${name}('init', '1');
          window.${name}('track', 'PageView');`;
        document.body.append(tag);
        await Promise.resolve();
        const { queue } = page[name] as { queue: ArrayLike<unknown>[] };
        expect(Array.from(queue[0] ?? [])).to.deep.equal(denial);
        expect(Array.from(queue[1] ?? [])).to.deep.equal(['init', '1']);
      });
    }

    it('creates no queue for a vendor whose own tag would then do nothing', () => {
      send('marketing: meta pinterest; statistics: posthog mixpanel amplitude piano adobe');
      const made = Object.keys(page).filter((name) => !usual.has(name));
      expect(made).to.deep.equal([]);
    });

    it('leaves Adobe to its own setting, because a refusal would write a cookie', () => {
      const calls = listen('alloy');
      send('statistics: adobe');
      expect(calls).to.deep.equal([]);
    });
  });

  describe('with a decision', () => {
    const cases: Readonly<Record<string, readonly [watch: () => unknown[][], granted: unknown[], denied: unknown[]]>> =
      {
        adobe: [
          () => listen('alloy'),
          ['setConsent', { consent: [{ standard: 'Adobe', version: '1.0', value: { general: 'in' } }] }],
          ['setConsent', { consent: [{ standard: 'Adobe', version: '1.0', value: { general: 'out' } }] }],
        ],
        amplitude: [() => listenTo('amplitude', ['setOptOut']), ['setOptOut', false], ['setOptOut', true]],
        fullstory: [() => listen('FS'), ['start'], ['shutdown']],
        hubspot: [
          () => listenTo('_hsp', ['push']),
          ['push', ['setHubSpotConsent', { analytics: true, advertisement: true, functionality: true }]],
          ['push', ['setHubSpotConsent', { analytics: false, advertisement: false, functionality: false }]],
        ],
        matomo: [() => listenTo('_paq', ['push']), ['push', ['setConsentGiven']], ['push', ['forgetConsentGiven']]],
        'matomo-cookies': [
          () => listenTo('_paq', ['push']),
          ['push', ['setCookieConsentGiven']],
          ['push', ['forgetCookieConsentGiven']],
        ],
        meta: [() => listen('fbq'), ['consent', 'grant'], ['consent', 'revoke']],
        'microsoft-ads': [
          () => listenTo('uetq', ['push']),
          ['push', 'consent', 'update', { ad_storage: 'granted' }],
          ['push', 'consent', 'update', { ad_storage: 'denied' }],
        ],
        'microsoft-clarity': [
          () => listen('clarity'),
          ['consentv2', { ad_Storage: 'granted', analytics_Storage: 'granted' }],
          ['consentv2', { ad_Storage: 'denied', analytics_Storage: 'denied' }],
        ],
        mixpanel: [
          () => listenTo('mixpanel', ['opt_in_tracking', 'opt_out_tracking']),
          ['opt_in_tracking'],
          ['opt_out_tracking'],
        ],
        piano: [
          () => {
            const calls: unknown[][] = [];
            page.pa = { consent: { setMode: (...args: unknown[]) => void calls.push(args) } };
            return calls;
          },
          ['opt-in'],
          ['opt-out'],
        ],
        pinterest: [() => listen('pintrk'), ['setconsent', true], ['setconsent', false]],
        posthog: [
          () => listenTo('posthog', ['opt_in_capturing', 'opt_out_capturing']),
          ['opt_in_capturing', { captureEventName: null }],
          ['opt_out_capturing'],
        ],
        shopify: [
          () => {
            const calls: unknown[][] = [];
            page.Shopify = {
              customerPrivacy: { setTrackingConsent: (consent: unknown) => void calls.push([consent]) },
            };
            return calls;
          },
          [{ analytics: true, marketing: true, preferences: true, sale_of_data: true }],
          [{ analytics: false, marketing: false, preferences: false, sale_of_data: false }],
        ],
        tiktok: [
          () => listenTo('ttq', ['holdConsent', 'grantConsent', 'revokeConsent']),
          ['grantConsent'],
          ['revokeConsent'],
        ],
        zendesk: [() => listen('zE'), ['messenger:set', 'cookies', 'all'], ['messenger:set', 'cookies', 'none']],
      };

    for (const [vendor, [watch, granted, denied]] of Object.entries(cases)) {
      it(`notifies ${vendor} of a grant and of its withdrawal, by its own API`, async () => {
        const visit = await meetBanner();
        const calls = watch();
        send(`statistics: ${vendor}`);
        const before = calls.length;
        await accept(visit);
        expect(calls.slice(before)).to.deep.equal([granted]);
        await changeTo(visit, ['marketing']);
        expect(calls.at(-1)).to.deep.equal(denied);
      });
    }

    it('has a test case for each vendor', () => {
      const errors = listenToConsole();
      send('statistics: no-such-vendor');
      const [, names = ''] = /There are (.*)\.$/.exec(errors.find((one) => one.includes('no-such-vendor')) ?? '') ?? [];
      expect(names.split(', ')).to.deep.equal(Object.keys(cases));
    });

    it('sends an existing decision, and nothing before it', async () => {
      const visit = await meetBanner();
      await accept(visit);
      const calls = listenTo('amplitude', ['setOptOut']);
      send('statistics: amplitude');
      expect(calls).to.deep.equal([['setOptOut', false]]);
    });

    it('sends nothing twice', async () => {
      const visit = await meetBanner();
      await accept(visit);
      const calls = listenTo('amplitude', ['setOptOut']);
      send('statistics: amplitude');
      await changeTo(visit, ['statistics']);
      expect(calls).to.deep.equal([['setOptOut', false]]);
    });

    it('grants for two purposes only if both are granted', async () => {
      const visit = await meetBanner();
      const calls = listen('fbq');
      send('statistics: meta; marketing: meta');
      await changeTo(visit, ['statistics']);
      expect(calls).to.deep.equal([['consent', 'revoke']]);
      await changeTo(visit, ['statistics', 'marketing']);
      expect(calls.at(-1)).to.deep.equal(['consent', 'grant']);
    });

    it('sends each signal of a vendor separately, and denies the one that is not mapped', async () => {
      const visit = await meetBanner();
      const calls = listen('clarity');
      const hubspot = listenTo('_hsp', ['push']);
      send(
        'statistics: microsoft-clarity.analytics_Storage hubspot.analytics; marketing: microsoft-clarity.ad_Storage',
      );
      await changeTo(visit, ['statistics']);
      expect(calls.at(-1)).to.deep.equal(['consentv2', { ad_Storage: 'denied', analytics_Storage: 'granted' }]);
      expect(hubspot.at(-1)).to.deep.equal([
        'push',
        ['setHubSpotConsent', { analytics: true, advertisement: false, functionality: false }],
      ]);
    });

    it('sends a denial when the page asks about another notice', async () => {
      const visit = await meetBanner();
      const calls = listen('fbq');
      const queue = listenTo('_paq', ['push']);
      send('marketing: meta; statistics: matomo');
      await accept(visit);
      visit.element.setAttribute('notice-id', crypto.randomUUID());
      await waitUntil(() => calls.length === 3, 'meta hears of it');
      expect(calls.at(-1)).to.deep.equal(['consent', 'revoke']);
      expect(queue.at(-1)).to.deep.equal(['push', ['forgetConsentGiven']]);
    });

    it('does not let a tag manager grant twice in Mixpanel', async () => {
      const visit = await meetBanner();
      const calls = listenTo('mixpanel', ['opt_in_tracking', 'opt_out_tracking']);
      (page.mixpanel as Page).has_opted_in_tracking = () => true;
      send('statistics: mixpanel');
      await accept(visit);
      expect(calls).to.deep.equal([['opt_out_tracking']]);
    });

    it('lets Shopify load what it needs first', async () => {
      const visit = await meetBanner();
      const calls: unknown[] = [];
      const loads: ((error?: unknown) => void)[] = [];
      const Shopify: Page = { loadFeatures: (_: unknown, done: () => void) => void loads.push(done) };
      page.Shopify = Shopify;
      send('statistics: shopify.analytics');
      await accept(visit);
      Shopify.customerPrivacy = { setTrackingConsent: (consent: unknown) => void calls.push(consent) };
      for (const done of loads) done();
      await waitUntil(() => calls.length, 'Shopify is notified');
      expect(calls.at(-1)).to.deep.equal({
        analytics: true,
        marketing: false,
        preferences: false,
        sale_of_data: false,
      });
    });

    it('does not let Shopify apply a consent late that was withdrawn in the meantime', async () => {
      const visit = await meetBanner();
      const calls: { analytics?: boolean }[] = [];
      const loads: (() => void)[] = [];
      const Shopify: Page = { loadFeatures: (_: unknown, done: () => void) => void loads.push(done) };
      page.Shopify = Shopify;
      send('statistics: shopify.analytics');
      await accept(visit);
      Shopify.customerPrivacy = { setTrackingConsent: (consent: object) => void calls.push(consent) };
      await changeTo(visit, ['marketing']);
      for (const done of loads) done();
      await waitUntil(() => calls.length === 3, 'Shopify has answered all calls');
      expect(calls.map(({ analytics }) => analytics)).to.deep.equal([false, false, false]);
    });

    it('notifies no vendor after it was stopped', async () => {
      const visit = await meetBanner();
      const calls = listen('fbq');
      send('marketing: meta');
      stops.pop()?.();
      await accept(visit);
      expect(calls).to.deep.equal([['consent', 'revoke']]);
    });
  });

  describe('a vendor that loads late', () => {
    it('is notified as soon as its file has run', async () => {
      const visit = await meetBanner();
      send('statistics: amplitude');
      await accept(visit);
      const text = 'window.amplitude = { calls: [], setOptOut(out) { this.calls.push(out); } };';
      const script = Object.assign(document.createElement('script'), { id: 'vendor' });
      script.src = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
      document.head.append(script);
      await waitUntil(
        () => (page.amplitude as { calls?: unknown[] } | undefined)?.calls?.length,
        'Amplitude is notified',
      );
      expect((page.amplitude as { calls: unknown[] }).calls).to.deep.equal([false]);
    });

    it('is notified at the next decision', async () => {
      const visit = await meetBanner();
      send('statistics: amplitude');
      await accept(visit);
      const calls = listenTo('amplitude', ['setOptOut']);
      await changeTo(visit, ['marketing']);
      expect(calls.at(-1)).to.deep.equal(['setOptOut', true]);
    });
  });

  describe('errors', () => {
    it('of one vendor do not stop the others, and are logged once', async () => {
      const errors = listenToConsole();
      const visit = await meetBanner();
      page.fbq = () => {
        throw new Error('broken pixel');
      };
      page.alloy = () => Promise.reject(new Error('not configured'));
      const calls = listen('pintrk');
      send('marketing: meta adobe pinterest');
      await accept(visit);
      expect(calls.at(-1)).to.deep.equal(['setconsent', true]);
      await waitUntil(() => errors.some((one) => one.includes('not configured')), 'the promise is heard of');
      expect(errors.filter((one) => one.includes('broken pixel'))).to.have.length(1);
      expect(errors.find((one) => one.includes('broken pixel'))).to.include('data-signals: meta could not be notified');
    });

    /** Any change of the page is a moment in which a vendor may have loaded. */
    function changePage(): void {
      document.head.append(Object.assign(document.createElement('meta'), { id: 'vendor' }));
    }

    it('while sending a withdrawal are retried until it succeeds', async () => {
      listenToConsole();
      const visit = await meetBanner();
      const calls = listen('fbq');
      send('marketing: meta');
      await accept(visit);
      const { fbq } = page;
      page.fbq = () => {
        throw new Error('busy pixel');
      };
      await changeTo(visit, ['statistics']);
      page.fbq = fbq;
      changePage();
      await waitUntil(() => calls.length === 3, 'the pixel is notified');
      expect(calls.at(-1)).to.deep.equal(['consent', 'revoke']);
    });

    it('that a vendor reports later are retried, too', async () => {
      const errors = listenToConsole();
      const visit = await meetBanner();
      const calls: unknown[] = [];
      const answers = [Promise.resolve(), Promise.reject(new Error('no network')), Promise.resolve()];
      page.alloy = (_: string, options: { consent: { value: unknown }[] }) => {
        calls.push(options.consent[0]?.value);
        return answers.shift();
      };
      send('statistics: adobe');
      await accept(visit);
      await changeTo(visit, ['marketing']);
      await waitUntil(() => errors.some((one) => one.includes('no network')), 'the refusal is heard of');
      changePage();
      await waitUntil(() => calls.length === 3, 'Adobe is notified again');
      expect(calls).to.deep.equal([{ general: 'in' }, { general: 'out' }, { general: 'out' }]);
    });

    it('while another notice replaces this one do not leave the vendor with its grant', async () => {
      listenToConsole();
      const visit = await meetBanner();
      const calls = listenTo('_paq', ['push']);
      send('statistics: matomo');
      await accept(visit);
      const queue = page._paq as Page;
      const { push } = queue;
      let isTried = false;
      queue.push = () => {
        isTried = true;
        throw new Error('full queue');
      };
      visit.element.setAttribute('notice-id', crypto.randomUUID());
      await waitUntil(() => isTried, 'Matomo is called');
      queue.push = push;
      changePage();
      await waitUntil(() => calls.length === 3, 'Matomo is notified');
      expect(calls.at(-1)).to.deep.equal(['push', ['forgetConsentGiven']]);
    });

    it('while blocking a vendor make it receive a refusal instead', () => {
      listenToConsole();
      const calls = listenTo('ttq', ['revokeConsent']);
      (page.ttq as Page).holdConsent = () => {
        throw new Error('no such thing');
      };
      send('marketing: tiktok');
      expect(calls).to.deep.equal([['revokeConsent']]);
    });

    it('that persist are not retried forever', async () => {
      const errors = listenToConsole();
      const visit = await meetBanner();
      let count = 0;
      page.fbq = () => {
        count++;
        throw new Error('broken for good');
      };
      const changeOften = async (): Promise<void> => {
        for (let at = 0; at < 8; at++) {
          changePage();
          await nextFrame();
        }
      };
      send('marketing: meta');
      await changeOften();
      expect(count, 'it is given up').to.equal(5);
      await accept(visit);
      await changeOften();
      expect(count, 'the next decision is sent, and given up').to.equal(10);
      expect(errors.filter((one) => one.includes('broken for good'))).to.have.length(1);
      for (const one of document.querySelectorAll('#vendor')) one.remove();
    });

    for (const [what, Shopify, hint] of [
      [
        'when it loads its code',
        { loadFeatures: (_: unknown, done: (error: unknown) => void) => done(new Error('not on this shop')) },
        'shopify could not be notified (Error: not on this shop)',
      ],
      [
        'when it is notified',
        {
          customerPrivacy: {
            setTrackingConsent: (_: unknown, done: (answer: unknown) => void) => done({ error: 'not allowed' }),
          },
        },
        'shopify could not be notified (not allowed)',
      ],
    ] as const) {
      it(`in Shopify (${what}) are logged`, async () => {
        const errors = listenToConsole();
        page.Shopify = Shopify;
        send('statistics: shopify');
        await waitUntil(() => errors.some((one) => one.includes(hint)), 'an error is logged');
      });
    }

    for (const [what, signals, hint] of [
      ['an unknown vendor', 'statistics: acme-analytics', 'there is no acme-analytics'],
      ['an unknown signal', 'statistics: microsoft-clarity.everything', 'there is no microsoft-clarity.everything'],
      ['no mapping', 'matomo', 'pairs such as "statistics: matomo"'],
      ['no attribute', undefined, 'data-signals="" is not understood'],
    ] as const) {
      it(`such as ${what} are logged, and no vendor is notified`, () => {
        const errors = listenToConsole();
        send(signals);
        expect(errors.join('\n')).to.include(hint);
        expect(Object.keys(page).filter((name) => !usual.has(name))).to.deep.equal([]);
      });
    }

    it('such as an unknown purpose are logged, and the vendor is denied', async () => {
      const errors = listenToConsole();
      const visit = await meetBanner();
      const calls = listen('fbq');
      send('advertising: meta');
      await accept(visit);
      expect(errors.join('\n')).to.include('was not asked about the purpose "advertising"');
      expect(calls).to.deep.equal([['consent', 'revoke']]);
    });

    it('such as a purpose with the name of a property of every object cause a denial', async () => {
      listenToConsole();
      const visit = await meetBanner();
      const calls = listen('fbq');
      send('constructor: meta');
      await accept(visit);
      expect(calls).to.deep.equal([['consent', 'revoke']]);
    });

    it('such as images with the names of vendors and of the banner are harmless', () => {
      const errors = listenToConsole();
      const images = ['fbq', '_paq', 'Shopify', 'posthog', 'clarity'].map((name) => {
        const image = document.body.appendChild(document.createElement('img'));
        image.id = name;
        return image;
      });
      send('statistics: matomo posthog microsoft-clarity; marketing: meta shopify');
      expect(readQueue('_paq')).to.deep.equal([['requireConsent']]);
      expect((page.clarity as { q: unknown[] }).q).to.have.length(1);
      expect(errors).to.deep.equal([]);
      for (const image of images) image.remove();
    });

    it('such as an event that any script can dispatch grant nothing', () => {
      const calls = listen('fbq');
      send('marketing: meta');
      for (const detail of [undefined, null, { purposes: null }, { decided: true, purposes: { marketing: true } }])
        document.dispatchEvent(new CustomEvent('svc-consent', { detail }));
      expect(calls).to.deep.equal([['consent', 'revoke']]);
    });
  });

  it('such as a mapping to a required purpose grant it, as in Consent Mode and for blocked tags', async () => {
    const visit = await meetBanner();
    const calls = listen('zE');
    send('necessary: zendesk');
    expect(calls).to.deep.equal([['messenger:set', 'cookies', 'none']]);
    await press(visit, '.banner [data-choice=reject]');
    expect(calls.at(-1)).to.deep.equal(['messenger:set', 'cookies', 'all']);
  });
});
