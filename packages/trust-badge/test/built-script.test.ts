import { expect } from '@open-wc/testing';
import { hasData } from './badge.ts';
import { waitUntil } from './wait-until.ts';

// The shipped file, in a separate page: strict policy, integrity hash, a real request.

type Frame = HTMLIFrameElement & { readonly contentWindow: Window; readonly contentDocument: Document };

describe('the built script', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(query: string): Promise<Frame> {
    const frame = document.createElement('iframe');
    frame.src = `/badge-page?${query}`;
    frame.width = '600';
    frame.height = '500';
    frames.push(frame);
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    return frame as Frame;
  }

  function findBadge({ contentDocument }: Frame): Element {
    return contentDocument.querySelector('svc-trust-badge') as Element;
  }

  async function meetBadge(query: string): Promise<ShadowRoot> {
    const badge = findBadge(await visit(query));
    await waitUntil(() => hasData(badge), 'the data is there');
    return badge.shadowRoot as ShadowRoot;
  }

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  it('shows the data of the API at its own origin', async () => {
    const root = await meetBadge('variant=full');
    expect(root.querySelector('[part=name]')?.textContent).to.equal('Acme');
    expect(root.querySelector('[part=cta]')?.getAttribute('href')).to.equal(`${location.origin}/trust/acme`);
  });

  it('renders its icons as sibling shapes', async () => {
    const root = await meetBadge('variant=floating');
    expect(root.querySelectorAll('svg path')).to.have.length(2 + 2 + 1);
    expect(root.querySelector('path path')).to.equal(null);
  });

  it('works under a strict policy with Trusted Types, without violations', async () => {
    const frame = await visit('variant=floating');
    const violations: string[] = [];
    frame.contentDocument.addEventListener('securitypolicyviolation', (event) => {
      violations.push(event.violatedDirective);
    });
    await waitUntil(() => hasData(findBadge(frame)), 'the data is there');
    const root = findBadge(frame).shadowRoot as ShadowRoot;
    root.querySelector('button')?.click();
    const mark = root.querySelector('[part=drawer]:popover-open .mark') as Element;
    expect(frame.contentWindow.getComputedStyle(mark).color).to.equal('rgb(102, 51, 153)');
    expect(frame.contentDocument.querySelectorAll('style')).to.have.length(0);
    expect(violations).to.deep.equal([]);
  });

  it('leaves the link inside as the badge if it does not load', async () => {
    const inside = encodeURIComponent('<a href="/trust">Our trust center</a>');
    for (const copies of [0, 1]) {
      const frame = await visit(`copies=${copies}&inside=${inside}`);
      const badge = findBadge(frame);
      if (copies) await waitUntil(() => hasData(badge), 'the data is there');
      expect(badge.firstElementChild?.checkVisibility(), `${copies} scripts`).to.equal(copies === 0);
    }
  });

  it('defines one frozen global', async () => {
    const frame = await visit('');
    const blank = document.body.appendChild(document.createElement('iframe'));
    frames.push(blank);
    const usual = new Set(Reflect.ownKeys(blank.contentWindow ?? {}));
    const added = Reflect.ownKeys(frame.contentWindow).filter(
      (name) => !usual.has(name) && !/^\d+$/.test(String(name)),
    );
    expect(added).to.deep.equal(['mountSvcTrustBadge']);
    expect(Object.isFrozen(frame.contentWindow.mountSvcTrustBadge)).to.equal(true);
  });

  const image = '<img name="currentScript" src="http://evil.example/x.png" alt="">';

  it('uses its own origin even if an image is named `currentScript`', async () => {
    const badge = findBadge(await visit(`above=${encodeURIComponent(image)}`));
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(badge.shadowRoot?.querySelector('a')?.getAttribute('href')).to.equal(`${location.origin}/trust/acme`);
  });

  it('shows its data immediately without constructable sheets and IntersectionObserver', async () => {
    const frame = document.body.appendChild(document.createElement('iframe')) as Frame;
    frames.push(frame);
    const { contentWindow, contentDocument } = frame;
    Reflect.deleteProperty(contentWindow, 'IntersectionObserver');
    Reflect.deleteProperty((contentWindow as Window & typeof globalThis).CSSStyleSheet.prototype, 'replaceSync');
    contentDocument.body.innerHTML = '<svc-trust-badge tenant="acme"></svc-trust-badge>';
    const script = contentDocument.createElement('script');
    script.src = '/packages/trust-badge/dist/svc-trust-badge.js';
    contentDocument.body.append(script);
    await waitUntil(() => hasData(findBadge(frame)), 'the data is there');
  });

  it('throws an error that names the missing body if a page calls it in its head', async () => {
    const { contentWindow, contentDocument } = await visit('');
    contentDocument.body.remove();
    expect(() => contentWindow.mountSvcTrustBadge({ tenant: 'acme' })).to.throw('no body yet');
  });

  it('mounts a badge by its global', async () => {
    const frame = await visit('');
    const badge = frame.contentWindow.mountSvcTrustBadge({ tenant: 'other', variant: 'card', theme: 'dark' });
    expect(badge.parentElement).to.equal(frame.contentDocument.body);
    await waitUntil(() => hasData(badge), 'the data is there');
    expect(badge.shadowRoot?.querySelector('.card.dark')).to.not.equal(null);
  });

  it('has no effect when loaded a second time', async () => {
    const root = await meetBadge('copies=2');
    expect(root.querySelectorAll('.root')).to.have.length(1);
  });
});
