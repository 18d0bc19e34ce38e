import { expect } from '@open-wc/testing';
import { holdRequests, type RequestOptions } from '../src/add-ons/requests/index.ts';
import { createConsent } from '../src/headless.ts';
import { listenToConsole, restorePage } from './network.ts';
import { countRequests, createAddress, nameHost, settleRequests } from './requests-network.ts';
import { openFrame } from './visitor-frame.ts';

type Purposes = Readonly<Record<string, unknown>> | null;

interface SocketStream {
  readonly url: string;
  readonly opened: Promise<Error>;
  readonly closed: Promise<Error>;
  close(): void;
}

const page = window as unknown as {
  SvcConsent?: unknown;
  readonly WebSocketStream: new (address: string, options?: object) => SocketStream;
};
const held = nameHost('tracker');
/** A socket that is answered, by the test server. */
const socketAddress = `ws://${held}:${location.port}/wds`;
const stops: (() => void)[] = [];

/** The value of `SvcConsent.get()`, which is set before any event. */
function set(purposes: Purposes): void {
  const state = purposes && { decided: true, purposes };
  Object.defineProperty(window, 'SvcConsent', { value: { get: () => state }, configurable: true });
}

function decide(purposes: Purposes): void {
  set(purposes);
  document.dispatchEvent(new CustomEvent('svc-consent'));
}

const grant = (): void => decide({ statistics: true });
const withdraw = (): void => decide({ statistics: false });

function hold(options: Partial<RequestOptions> = {}): void {
  stops.push(holdRequests({ requests: `statistics: ${held}`, ...options }));
}

const isHeld = (address: string): boolean => Object.assign(new Image(), { src: address }).hasAttribute('data-src');

const hear = (target: EventTarget, type: string): Promise<Event> =>
  new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

describe('the calls that the requests add-on holds', () => {
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

  it('follow the banner’s state at that moment, in whatever order listeners run', async () => {
    const [first, late, broken] = [createAddress(held), createAddress(held), createAddress(held)];
    hold();
    set({ statistics: true });
    await fetch(first, { mode: 'no-cors' });
    set({ statistics: false });
    expect(navigator.sendBeacon(late)).to.equal(false);
    const fail = (): never => {
      throw new Error('broken');
    };
    Object.defineProperty(window, 'SvcConsent', { value: { get: fail }, configurable: true });
    expect(navigator.sendBeacon(broken)).to.equal(false);
    await settleRequests();
    expect([first, late, broken].map(countRequests)).to.deep.equal([1, 0, 0]);
  });

  it('close a socket when its consent is withdrawn, and open none after that', async () => {
    hold();
    grant();
    const socket = new WebSocket(socketAddress);
    const free = new WebSocket(socketAddress.replace(held, nameHost('free')));
    await Promise.all([socket, free].map((one) => hear(one, 'open')));
    const closed = hear(socket, 'close') as Promise<CloseEvent>;
    decide({ statistics: true, marketing: true });
    expect(socket.readyState, 'another decision changes nothing').to.equal(WebSocket.OPEN);
    withdraw();
    expect([socket.readyState, free.readyState]).to.deep.equal([WebSocket.CLOSING, WebSocket.OPEN]);
    expect((await closed).wasClean).to.equal(true);
    free.close();
    expect(((await hear(new WebSocket(socketAddress), 'close')) as CloseEvent).code).to.equal(1006);
  });

  it('close an event source when its consent is withdrawn, and when the page asks about another notice', async () => {
    hold();
    const ask = (): void => {
      set(null);
      holder.append(document.createElement('p'));
    };
    for (const end of [withdraw, ask]) {
      grant();
      const source = new EventSource(createAddress(held));
      end();
      await Promise.resolve(); // Earlier than any network response.
      expect(source.readyState).to.equal(EventSource.CLOSED);
    }
  });

  it('send no XMLHttpRequest after the withdrawal, if it was opened under consent', async () => {
    const [before, after] = [createAddress(held), createAddress(held)];
    hold();
    const [early, late] = [new XMLHttpRequest(), new XMLHttpRequest()];
    early.open('GET', before);
    grant();
    late.open('GET', after);
    early.send();
    withdraw();
    late.send();
    await hear(late, 'error');
    expect(() => early.send(), 'the browser’s own, which is under way')
      .to.throw(DOMException)
      .with.property('name', 'InvalidStateError');
    await settleRequests();
    expect([before, after].map(countRequests)).to.deep.equal([1, 0]);
  });

  it('let a listener abort an XMLHttpRequest in its first event, as in the browser', async () => {
    const run = async (address: string): Promise<readonly unknown[]> => {
      const xhr = new XMLHttpRequest();
      const events: string[] = [];
      xhr.open('POST', address);
      for (const [name, target] of [
        ['', xhr],
        ['upload ', xhr.upload],
      ] as const) {
        for (const type of ['loadstart', 'error', 'abort', 'loadend', 'readystatechange']) {
          target.addEventListener(type, () => events.push(name + type));
        }
      }
      xhr.addEventListener('loadstart', () => xhr.abort());
      xhr.send('body');
      await settleRequests();
      return [...events, xhr.readyState];
    };
    const native = await run('http://none.localhost:1/');
    expect(native).to.include('abort');
    hold();
    expect(await run(createAddress(held))).to.deep.equal(native);
  });

  it('block a WebSocketStream, which fails for the reason of a network error', async () => {
    const read = async (address: string): Promise<readonly unknown[]> => {
      new page.WebSocketStream(address).close(); // Its rejections are not read, and must not be reported.
      const stream = new page.WebSocketStream(address, { protocols: ['chat'] });
      const reasons = await Promise.all(
        [stream.opened, stream.closed].map((one) => one.catch((reason: Error) => reason)),
      );
      return [stream.url, ...reasons.flatMap(({ name, message }) => [name, message])];
    };
    const [, ...native] = await read('ws://none.localhost:1/');
    hold();
    expect(await read(socketAddress)).to.deep.equal([socketAddress, ...native]);
    grant();
    const stream = new page.WebSocketStream(socketAddress);
    await stream.opened;
    withdraw();
    await stream.closed;
    expect(() => new page.WebSocketStream(socketAddress, { protocols: ['a', 'a'] })).to.throw(DOMException);
    expect([page.WebSocketStream.prototype.constructor, page.WebSocketStream.name]).to.deep.equal([
      page.WebSocketStream,
      'WebSocketStream',
    ]);
  });

  it('leave refused sockets as they are when the add-on is stopped', async () => {
    hold();
    const socket = new WebSocket(socketAddress);
    const source = new EventSource(createAddress(held));
    for (const stop of stops.splice(0)) stop();
    expect([socket.readyState, source.readyState]).to.deep.equal([0, 0]);
    socket.close();
    source.close();
    expect([socket.readyState, source.readyState]).to.deep.equal([2, 2]);
    const open = new WebSocket(socketAddress);
    await hear(open, 'open');
    open.close();
  });
});

describe('the hosts that the requests add-on blocks', () => {
  let holder: HTMLElement;

  beforeEach(() => {
    holder = document.body.appendChild(document.createElement('div'));
  });

  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
    restorePage();
    holder.remove();
  });

  const own = `consent.${held}`;

  /** A tag of the banner with an address that is never requested. */
  function put(name: string, attribute: string, value: string): void {
    const tag = document.createElement(name);
    tag.setAttribute(attribute, value);
    if (name === 'script') tag.setAttribute('type', 'text/template');
    holder.append(tag);
  }

  const script = `http://${own}:${location.port}/widgets/svc-consent/1/svc-consent.js`;
  const ways: Readonly<Record<string, () => void>> = {
    'the add-on’s own script': () => hold({ source: script }),
    'apiBase, for an interface of your own': () => hold({ apiBase: `http://${own}:${location.port}/api` }),
    'api-base of the banner': () => {
      put('svc-consent', 'api-base', `http://${own}:${location.port}`);
      hold();
    },
    'the script tag of the banner': () => {
      put('script', 'src', script);
      hold();
    },
  };

  for (const [name, start] of Object.entries(ways)) {
    it(`exclude those that the banner uses, by ${name}, and include all others`, () => {
      start();
      expect([createAddress(own), createAddress(held), createAddress(`other.${held}`)].map(isHeld)).to.deep.equal([
        false,
        true,
        true,
      ]);
      hold({ requests: `statistics: ${own}` });
      expect(isHeld(createAddress(own)), 'but by its very name').to.equal(true);
    });
  }

  it('include those of scripts that only look like the banner’s, or are blocked themselves', () => {
    put('script', 'src', `http://${own}:${location.port}/count.js?x=/svc-consent.js`);
    hold();
    holder.append(Object.assign(document.createElement('script'), { src: script }));
    expect(isHeld(createAddress(own))).to.equal(true);
  });

  it('make no exception for the page’s base URL', () => {
    const base = document.head.appendChild(Object.assign(document.createElement('base'), { href: createAddress(own) }));
    hold();
    expect(isHeld('/count.gif')).to.equal(true);
    base.remove();
  });

  it('are logged when they block the banner itself', async () => {
    const errors = listenToConsole();
    const noticeId = crypto.randomUUID();
    hold();
    const consent = createConsent({ noticeId, apiBase: `http://${own}:${location.port}` });
    expect(await consent.loadNotice()).to.equal(null);
    consent.destroy();
    expect(errors.filter((one) => one.includes('data-api-base') && one.includes(noticeId))).to.have.length(1);
    for (const stop of stops.splice(0)) stop();
    hold({ apiBase: `http://${own}:${location.port}` });
    const again = createConsent({ noticeId, apiBase: `http://${own}:${location.port}` });
    expect((await again.loadNotice())?.id).to.equal(noticeId);
    again.destroy();
  });

  it('may be named with the final dot of a full name; names with other extra dots are logged', () => {
    const errors = listenToConsole();
    hold({ requests: `statistics: ${held}. .wrong.example also..wrong.example .` });
    expect(isHeld(createAddress(held))).to.equal(true);
    for (const name of ['".wrong.example"', '"also..wrong.example"', '"."']) {
      expect(
        errors.filter((one) => one.includes(name)),
        name,
      ).to.have.length(1);
    }
  });
});

describe('the tag of the requests add-on', () => {
  const listen = '<script>errors = []; console.error = (...parts) => errors.push(parts.join(" "))</script>';

  for (const [attributes, isLate] of [
    ['', false],
    ['async', true],
    ['defer', true],
    ['type="module"', true],
  ] as const) {
    it(`${isLate ? 'logs that it comes too late' : 'logs nothing'} with ${attributes || 'no such attribute'}`, async () => {
      const source = '/packages/consent-banner/dist/svc-consent-requests.js';
      const tag = `<script ${attributes} src="${source}" data-requests="statistics: ${held}"></script>`;
      const frame = await openFrame({ noticeId: crypto.randomUUID(), above: listen + tag, policy: 'none' as 'strict' });
      const { errors } = frame.contentWindow as unknown as { readonly errors: readonly string[] };
      const late = errors.filter((one) => one.includes('comes too late') && one.includes('Take async, defer'));
      expect(late).to.have.length(isLate ? 1 : 0);
      frame.remove();
    });
  }
});
