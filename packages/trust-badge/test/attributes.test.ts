import { expect, fixture, html } from '@open-wc/testing';
import { choices } from '../src/attributes.ts';
import type { SvcTrustBadgeElement } from '../src/index.ts';
import { awaitBadge, drawAgain, find, hasData, query, readPart, showBadge } from './badge.ts';
import { createTenant, createTrust, listenToConsole, replaceNetwork, restorePage } from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

describe('the attributes', () => {
  afterEach(restorePage);

  it('have defaults: compact, light, large corners, medium size, bottom right', async () => {
    const { badge } = await showBadge();
    expect([...find(badge, '.root').classList]).to.deep.equal([
      'root',
      'compact',
      'light',
      'r-lg',
      's-md',
      'bottom',
      'right',
    ]);
    for (const name of ['variant', 'theme', 'accent', 'showUpdated', 'locale', 'trustUrl'] as const) {
      expect(badge[name], name).to.equal(null);
    }
  });

  it('are also properties, set before or after the element is defined', async () => {
    const { badge } = await showBadge();
    badge.variant = 'card';
    badge.showFrameworks = false;
    expect(badge.outerHTML).to.contain('variant="card" show-frameworks="false"');
    await drawAgain();
    expect(query(badge, '.card')).to.be.ok;
    expect(query(badge, '[part=chips]')).to.equal(null);
    badge.variant = null;
    expect(badge.hasAttribute('variant')).to.equal(false);

    const frame = document.body.appendChild(document.createElement('iframe'));
    const early = frame.contentDocument?.createElement('svc-trust-badge') as SvcTrustBadgeElement;
    Object.assign(early, { tenant: badge.tenant, theme: 'dark' });
    frame.remove();
    document.body.append(document.adoptNode(early));
    customElements.upgrade(early);
    await waitUntil(() => early.getAttribute('theme') === 'dark', 'the property is taken over');
    expect(Object.hasOwn(early, 'theme')).to.equal(false);
  });

  for (const [name, values] of Object.entries(choices)) {
    it(`${name} accepts ${values.join(', ')}; any other value is logged once and means ${values[0]}`, async () => {
      const { badge } = await showBadge({ variant: 'card' });
      const root = find(badge, '.root');
      badge.setAttribute(name, values[0]);
      await drawAgain();
      const usual = root.className;
      const seen = new Set<string>();
      for (const value of values) {
        badge.setAttribute(name, value);
        await drawAgain();
        seen.add(root.className);
      }
      expect(seen.size, 'each looks different').to.equal(values.length);
      const logged = listenToConsole();
      for (const nonsense of ['HUGE', 'constructor', '"><img src=x>', 'HUGE', '']) {
        badge.setAttribute(name, nonsense);
        await drawAgain();
        expect(root.className).to.equal(usual);
      }
      expect(logged).to.have.length(3);
      expect(logged[0]).to.equal(`<svc-trust-badge>: ${name}="HUGE" must be one of ${values}`);
    });
  }

  const flags = { 'show-frameworks': 'chips', 'show-updated': 'live', 'show-powered-by': 'footer span' };
  for (const [name, part] of Object.entries(flags)) {
    it(`${name} is on when absent, empty, or true, off at false, 0, no and off`, async () => {
      const { badge } = await showBadge({ variant: 'full' });
      const [outer, inner = ''] = part.split(' ');
      const isShown = (): boolean => query(badge, `[part=${outer}] ${inner}`) != null;
      const logged = listenToConsole();
      expect(isShown()).to.equal(true);
      for (const [value, isOn] of Object.entries({
        false: false,
        '': true,
        no: false,
        true: true,
        0: false,
        OFF: false,
      })) {
        badge.setAttribute(name, value);
        await drawAgain();
        expect(isShown(), value).to.equal(isOn);
      }
      expect(logged).to.be.empty;
      badge.setAttribute(name, 'maybe');
      await drawAgain();
      expect(isShown()).to.equal(true);
      expect(logged).to.deep.equal([`<svc-trust-badge>: ${name}="maybe" must be true or false`]);
    });
  }

  it('api-base may be relative and have a path, and must be http or https', async () => {
    const logged = listenToConsole();
    const { badge, network } = await showBadge({ apiBase: '/privacy//' });
    const at = `${location.origin}/privacy`;
    expect(network.requests[0]?.url).to.equal(`${at}/v1/public/trust/${badge.tenant}/widget`);
    expect(find(badge, 'a').getAttribute('href')).to.equal(`${at}/trust/${badge.tenant}`);
    expect(logged).to.be.empty;
    for (const apiBase of ['javascript:alert(1)//', 'https://', 'data:text/html,x']) {
      const { badge, network } = await showBadge({ apiBase });
      expect(network.requests[0]?.url).to.equal(`${location.origin}/v1/public/trust/${badge.tenant}/widget`);
      expect(logged.at(-1)).to.equal(`<svc-trust-badge>: api-base="${apiBase}" must be an http(s) address`);
    }
  });

  it('ignores query and fragment of api-base', async () => {
    const logged = listenToConsole();
    for (const apiBase of ['/privacy/?q=1', '/privacy#here/', '/privacy//?a=/b#/c']) {
      const { badge, network } = await showBadge({ apiBase });
      const at = `${location.origin}/privacy`;
      expect(network.requests[0]?.url).to.equal(`${at}/v1/public/trust/${badge.tenant}/widget`);
      expect(find(badge, 'a').getAttribute('href')).to.equal(`${at}/trust/${badge.tenant}`);
    }
    expect(logged).to.be.empty;
  });

  it('rejects credentials in api-base and trust-url, but no path', async () => {
    const logged = listenToConsole();
    for (const url of ['https://u:p@evil.example', 'https://u@evil.example/@x', '//u:p@evil.example/x']) {
      const { badge, network } = await showBadge({ apiBase: url, trustUrl: url });
      expect(network.requests[0]?.url).to.equal(`${location.origin}/v1/public/trust/${badge.tenant}/widget`);
      expect(find(badge, 'a').getAttribute('href')).to.equal(`${location.origin}/trust/${badge.tenant}`);
    }
    expect(logged).to.have.length(6);
    const { badge } = await showBadge({ trustUrl: 'https://example.org/@acme?by=a@b.example' });
    expect(find(badge, 'a').getAttribute('href')).to.equal('https://example.org/@acme?by=a@b.example');
    expect(logged).to.have.length(6);
  });

  it('all links lead to trust-url if it is http or https', async () => {
    const logged = listenToConsole();
    const { badge } = await showBadge({ variant: 'card', trustUrl: '../security?a=1&b=2' });
    expect(find(badge, 'a').getAttribute('href')).to.equal(`${location.origin}/security?a=1&b=2`);
    const { badge: evil } = await showBadge({ variant: 'floating' });
    for (const url of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      '//',
    ]) {
      evil.trustUrl = url;
      await drawAgain();
      expect(find(evil, 'a').getAttribute('href')).to.equal(`${location.origin}/trust/${evil.tenant}`);
    }
    expect(logged).to.have.length(5);
  });

  it('fetches the data again after a change of tenant, and ignores the response for the last one', async () => {
    const { badge, network } = await showBadge();
    const other = createTenant();
    network.answer = () => Response.json({ data: createTrust(other, { name: 'Other' }) });
    badge.tenant = other;
    await waitUntil(() => readPart(badge, 'name') === 'Other', 'the other tenant is there');
    expect(network.requests).to.have.length(2);
  });

  it('without a valid tenant, shows only the content of the site and logs once', async () => {
    const logged = listenToConsole();
    const network = replaceNetwork(createTrust('x'));
    for (const tenant of ['', '..', 'a/b', 'Acme GmbH']) {
      const badge = await fixture<SvcTrustBadgeElement>(html`<svc-trust-badge tenant=${tenant}></svc-trust-badge>`);
      await waitUntil(() => badge.shadowRoot?.querySelector('slot'), 'it is drawn');
      expect(badge.getBoundingClientRect().height).to.equal(0);
      expect(badge.shadowRoot?.querySelector('a, button')).to.equal(null);
    }
    await fixture(html`<svc-trust-badge></svc-trust-badge>`);
    const own = await fixture(html`<svc-trust-badge><a href="/trust">Trust</a></svc-trust-badge>`);
    await drawAgain();
    expect(own.firstElementChild?.getBoundingClientRect().height).to.be.above(0);
    expect(network.requests).to.be.empty;
    expect(logged).to.have.length(4);
    expect(logged[0]).to.equal('<svc-trust-badge>: tenant="" must be the slug of a tenant');
  });

  it('work in markup', async () => {
    const tenant = createTenant();
    replaceNetwork(createTrust(tenant));
    const badge = await fixture<SvcTrustBadgeElement>(
      html`<svc-trust-badge tenant=${tenant} variant="card" theme="dark" show-frameworks="false"></svc-trust-badge>`,
    );
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(query(badge, '.card.dark')).to.be.ok;
    expect(query(badge, '[part=chips]')).to.equal(null);
  });

  it('fetch the data again only for another tenant, api-base or language', async () => {
    listenToConsole();
    const { badge, network } = await awaitBadge();
    for (const name of ['variant', 'theme', 'accent', 'trust-url']) badge.setAttribute(name, 'dark');
    badge.locale = 'en-GB';
    await waitUntil(() => hasData(badge), 'the data is there');
    badge.variant = 'floating';
    await drawAgain();
    expect(network.requests).to.have.length(1);
  });
});
