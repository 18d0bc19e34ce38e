import { expect } from '@open-wc/testing';
import { holdRequests } from '../src/add-ons/requests/index.ts';
import { listenToConsole, restorePage } from './network.ts';
import { countRequests, createAddress, nameHost, settleRequests } from './requests-network.ts';
import { waitUntil } from './wait-until.ts';

type Page = { SvcConsent?: unknown };

const page = window as unknown as Page;
const held = nameHost('tracker');
const stops: (() => void)[] = [];
const pageFetch = window.fetch;

/** The decision of a visitor, as the banner of the page reports it. */
function decide(purposes: Record<string, unknown> | null): void {
  const state = purposes && { decided: true, purposes };
  Object.defineProperty(window, 'SvcConsent', { value: { get: () => state }, configurable: true });
  document.dispatchEvent(new CustomEvent('svc-consent'));
}

const grant = (): void => decide({ statistics: true });
const withdraw = (): void => decide({ statistics: false });

function hold(requests = `statistics: ${held}`): void {
  stops.push(holdRequests({ requests }));
}

/** The events of an object, in order. */
function listen(target: EventTarget, types: readonly string[]): string[] {
  const events: string[] = [];
  for (const type of types) target.addEventListener(type, () => events.push(type));
  return events;
}

/** The ways in which a call sends; each ends when it was answered or refused. */
const ways: Readonly<Record<string, (address: string) => Promise<unknown>>> = {
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
  EventSource: (address) =>
    new Promise((resolve) => {
      const source = new EventSource(address);
      source.onerror = () => {
        source.close();
        resolve(0);
      };
    }),
};

/** The ways in which a script creates a tag; each ends when the tag is in the page. */
const tags: Readonly<Record<string, (address: string, holder: HTMLElement) => unknown>> = {
  'a script, by its property': (address, holder) =>
    holder.append(Object.assign(document.createElement('script'), { src: address })),
  'an image, by its property': (address, holder) => holder.append(Object.assign(new Image(), { src: address })),
  'an image that is never put in': (address) => Object.assign(new Image(), { src: address }),
  'an image, by srcset': (address, holder) =>
    holder.append(Object.assign(new Image(), { srcset: `${address} 1x, ${address} 2x` })),
  'a frame, by setAttribute': (address, holder) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('SRC', address);
    holder.append(frame);
  },
  'an image, by setAttributeNS': (address, holder) => {
    const image = new Image();
    image.setAttributeNS(null, 'src', address);
    holder.append(image);
  },
  'a style sheet': (address, holder) =>
    holder.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address })),
  'a sound, by new Audio': (address, holder) => holder.append(new Audio(address)),
  'a frame, by innerHTML': (address, holder) => {
    holder.innerHTML = `<p>Text<iframe src="${address}"></iframe>`;
  },
  'an image, by innerHTML': (address, holder) => {
    holder.innerHTML = `<p>Text<img src="${address}" alt="">`;
  },
  'a frame, by outerHTML': (address, holder) => {
    holder.append(document.createElement('i'));
    (holder.firstElementChild as Element).outerHTML = `<iframe src="${address}"></iframe>`;
  },
  'a style sheet, by insertAdjacentHTML': (address, holder) =>
    holder.insertAdjacentHTML('beforeend', `<link rel="stylesheet" href="${address}">`),
  'a script, by a fragment': (address, holder) =>
    holder.append(document.createRange().createContextualFragment(`<script src="${address}"></script>`)),
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
    delete page.SvcConsent;
    holder.remove();
  });

  for (const [name, send] of Object.entries(ways)) {
    it(`blocks requests by ${name} before consent and after its withdrawal, and allows them in between`, async () => {
      const [before, between, after] = [createAddress(held), createAddress(held), createAddress(held)];
      hold();
      await send(before);
      grant();
      await send(between);
      withdraw();
      await send(after);
      await settleRequests();
      await waitUntil(() => countRequests(between) > 0, 'the one that is allowed leaves');
      expect([before, after].map(countRequests)).to.deep.equal([0, 0]);
    });
  }

  for (const [name, put] of Object.entries(tags)) {
    it(`blocks requests by ${name}, before consent and after its withdrawal, and allows them in between`, async () => {
      const [before, between, after] = [createAddress(held), createAddress(held), createAddress(held)];
      hold();
      put(before, holder);
      grant();
      put(between, holder);
      await waitUntil(() => countRequests(between) > 0, 'the one that is allowed leaves');
      withdraw();
      put(after, holder);
      await settleRequests();
      expect([before, after].map(countRequests)).to.deep.equal([0, 0]);
    });
  }

  it('fails fetch with a TypeError, or with the reason of an aborted signal', async () => {
    hold();
    const reason = new Error('enough');
    const errors = [{}, { signal: AbortSignal.abort(reason) }, { method: 'TRACE' }].map((init) =>
      fetch(createAddress(held), init).catch((error) => error),
    );
    const [refused, aborted, forbidden] = await Promise.all(errors);
    expect(refused).to.be.instanceOf(TypeError);
    expect(refused.message).to.equal('Failed to fetch');
    expect(aborted).to.equal(reason);
    expect(forbidden.message).to.contain('TRACE');
  });

  it('ends XMLHttpRequest with the events of a network error', async () => {
    const types = ['readystatechange', 'loadstart', 'load', 'error', 'abort', 'loadend'];
    const run = async (address: string): Promise<readonly unknown[]> => {
      const xhr = new XMLHttpRequest();
      xhr.open('POST', address);
      const events = [listen(xhr, types), listen(xhr.upload, types)];
      const ended = new Promise((resolve) => xhr.addEventListener('loadend', resolve));
      xhr.send('body');
      expect(() => xhr.send()).to.throw(DOMException);
      await ended;
      return [...events, xhr.readyState, xhr.status, xhr.responseText, xhr.getAllResponseHeaders(), xhr.responseURL];
    };
    const native = await run('http://none.localhost:1/');
    hold();
    expect(await run(createAddress(held))).to.deep.equal(native);
    const sync = new XMLHttpRequest();
    sync.open('GET', createAddress(held), false);
    expect(() => sync.send())
      .to.throw(DOMException)
      .with.property('name', 'NetworkError');
    sync.abort();
    expect(sync.readyState).to.equal(0);
  });

  it('returns a result of fetchLater that is never activated', () => {
    const page = window as unknown as { fetchLater(address: string, init: object): { readonly activated: boolean } };
    hold();
    const later = page.fetchLater(createAddress(held), { mode: 'no-cors', activateAfter: 0 });
    expect([Object.prototype.toString.call(later), later.activated]).to.deep.equal([
      '[object FetchLaterResult]',
      false,
    ]);
    expect(() => page.fetchLater(createAddress(held), { signal: AbortSignal.abort() })).to.throw(DOMException);
  });

  it('reports an abort of a blocked request, and lets it be opened again', async () => {
    hold();
    const xhr = new XMLHttpRequest();
    const events = listen(xhr, ['error', 'abort', 'loadend']);
    xhr.open('GET', createAddress(held));
    xhr.send();
    xhr.abort();
    expect(events).to.deep.equal(['abort', 'loadend']);
    expect(xhr.readyState).to.equal(0);
    xhr.open('GET', createAddress(nameHost('free')));
    expect(xhr.readyState).to.equal(1);
  });

  it('returns sockets that fail, of their class and of subclasses', async () => {
    hold();
    class Chat extends WebSocket {
      override close(code?: number): void {
        super.close(code);
      }
    }
    for (const create of [WebSocket, Chat]) {
      const socket = new create(createAddress(held).replace('http', 'ws'), ['chat']);
      const events = listen(socket, ['open', 'error', 'close']);
      const closed = new Promise<CloseEvent>((resolve) => {
        socket.onclose = resolve;
      });
      expect(socket).to.be.instanceOf(create).and.instanceOf(WebSocket);
      expect([socket.readyState, socket.protocol, socket.binaryType]).to.deep.equal([0, '', 'blob']);
      expect(() => socket.send('x'))
        .to.throw(DOMException)
        .with.property('name', 'InvalidStateError');
      expect(() => socket.close(1))
        .to.throw(DOMException)
        .with.property('name', 'InvalidAccessError');
      const { code, wasClean } = await closed;
      expect([code, wasClean, socket.readyState, ...events]).to.deep.equal([1006, false, 3, 'error', 'close']);
    }
    expect(() => new WebSocket(createAddress(held), ['a', 'a']))
      .to.throw(DOMException)
      .with.property('name', 'SyntaxError');
  });

  it('opens no connection for a blocked socket, and one for each that is allowed', () => {
    const owners = [WebSocket.prototype, EventSource.prototype];
    const [readSocket, readSource] = owners.map((one) => Object.getOwnPropertyDescriptor(one, 'url')?.get);
    hold();
    const address = createAddress(held);
    const connect = (): readonly EventTarget[] => {
      const connections = [new WebSocket(address.replace('http', 'ws')), new EventSource(address)];
      for (const one of connections) one.close();
      return connections;
    };
    const [socket, source] = connect();
    expect(() => readSocket?.call(socket)).to.throw(TypeError);
    expect(() => readSource?.call(source)).to.throw(TypeError);
    grant();
    const [allowed, allowedSource] = connect();
    expect(readSocket?.call(allowed)).to.equal(address.replace('http', 'ws'));
    expect(readSource?.call(allowedSource)).to.equal(address);
  });

  it('keeps the native behaviour of what it replaces: names, lengths, statics, kinds of properties, errors', () => {
    const owners: Readonly<Record<string, object>> = {
      fetch: window,
      WebSocket: window,
      EventSource: window,
      Audio: window,
      sendBeacon: Navigator.prototype,
      send: XMLHttpRequest.prototype,
      setAttribute: Element.prototype,
      innerHTML: Element.prototype,
      src: HTMLScriptElement.prototype,
    };
    const read = (): readonly unknown[] =>
      Object.entries(owners).map(([name, owner]) => {
        const { value, get, set, ...kind } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
        return [
          kind,
          ...[value, get, set].map((one) => one && [one.name, one.length, /\[native code\] \}$/.test(one)]),
        ];
      });
    const before = [String(fetch), ...read()];
    const { setAttribute } = Element.prototype;
    hold();
    expect([String(fetch), ...read()], 'Sentry takes the fetch of a frame otherwise').to.deep.equal(before);
    expect(Element.prototype.setAttribute, 'it is replaced').to.not.equal(setAttribute);
    expect([WebSocket.CLOSED, WebSocket.prototype.constructor === WebSocket]).to.deep.equal([3, true]);
    expect(() => (WebSocket as unknown as () => void)()).to.throw(TypeError);
    expect(() => new WebSocket('http://['))
      .to.throw(DOMException)
      .with.property('name', 'SyntaxError');
    expect(() => (holder.setAttribute as (name: string) => void)('src')).to.throw(TypeError, '2 arguments');
    expect(() => holder.setAttribute(' ', '')).to.throw(DOMException);
    expect(() => Element.prototype.setAttribute.call({} as Element, 'src', 'x')).to.throw(TypeError);
    expect(() => Navigator.prototype.sendBeacon.call({} as Navigator, createAddress(held))).to.throw(TypeError);
  });

  it('turns a script into one that the banner blocks, with all of its attributes', () => {
    hold();
    const script = document.createElement('script');
    script.nonce = 'n';
    script.integrity = 'sha384-x';
    const address = createAddress(held);
    script.src = address;
    script.type = 'module';
    expect([script.src, script.type, script.async, script.nonce]).to.deep.equal([address, 'module', true, 'n']);
    const names = ['type', 'data-type', 'data-svc-purpose', 'async', 'integrity'].map((one) =>
      script.getAttribute(one),
    );
    expect(names).to.deep.equal(['text/plain', 'module', 'statistics', '', 'sha384-x']);
    script.src = '/visitor-page/held.js';
    expect([script.getAttribute('type'), script.hasAttribute('data-svc-purpose')]).to.deep.equal(['module', false]);
  });

  it('turns an image into one that the banner blocks, whose address reads as it was set', () => {
    hold();
    const address = createAddress(held);
    const image = Object.assign(new Image(), { src: address });
    expect(image.src).to.equal(address);
    expect(image.outerHTML).to.equal(`<img data-src="${address}" data-svc-purpose="statistics">`);
    image.src = 'data:,';
    expect(image.outerHTML).to.equal('<img src="data:,">');
  });

  it('blocks a host that two purposes name until both are granted, with every subdomain', async () => {
    hold(`statistics: ${held}; marketing: ${held}`);
    const read = (host: string): string | undefined =>
      Object.assign(new Image(), { src: createAddress(host) }).dataset.svcPurpose;
    const hosts = [held, `a.b.${held}`, held.toUpperCase(), `${held}.`, `x${held}`];
    const both = 'statistics marketing';
    expect(hosts.map(read)).to.deep.equal([both, both, both, both, undefined]);
    decide({ statistics: true });
    expect(read(held)).to.equal(both);
    decide({ statistics: true, marketing: 'yes' });
    expect(read(held), 'garbage grants nothing').to.equal(both);
    decide({ statistics: true, marketing: true });
    expect(read(held)).to.equal(undefined);
  });

  it('knows the trackers of a kind from the catalogue', () => {
    hold('statistics: @statistics');
    const read = (host: string) => Object.assign(new Image(), { src: `https://${host}/` }).dataset.svcPurpose;
    expect(['www.google-analytics.com', 'connect.facebook.net'].map(read)).to.deep.equal(['statistics', undefined]);
  });

  it('blocks the page’s own host only by its name', () => {
    const { hostname } = location;
    const read = (): string | undefined => Object.assign(new Image(), { src: '/visitor-page/x' }).dataset.svcPurpose;
    expect(hostname).to.match(/localhost$/);
    hold('statistics: unlisted.example');
    expect(read()).to.equal(undefined);
    hold(`statistics: ${hostname}`);
    expect(read()).to.equal('statistics');
  });

  it('blocks an earlier tag when it is moved, and logs that it may be late', async () => {
    const errors = listenToConsole();
    const address = createAddress(held);
    const image = Object.assign(new Image(), { src: address });
    holder.append(image);
    hold();
    holder.prepend(image);
    await waitUntil(() => holder.querySelector('img[data-src][data-svc-purpose=statistics]:not([src])'), 'it is held');
    expect(errors.filter((one) => one.includes(address))).to.have.length(1);
  });

  it('blocks an allowed tag that was removed and kept, when it is inserted after the withdrawal', async () => {
    hold();
    grant();
    const address = createAddress(held);
    const kept = document.createElement('p');
    kept.append(Object.assign(document.createElement('iframe'), { src: address }));
    holder.append(kept);
    await waitUntil(() => countRequests(address) === 1, 'it comes');
    kept.remove();
    withdraw();
    holder.append(kept);
    await settleRequests();
    expect(countRequests(address)).to.equal(1);
    expect(kept.innerHTML).to.contain('data-svc-purpose="statistics"').and.not.contain(' src');
  });

  it('works within a form whose controls are named like its methods', async () => {
    hold();
    const template = document.createElement('template');
    const clobbering = ['querySelectorAll', 'setAttribute', 'replaceChildren'].map((name) => `<input name="${name}">`);
    template.innerHTML = `<form>${clobbering.join('')}<img alt="" src="${createAddress(held)}"></form>`;
    holder.append(template.content);
    await waitUntil(() => holder.querySelector('img[data-src]:not([src])'), 'it is held');
    const set = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')?.set;
    set?.call(holder.querySelector('form'), `<img alt="" src="${createAddress(held)}">`);
    expect(holder.innerHTML).to.match(/^<form><img alt="" data-src="[^"]+" data-svc-purpose="statistics"><\/form>$/);
  });

  it('logs invalid settings, and purposes that the visitor was not asked about', () => {
    const errors = listenToConsole();
    hold('plausible.io');
    hold('statistics: https//x @all; counting: plausible.io');
    decide({ statistics: true });
    for (const text of [
      '"plausible.io" is not understood',
      '"https//x" is no host',
      '"@all" is no host',
      '"counting"',
    ]) {
      expect(
        errors.filter((one) => one.includes(text)),
        text,
      ).to.have.length(1);
    }
  });

  it('can be started twice, and restores only its own replacements', async () => {
    const native = [Element.prototype.setAttribute, window.WebSocket, WebSocket.prototype.constructor];
    hold();
    hold();
    const script = document.createElement('script');
    script.type = 'module';
    script.src = createAddress(held);
    expect([script.getAttribute('type'), script.dataset.type]).to.deep.equal(['text/plain', 'module']);
    const own = window.fetch;
    const other: typeof fetch = (...args) => own(...args);
    window.fetch = other;
    for (const stop of stops.splice(0).reverse()) stop();
    expect([Element.prototype.setAttribute, window.WebSocket, WebSocket.prototype.constructor]).to.deep.equal(native);
    expect(window.fetch).to.equal(other);
    const address = createAddress(held);
    await fetch(address, { mode: 'no-cors' });
    await settleRequests();
    expect(countRequests(address), 'what it cannot put back lets go').to.equal(1);
    window.fetch = pageFetch;
  });
});
