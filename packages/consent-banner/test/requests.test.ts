import { expect } from '@open-wc/testing';
import { holdRequests, type RequestOptions } from '../src/add-ons/requests/index.ts';
import { createConsent } from '../src/headless.ts';
import { listenToConsole, restorePage } from './network.ts';
import { countRequests, createAddress, nameHost, settleRequests } from './requests-network.ts';
import { waitUntil } from './wait-until.ts';

const PLACE = Symbol.for('svc-consent');
const page = window as unknown as Record<symbol, unknown>;
const listeners = new Set<() => void>();
const banner = {
  view: {},
  subscribe(listener: () => void) {
    listeners.add(listener);
    listener();
    return () => listeners.delete(listener);
  },
};
const held = nameHost('tracker');
const stops: (() => void)[] = [];
const pageFetch = window.fetch;

/** Publishes a state as the banner does, before its listeners are called. */
function set(purposes: Record<string, unknown> | null): void {
  banner.view = { state: purposes && { decided: true, purposes }, allowed: purposes ?? {} };
  page[PLACE] = banner;
}

function decide(purposes: Record<string, unknown> | null): void {
  set(purposes);
  for (const listener of listeners) listener();
}

const grant = (): void => decide({ statistics: true });
const withdraw = (): void => decide({ statistics: false });

function hold(options: Partial<RequestOptions> = {}): void {
  stops.push(holdRequests({ requests: `statistics: ${held}`, ...options }));
}

const isHeld = (address: string): boolean => Object.assign(new Image(), { src: address }).hasAttribute('data-svc-src');
const readNeeds = (address: string): string | undefined =>
  Object.assign(new Image(), { src: address }).dataset.svcPurpose;

/** The ways in which a call sends; each ends when it was answered or refused. */
const calls: Readonly<Record<string, (address: string) => Promise<unknown>>> = {
  fetch: (address) => fetch(address, { mode: 'no-cors' }).catch(() => {}),
  'fetch with a Request': (address) => fetch(new Request(address, { mode: 'no-cors' })).catch(() => {}),
  'fetch with a URL': (address) => fetch(new URL(address), { mode: 'no-cors' }).catch(() => {}),
  XMLHttpRequest: (address) =>
    new Promise((resolve) => {
      const xhr = new XMLHttpRequest();
      xhr.onloadend = resolve;
      xhr.open('GET', address);
      xhr.send();
    }),
  'a synchronous XMLHttpRequest': async (address) => {
    const xhr = new XMLHttpRequest();
    xhr.open('GET', address, false);
    try {
      xhr.send();
    } catch {}
  },
  sendBeacon: async (address) => navigator.sendBeacon(address),
};

/** The ways in which a script gives a tag its address. */
const tags: Readonly<Record<string, (address: string, holder: HTMLElement) => Element>> = {
  'a script, by its property': (address) => Object.assign(document.createElement('script'), { src: address }),
  'a script, by setAttribute': (address) => {
    const script = document.createElement('script');
    script.setAttribute('SRC', address);
    return script;
  },
  'a script whose type is set later': (address) =>
    Object.assign(document.createElement('script'), { src: address, type: 'text/javascript' }),
  'a script whose type is set later, by setAttribute': (address) => {
    const script = Object.assign(document.createElement('script'), { src: address });
    script.setAttribute('type', 'module');
    return script;
  },
  'a script that is already in the page': (address, holder) => {
    const script = holder.appendChild(document.createElement('script'));
    return Object.assign(script, { src: address });
  },
  'a frame, by its property': (address) => Object.assign(document.createElement('iframe'), { src: address }),
  'a frame, by setAttribute': (address) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('src', address);
    return frame;
  },
  'an image, by its property': (address) => Object.assign(new Image(), { src: address }),
  'an image, by setAttribute': (address) => {
    const image = new Image();
    image.setAttribute('src', address);
    return image;
  },
  'an image, by srcset': (address) => Object.assign(new Image(), { srcset: `${address} 1x, ${address} 2x` }),
};

describe('the requests add-on', () => {
  let holder: HTMLElement;

  beforeEach(() => {
    holder = document.body.appendChild(document.createElement('div'));
    decide(null);
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(1000);
  });

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
    restorePage();
    delete page[PLACE];
    listeners.clear();
    holder.remove();
  });

  for (const [name, send] of Object.entries(calls)) {
    it(`blocks ${name} before consent and after its withdrawal, and allows it in between`, async () => {
      const [before, between, after] = [createAddress(held), createAddress(held), createAddress(held)];
      const [free, last] = [createAddress(nameHost('free')), createAddress(nameHost('free'))];
      hold();
      await send(before);
      await send(free);
      grant();
      await send(between);
      withdraw();
      await send(after);
      await send(last);
      await waitUntil(
        () => [free, between, last].every((address) => countRequests(address) > 0),
        'what is allowed leaves',
      );
      await settleRequests();
      expect([before, after].map(countRequests)).to.deep.equal([0, 0]);
    });
  }

  for (const [name, write] of Object.entries(tags)) {
    it(`holds ${name}, in the form in which the banner holds tags back`, async () => {
      const [address, free] = [createAddress(held), createAddress(nameHost('free'))];
      hold();
      const tag = write(address, holder);
      holder.append(tag, write(free, holder));
      await waitUntil(() => countRequests(free) > 0, 'the one that is not listed leaves');
      await settleRequests();
      expect(countRequests(address)).to.equal(0);
      expect(tag.getAttribute('data-svc-purpose')).to.equal('statistics');
      if (tag.localName === 'script') expect(tag.getAttribute('type')).to.equal('text/plain');
      else expect(tag.outerHTML).to.not.match(/ src(set)?=/);
    });
  }

  it('blocks an image that is never inserted', async () => {
    hold();
    const address = createAddress(held);
    Object.assign(new Image(), { src: address });
    await settleRequests();
    expect(countRequests(address)).to.equal(0);
  });

  it('reports a network error for fetch, XMLHttpRequest and sendBeacon', async () => {
    hold();
    const address = createAddress(held);
    expect(String(await fetch(address).catch((error: unknown) => error))).to.equal('TypeError: Failed to fetch');
    expect(navigator.sendBeacon(address)).to.equal(false);
    const [xhr, sync, events] = [new XMLHttpRequest(), new XMLHttpRequest(), [] as string[]];
    for (const type of ['loadstart', 'readystatechange', 'error', 'load', 'loadend'])
      xhr.addEventListener(type, () => events.push(`${type} ${xhr.readyState} ${xhr.status}`));
    xhr.open('GET', address);
    const ended = new Promise((resolve) => xhr.addEventListener('loadend', resolve));
    xhr.send();
    await ended;
    expect(events).to.deep.equal([
      'readystatechange 1 0',
      'loadstart 1 0',
      'readystatechange 4 0',
      'error 4 0',
      'loadend 4 0',
    ]);
    xhr.open('GET', '/');
    expect(xhr.readyState, 'it can be opened again').to.equal(1);
    sync.open('GET', address, false);
    expect(() => sync.send())
      .to.throw(DOMException)
      .with.property('name', 'NetworkError');
  });

  it('reports nothing more for an XMLHttpRequest that was aborted', async () => {
    hold();
    const events: string[] = [];
    const xhr = new XMLHttpRequest();
    xhr.open('GET', createAddress(held));
    xhr.onerror = () => events.push('error');
    xhr.send();
    xhr.abort();
    await settleRequests();
    expect(events).to.deep.equal([]);
  });

  it('checks an XMLHttpRequest when it is sent, not when it is opened', async () => {
    hold();
    grant();
    const [address, xhr] = [createAddress(held), new XMLHttpRequest()];
    xhr.open('GET', address);
    withdraw();
    xhr.send();
    await settleRequests();
    expect(countRequests(address)).to.equal(0);
  });

  it('follows the banner’s state at that moment, and grants nothing if it cannot be read', async () => {
    hold();
    set({ statistics: true });
    expect(isHeld(createAddress(held))).to.equal(false);
    set({ statistics: 'true' });
    expect(isHeld(createAddress(held))).to.equal(true);
    const broken = Object.defineProperty({}, 'view', {
      get: () => {
        throw new Error('broken');
      },
      enumerable: false,
    });
    page[PLACE] = broken;
    expect(isHeld(createAddress(held))).to.equal(true);
    delete page[PLACE];
    expect(isHeld(createAddress(held)), 'without a banner').to.equal(true);
  });

  it('returns to the page what it has set', () => {
    hold();
    const address = createAddress(held);
    const [image, frame, script] = [new Image(), document.createElement('iframe'), document.createElement('script')];
    for (const tag of [image, frame, script]) tag.src = address;
    image.srcset = `${address} 2x`;
    script.type = 'module';
    expect([image.src, frame.src, script.src, image.srcset, script.type]).to.deep.equal([
      address,
      address,
      address,
      `${address} 2x`,
      'module',
    ]);
    expect([script.dataset.svcType, script.hasAttribute('async')], 'for the banner').to.deep.equal(['module', true]);
  });

  it('forgets an address that the page replaces', () => {
    hold();
    const image = Object.assign(new Image(), { src: createAddress(held) });
    image.src = 'data:,';
    expect(image.outerHTML).to.equal('<img src="data:,">');
    const script = document.createElement('script');
    script.type = 'module';
    script.src = createAddress(held);
    script.src = 'data:,';
    expect(script.outerHTML).to.contain('type="module"').and.not.contain('purpose').and.not.contain('data-svc-type');
  });

  it('does not write an unchanged value, because the banner observes it', () => {
    hold();
    const image = holder.appendChild(new Image());
    image.dataset.svcSrc = createAddress(held);
    const observer = new MutationObserver(() => {});
    observer.observe(image, { attributes: true });
    for (const address of [image.dataset.svcSrc, image.dataset.svcSrc]) image.src = address;
    expect(observer.takeRecords().map(({ attributeName }) => attributeName)).to.deep.equal(['data-svc-purpose']);
  });

  it('adds its purposes to those that the page has written on a tag', () => {
    hold();
    const image = new Image();
    image.dataset.svcPurpose = 'marketing';
    image.src = createAddress(held);
    expect(image.dataset.svcPurpose).to.equal('marketing statistics');
    image.src = 'data:,';
    expect(image.dataset.svcPurpose).to.equal('marketing');
  });

  it('holds a script that copies the attributes of a waiting one, which then runs with the same type', () => {
    hold();
    const old = Object.assign(document.createElement('script'), { src: createAddress(held), type: 'module' });
    for (const attributes of [[...old.attributes], [...old.attributes].reverse()]) {
      const copy = document.createElement('script');
      for (const { name, value } of attributes) copy.setAttribute(name, value);
      const found = ['type', 'data-svc-type', 'data-svc-purpose', 'src'].map((name) => copy.getAttribute(name));
      expect(found).to.deep.equal(['text/plain', 'module', 'statistics', old.src]);
    }
  });

  it('holds frames and images of inserted markup, and logs that the browser may have requested them', async () => {
    const errors = listenToConsole();
    hold();
    for (const name of ['iframe', 'img']) {
      const address = createAddress(held);
      holder.innerHTML = `<form><input name="querySelectorAll"><input name="matches"><${name} src="${address}"></form>`;
      await waitUntil(
        () => holder.querySelector(`${name}[data-svc-src][data-svc-purpose=statistics]:not([src])`),
        'it is held',
      );
      expect(errors.filter((one) => one.includes(address))).to.have.length(1);
      await settleRequests();
      const frame = holder.querySelector('iframe');
      if (frame) expect(frame.contentDocument?.URL, 'it stops what it began').to.equal('about:blank');
    }
    holder.innerHTML = `<script src="${createAddress(held)}"></script>`;
    await settleRequests();
    expect(holder.querySelector('[data-svc-purpose]'), 'a script that never runs is left alone').to.equal(null);
  });

  it('blocks hosts below a listed one, and needs every purpose that a host is listed under', () => {
    hold({ requests: `statistics: ${held}; marketing: ads.${held}` });
    expect(readNeeds(createAddress(`other.${held}`))).to.equal('statistics');
    expect(
      readNeeds(createAddress(`ads.${held}`))
        ?.split(' ')
        .sort(),
    ).to.deep.equal(['marketing', 'statistics']);
    expect(readNeeds(createAddress(`not${held}`))).to.equal(undefined);
    decide({ statistics: true, marketing: false });
    expect(readNeeds(createAddress(`ads.${held}`))).to.include('marketing');
    decide({ statistics: true, marketing: true });
    expect(readNeeds(createAddress(`ads.${held}`))).to.equal(undefined);
  });

  it('knows the trackers of a kind from the catalog', () => {
    hold({ requests: 'statistics: @statistics' });
    const found = ['www.google-analytics.com', 'connect.facebook.net'].map((host) => readNeeds(`https://${host}/`));
    expect(found).to.deep.equal(['statistics', undefined]);
  });

  it('blocks the page’s own host only by its name', () => {
    const { hostname } = location;
    hold({ requests: 'statistics: unlisted.example' });
    expect(isHeld('/visitor-page/x')).to.equal(false);
    hold({ requests: `statistics: ${hostname}` });
    expect(isHeld('/visitor-page/x')).to.equal(true);
  });

  const own = `consent.${held}`;
  const banner = `http://${own}:${location.port}/widgets/svc-consent/1/svc-consent.js`;
  function put(name: string, attributes: Readonly<Record<string, string>>): void {
    const tag = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) tag.setAttribute(key, value);
    holder.append(tag);
  }
  for (const [name, start] of Object.entries({
    'the add-on’s own script': () => hold({ source: banner }),
    'apiBase, for an interface of your own': () => hold({ apiBase: `http://${own}:${location.port}/api` }),
    'api-base of the banner': () => {
      put('svc-consent', { 'api-base': `http://${own}:${location.port}` });
      hold();
    },
    'the script tag of the banner': () => {
      put('script', { src: banner, type: 'text/template' });
      hold();
    },
  })) {
    it(`excludes the host that the banner uses, by ${name}`, () => {
      start();
      expect([own, held, `other.${held}`].map((host) => isHeld(createAddress(host)))).to.deep.equal([
        false,
        true,
        true,
      ]);
      hold({ requests: `statistics: ${own}` });
      expect(isHeld(createAddress(own)), 'unless it is named itself').to.equal(true);
    });
  }

  it('includes the hosts of scripts that only look like the banner’s, or are held themselves', () => {
    put('script', { src: `http://${own}:${location.port}/count.js?x=/svc-consent.js`, type: 'text/template' });
    hold();
    put('script', { src: banner });
    expect(isHeld(createAddress(own))).to.equal(true);
  });

  it('logs that it holds the consent API itself', async () => {
    const errors = listenToConsole();
    const noticeId = crypto.randomUUID();
    hold();
    const consent = createConsent({ noticeId, apiBase: `http://${own}:${location.port}` });
    expect(await consent.loadNotice()).to.equal(null);
    consent.destroy();
    expect(errors.filter((one) => one.includes('data-api-base') && one.includes(noticeId))).to.have.length(1);
  });

  it('logs invalid settings, and purposes that the visitor was not asked about', () => {
    const errors = listenToConsole();
    hold({ requests: 'plausible.io' });
    hold({ requests: `statistics: https//x @all .wrong.example ${held}.; counting: plausible.io` });
    decide({ statistics: false });
    expect(isHeld(createAddress(held)), 'a final dot is allowed').to.equal(true);
    for (const text of [
      '"plausible.io" is not understood',
      '"https//x" is neither',
      '"@all" is',
      '".wrong',
      '"counting"',
    ])
      expect(
        errors.filter((one) => one.includes(text)),
        text,
      ).to.have.length(1);
  });

  it('reads as native, can be started twice, and restores only its own replacements', async () => {
    const native = [Element.prototype.setAttribute, XMLHttpRequest.prototype.send];
    const text = String(pageFetch);
    hold();
    hold();
    expect([String(window.fetch), window.fetch.name, window.fetch.length]).to.deep.equal([text, 'fetch', 1]);
    const script = Object.assign(document.createElement('script'), { type: 'module', src: createAddress(held) });
    expect([script.getAttribute('type'), script.dataset.svcType]).to.deep.equal(['text/plain', 'module']);
    const own = window.fetch;
    const other: typeof fetch = (...args) => own(...args);
    window.fetch = other;
    for (const stop of stops.splice(0).reverse()) stop();
    expect([Element.prototype.setAttribute, XMLHttpRequest.prototype.send]).to.deep.equal(native);
    expect(window.fetch).to.equal(other);
    const address = createAddress(held);
    await fetch(address, { mode: 'no-cors' });
    await waitUntil(() => countRequests(address) === 1, 'what it cannot restore holds nothing');
    window.fetch = pageFetch;
  });
});
