import { expect, fixture, html, nextFrame } from '@open-wc/testing';
import { mountSvcTrustBadge } from '../src/index.ts';
import { awaitAnswer, awaitBadge, awaitSilence, find, hasData, query, readPart, settle, showBadge } from './badge.ts';
import {
  createTenant,
  createTrust,
  listenToConsole,
  replaceNetwork,
  restorePage,
  type TrustData,
} from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

const hostile = '<img src=x onerror="window.hacked=1">\u202e';

type Answer = (trust: TrustData) => Response | Promise<Response>;

const badAnswers: Readonly<Record<string, Answer>> = {
  'a 500': () => Response.json({}, { status: 500 }),
  'no network': () => Promise.reject(new TypeError('Failed to fetch')),
  'no JSON': () => new Response('<html>'),
  nothing: () => new Response(''),
  null: () => Response.json(null),
  'no data': () => Response.json({}),
  'another tenant': (trust) => Response.json({ data: { ...trust, slug: 'other' } }),
  'no name': (trust) => Response.json({ data: { ...trust, name: undefined } }),
  'an empty name': (trust) => Response.json({ data: { ...trust, name: ' ' } }),
  'a name that is an object': (trust) => Response.json({ data: { ...trust, name: { toString: 1 } } }),
  'frameworks that are text': (trust) => Response.json({ data: { ...trust, achievedFrameworks: 'GDPR' } }),
  'a framework that is a number': (trust) => Response.json({ data: { ...trust, achievedFrameworks: ['GDPR', 1] } }),
  'an empty framework': (trust) => Response.json({ data: { ...trust, achievedFrameworks: [''] } }),
  'a time that is none': (trust) => Response.json({ data: { ...trust, updatedAt: 'yesterday' } }),
  'a time that is a number': (trust) => Response.json({ data: { ...trust, updatedAt: '1' } }),
  'a day without a time': (trust) => Response.json({ data: { ...trust, updatedAt: '2024-03-05' } }),
  'a time in no zone': (trust) => Response.json({ data: { ...trust, updatedAt: '2024-03-05T12:00:00' } }),
  'a time of no day': (trust) => Response.json({ data: { ...trust, updatedAt: '2024-13-05T12:00:00Z' } }),
  'a list as a time': (trust) => Response.json({ data: { ...trust, updatedAt: ['2024-03-05T12:00:00Z'] } }),
  'a name without end': (trust) => Response.json({ data: { ...trust, name: 'x'.repeat(201) } }),
  'a framework without end': (trust) =>
    Response.json({ data: { ...trust, achievedFrameworks: ['GDPR', 'x'.repeat(101)] } }),
  'frameworks without end': (trust) =>
    Response.json({ data: { ...trust, achievedFrameworks: Array.from({ length: 51 }, (_, index) => `${index}`) } }),
  'no time': (trust) => Response.json({ data: { ...trust, updatedAt: null } }),
};

describe('without data', () => {
  afterEach(restorePage);

  for (const variant of ['mini', 'compact', 'status', 'card', 'full', 'floating'] as const) {
    it(`${variant} is a plain link to the trust center without any claims`, async () => {
      const { badge } = await awaitSilence({ variant });
      const link = find<HTMLAnchorElement>(badge, 'a');
      expect(link.href).to.equal(`${location.origin}/trust/${badge.tenant}`);
      expect(badge.shadowRoot?.textContent).to.contain('Trust center').and.not.to.contain('Acme');
      expect(query(badge, '.sure, [part=chip], [part=live], button, [popover]')).to.equal(null);
      await expect(badge).to.be.accessible();
    });
  }

  for (const [name, answer] of Object.entries(badAnswers)) {
    it(`(${name}) it stays that link, and the reason is logged once`, async () => {
      const logged = listenToConsole();
      const tenant = createTenant();
      const trust = createTrust(tenant);
      const network = replaceNetwork(trust);
      network.answer = async () => {
        await nextFrame(); // No network responds before all badges have sent their requests.
        return answer(trust);
      };
      const badges = (['card', 'floating', 'mini'] as const).map((variant) => mountSvcTrustBadge({ tenant, variant }));
      await waitUntil(() => logged.length, 'a problem is logged');
      await settle();
      expect(logged).to.have.length(1);
      expect(logged[0]).to.match(/^<svc-trust-badge>: no trust data from .*\/widget \(.*\)\. Is it published/);
      expect(network.requests).to.have.length(1);
      for (const one of badges) {
        expect(query(one, '.sure, [part=chip], [part=live]')).to.equal(null);
        expect(query(one, 'a')).to.be.ok;
      }
    });
  }

  for (const variant of ['mini', 'compact', 'status', 'card', 'full', 'floating'] as const) {
    it(`of a trust center that is not published, ${variant} is nothing but what is inside it`, async () => {
      const logged = listenToConsole();
      const { badge, network, answer } = await awaitAnswer({ variant }, () =>
        Response.json({ error: {} }, { status: 404 }),
      );
      await waitUntil(() => network.requests.length, 'the data is requested');
      answer();
      await waitUntil(() => logged.length, 'a problem is logged');
      await waitUntil(() => !query(badge, '.root'), 'the badge is away');
      expect(query(badge, 'a, button, svg')).to.equal(null);
      expect(badge.getBoundingClientRect().height).to.equal(0);
      badge.innerHTML = '<a href="/trust">Our trust center</a>';
      expect(badge.firstElementChild?.checkVisibility()).to.equal(true);
      expect(logged[0]).to.match(/ \(404\)\. Is it published/);
      network.answer = () => Response.json({ data: createTrust(badge.tenant ?? '') });
      document.body.append(badge);
      await waitUntil(() => hasData(badge), 'it is published meanwhile');
      expect(badge.firstElementChild?.checkVisibility()).to.equal(false);
    });
  }

  it('a badge that is added later retries, as does the same one when it is inserted again', async () => {
    const logged = listenToConsole();
    const { badge, network } = await awaitBadge({}, {}, (network) => {
      network.answer = () => new Response('', { status: 503 });
    });
    await waitUntil(() => logged.length, 'a problem is logged');
    badge.variant = 'card';
    await settle();
    expect(network.requests, 'a change of looks is no reason').to.have.length(1);
    const tenant = badge.tenant ?? '';
    network.answer = () => Response.json({ data: createTrust(tenant) });
    const later = mountSvcTrustBadge({ tenant });
    document.body.append(badge);
    await waitUntil(() => hasData(later) && hasData(badge), 'the data is there');
    expect(network.requests).to.have.length(2);
    expect(logged).to.have.length(1);
  });

  for (const [name, inside] of Object.entries({
    'white space': '\n  ',
    'a comment': '<!-- later -->',
    text: 'Trust',
  })) {
    it(`${name} inside is not a link of the site`, async () => {
      const { badge } = await awaitSilence();
      badge.innerHTML = inside;
      await settle();
      expect(find(badge, '.face').checkVisibility()).to.equal(true);
      expect(find(badge, 'slot').checkVisibility()).to.equal(false);
    });
  }

  it("the site's own link replaces the badge's while it is present", async () => {
    const { badge } = await awaitSilence();
    const own = document.createElement('a');
    badge.append('\n', own);
    await waitUntil(() => !find(badge, '.face').checkVisibility(), 'ours is away');
    expect(find<HTMLSlotElement>(badge, 'slot').assignedElements()).to.deep.equal([own]);
    own.remove();
    await waitUntil(() => find(badge, '.face').checkVisibility(), 'ours is back');
  });

  it("the site's own link does not float: the badge's button is in its corner", async () => {
    const { badge } = await awaitSilence({ variant: 'floating' });
    badge.innerHTML = '<a href="/trust">Our trust center</a>';
    await settle();
    expect(badge.firstElementChild?.checkVisibility()).to.equal(false);
    expect(find(badge, '[part=float-button]').checkVisibility()).to.equal(true);
  });

  it('without an origin of the page, shows only the slot and logs once', async () => {
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    const source = new URL('../dist/svc-trust-badge.js', import.meta.url);
    const logged = new Promise<{ readonly errors: readonly string[]; readonly html: string }>((resolve) => {
      addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
    // The script is inline in the page, as a bundler for a single file would embed it.
    const script = (await (await fetch(source)).text()).replaceAll('</', '<\\/');
    frame.srcdoc = `<svc-trust-badge tenant="acme"></svc-trust-badge><svc-trust-badge tenant="acme"></svc-trust-badge>
      <script>const errors = []; console.error = (text) => errors.push(text); onerror = (text) => errors.push(text);
      onunhandledrejection = ({ reason }) => errors.push(String(reason));</script><script>${script}</script>
      <script>setTimeout(() => parent.postMessage({ errors, html:
      document.querySelector('svc-trust-badge').shadowRoot.innerHTML.replace(/<!--.*?-->/g, '') }, '*'));</script>`;
    document.body.append(frame);
    expect(await logged).to.deep.equal({
      errors: ['<svc-trust-badge>: api-base="" must be an http(s) address'],
      html: '<slot></slot>',
    });
    frame.remove();
  });

  it("the site's own link is the badge, until there is data", async () => {
    const tenant = createTenant();
    const network = replaceNetwork(createTrust(tenant));
    let answer = (): void => {};
    network.answer = () =>
      new Promise((resolve) => {
        answer = () => resolve(Response.json({ data: createTrust(tenant) }));
      });
    const badge = await fixture(
      html`<svc-trust-badge tenant=${tenant}><a href="/trust">Our trust center</a></svc-trust-badge>`,
    );
    const own = badge.firstElementChild as HTMLElement;
    await waitUntil(() => network.requests.length, 'the data is requested');
    expect(own.checkVisibility()).to.equal(true);
    expect(find(badge, '.face').checkVisibility()).to.equal(false);
    answer();
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(own.checkVisibility()).to.equal(false);
    expect(find(badge, '.face').checkVisibility()).to.equal(true);
  });

  it("the site's own link stays if the data is unavailable", async () => {
    const logged = listenToConsole();
    const tenant = createTenant();
    const network = replaceNetwork(createTrust(tenant));
    network.answer = () => new Response('', { status: 503 });
    const badge = await fixture(
      html`<svc-trust-badge tenant=${tenant}><a href="/trust">Our trust center</a></svc-trust-badge>`,
    );
    await waitUntil(() => logged.length, 'a problem is logged');
    await settle();
    expect(badge.firstElementChild?.checkVisibility()).to.equal(true);
    expect(find(badge, '.face').checkVisibility()).to.equal(false);
  });

  it('a badge that was removed before the response shows the data when it is inserted again', async () => {
    const { badge, network, answer } = await awaitAnswer();
    await waitUntil(() => network.requests.length, 'the data is requested');
    badge.remove();
    answer();
    await settle();
    expect(hasData(badge)).to.equal(false);
    document.body.append(badge);
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(network.requests).to.have.length(1);
  });
});

describe('the request', () => {
  afterEach(restorePage);

  it('is one for all badges of a tenant, without cookies and with a time limit', async () => {
    const { badge, network } = await showBadge();
    const more = (['mini', 'card', 'floating'] as const).map((variant) =>
      mountSvcTrustBadge({ tenant: badge.tenant ?? '', variant }),
    );
    await waitUntil(() => more.every(hasData), 'all have data');
    expect(network.requests).to.have.length(1);
    expect(network.requests[0]?.init.credentials).to.equal('omit');
    expect(network.requests[0]?.init.signal).to.be.instanceOf(AbortSignal);
    expect(network.requests[0]?.init.headers).to.equal(undefined);
  });

  it('waits until the badge comes near the viewport, except for a floating one', async () => {
    const far = document.body.appendChild(document.createElement('div'));
    far.style.marginTop = '5000px';
    const { badge, network } = await awaitBadge({ target: far });
    for (let frames = 0; frames < 5; frames++) await nextFrame();
    expect(network.requests).to.have.length(0);
    badge.scrollIntoView();
    await waitUntil(() => hasData(badge), 'the data is there');
    scrollTo(0, 0);
    const { badge: floating } = await showBadge({ target: far, variant: 'floating' });
    expect(hasData(floating)).to.equal(true);
    far.remove();
  });
});

describe('hostile data', () => {
  afterEach(restorePage);

  for (const variant of ['mini', 'compact', 'status', 'card', 'full', 'floating'] as const) {
    it(`is inserted as text in ${variant}`, async () => {
      const { badge } = await showBadge(
        { variant },
        { name: hostile, achievedFrameworks: [hostile, 'javascript:alert(1)'] },
      );
      expect(badge.shadowRoot?.querySelector('img, script')).to.equal(null);
      if (variant !== 'floating') expect(readPart(badge, 'name')).to.equal(hostile);
      for (const link of badge.shadowRoot?.querySelectorAll('a') ?? []) expect(link.protocol).to.equal('http:');
      expect('hacked' in window).to.equal(false);
    });
  }

  it('of great length stays inside the window and the reserved boxes', async () => {
    const long = 'Datenschutzgrundverordnungsbeauftragtenstelle'.repeat(4);
    const achievedFrameworks = Array.from({ length: 50 }, (_, index) => `${index} ${long.slice(0, 97)}`);
    for (const variant of ['mini', 'compact', 'status', 'card', 'full'] as const) {
      const { badge: usual } = await showBadge({ variant });
      const { badge } = await showBadge({ variant }, { name: long, achievedFrameworks });
      const { left, right, height } = badge.getBoundingClientRect();
      expect(left >= 0 && right <= innerWidth, variant).to.equal(true);
      if (variant !== 'full') expect(height, variant).to.equal(usual.getBoundingClientRect().height);
      expect(find(badge, '.face').scrollWidth).to.be.at.most(find(badge, '.face').clientWidth);
      const text = find(badge, '.text').getBoundingClientRect();
      for (const part of badge.shadowRoot?.querySelectorAll('.name, [part=chip]') ?? [])
        expect(part.getBoundingClientRect().right, `${variant}: it ends in an ellipsis`).to.be.at.most(
          Math.max(text.right, find(badge, '.face').getBoundingClientRect().right - 20),
        );
    }
  });

  it('shows as many chips as fit, and counts the rest', async () => {
    const achievedFrameworks = ['A', 'B', 'C', 'D', 'E'];
    const readChips = (badge: Element): readonly string[] =>
      [...(badge.shadowRoot?.querySelectorAll('[part=chip]') ?? [])].map(({ textContent }) => textContent ?? '');
    const { badge: card } = await showBadge({ variant: 'card' }, { achievedFrameworks });
    expect(readChips(card)).to.deep.equal(['A', 'B', 'C', '+2']);
    const { badge: full } = await showBadge({ variant: 'full' }, { achievedFrameworks });
    expect(readChips(full)).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
    const { badge: none } = await showBadge({ variant: 'full' }, { achievedFrameworks: [] });
    expect(query(none, '[part=chips]')).to.equal(null);
  });
});
