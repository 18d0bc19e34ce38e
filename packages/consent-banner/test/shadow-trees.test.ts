import { aTimeout, expect } from '@open-wc/testing';
import { restorePage } from './network.ts';
import { leavePage, meetBanner, openPanel, press } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const accept = '.banner [data-choice=accept]';
const page = window as unknown as { ran: string[] };
const film = `<iframe title="A film" width="300" height="200" data-svc-purpose="marketing" data-svc-src="/visitor-page/blank"></iframe>`;

function attach(mode: ShadowRootMode, markup = film): ShadowRoot {
  const host = document.body.appendChild(document.createElement('div'));
  host.className = 'held';
  const root = host.attachShadow({ mode });
  root.append(document.createRange().createContextualFragment(markup));
  return root;
}

const find = (root: ShadowRoot): HTMLIFrameElement => root.querySelector('iframe') as HTMLIFrameElement;
const listBoxes = () => document.querySelectorAll('svc-consent-placeholder');

describe('SvcConsent.observe()', () => {
  beforeEach(async () => {
    await leavePage();
    page.ran = [];
  });

  afterEach(() => {
    restorePage();
    for (const host of document.querySelectorAll('.held')) host.remove();
  });

  for (const mode of ['open', 'closed'] as const) {
    it(`blocks, covers and releases tags in a shadow tree that is ${mode}`, async () => {
      const root = attach(
        mode,
        `${film}<script type="text/plain" data-svc-purpose="marketing">ran.push('script'); document.write('<b></b>')</script>`,
      );
      const stop = window.SvcConsent.observe(root);
      const visit = await meetBanner();
      await waitUntil(() => listBoxes().length === 1, 'the box is there');
      expect(find(root).hasAttribute('src')).to.equal(false);
      await press(visit, accept);
      await waitUntil(() => find(root).hasAttribute('src') && page.ran.length, 'it is released');
      expect(root.lastElementChild?.localName, 'what it writes is inserted').to.equal('b');
      await waitUntil(() => !listBoxes().length, 'the box goes');
      root.append(document.createRange().createContextualFragment(film));
      await waitUntil(() => root.querySelectorAll('[src]').length === 2, 'a later one as well');
      await openPanel(visit);
      await press(visit, 'footer [data-choice=reject]');
      await waitUntil(() => !root.querySelector('[src]'), 'all are blocked');
      stop();
    });
  }

  it('works after the decision, and stops when its function is called', async () => {
    await press(await meetBanner(), accept);
    const root = attach('open');
    await aTimeout(100);
    expect(find(root).hasAttribute('src'), 'not observed').to.equal(false);
    const stop = window.SvcConsent.observe(root);
    await waitUntil(() => find(root).hasAttribute('src'), 'it is released');
    stop();
    root.append(document.createRange().createContextualFragment(film));
    await aTimeout(100);
    expect(root.querySelectorAll('[src]')).to.have.length(1);
  });

  it('releases nothing in an element that is out of the page, until it is back', async () => {
    await press(await meetBanner(), accept);
    const root = attach('open', '<p></p>');
    root.host.remove();
    root.append(
      document
        .createRange()
        .createContextualFragment(
          `${film}<script type="text/plain" data-svc-purpose="marketing">ran.push('script')</script>`,
        ),
    );
    const stop = window.SvcConsent.observe(root);
    await aTimeout(100);
    expect(find(root).hasAttribute('src')).to.equal(false);
    document.body.append(root.host);
    await waitUntil(() => find(root).hasAttribute('src') && page.ran.length, 'it is released');
    stop();
  });

  it('does not keep a root whose element is removed', async () => {
    const gc = (window as { gc?: () => void }).gc;
    let root: ShadowRoot | undefined = attach('open');
    const reference = new WeakRef(root);
    window.SvcConsent.observe(root);
    await meetBanner();
    await waitUntil(() => listBoxes().length === 1, 'it is observed');
    root.host.remove();
    root = undefined;
    await waitUntil(() => !listBoxes().length, 'the box goes');
    if (!gc) return;
    await waitUntil(() => {
      gc();
      return !reference.deref();
    }, 'it is collected');
  });
});
