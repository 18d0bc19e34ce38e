import { expect } from '@open-wc/testing';
import { openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// Blocked content on pages with the lazy loaders that read `data-src`, as published.

const held = 'class="lazyload lazy" data-svc-purpose="statistics" width="120" height="90"';
const loaders = {
  lazysizes: '<script src="/node_modules/lazysizes/lazysizes.min.js" async></script>',
  'vanilla-lazyload':
    '<script src="/node_modules/vanilla-lazyload/dist/lazyload.iife.min.js"></script><script>addEventListener("DOMContentLoaded", () => new LazyLoad())</script>',
};
const content = `<iframe ${held} title="A map" data-svc-src="/visitor-page/blank?frame"></iframe>
  <img ${held} alt="" data-svc-src="/visitor-page/blank?image" data-svc-srcset="/visitor-page/blank?image2 1x">
  <video ${held} data-svc-poster="/visitor-page/blank?poster"></video>
  <link data-svc-purpose="statistics" rel="stylesheet" data-svc-href="/visitor-page/blank?sheet">`;

describe('on a page with a lazy loader', () => {
  let frame: VisitorFrame;

  afterEach(() => {
    frame.remove();
    localStorage.clear();
  });

  const countBoxes = () => frame.contentDocument?.querySelectorAll('svc-consent-placeholder').length;

  async function accept(): Promise<void> {
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    query(frame, '[data-choice=accept]')?.click();
  }

  for (const [name, loader] of Object.entries(loaders)) {
    it(`blocked content is not requested before consent, and is after it: ${name}`, async () => {
      // Loaders go through the page in document order.
      const own = `<img class="lazyload lazy" width="120" height="90" alt="" data-src="/visitor-page/blank?own">`;
      frame = await openFrame({ noticeId: crypto.randomUUID(), policy: 'none', head: loader, above: content + own });
      const listLoaded = () =>
        frame.contentWindow.performance
          .getEntriesByType('resource')
          .map((entry) => new URL(entry.name))
          .filter(({ pathname }) => pathname === '/visitor-page/blank')
          .map(({ search }) => search)
          .sort();
      await waitUntil(() => listLoaded().includes('?own'), 'the loader loads the image of the page');
      await waitUntil(() => countBoxes() === 3, 'the content is covered');
      expect(listLoaded()).to.deep.equal(['?own']);
      await accept();
      await waitUntil(() => listLoaded().length === 5, 'all is loaded');
      expect(listLoaded()).to.deep.equal(['?frame', '?image2', '?own', '?poster', '?sheet']);
    });
  }

  it('a tag with the plain names is emptied again when the loader fills it', async () => {
    const plain = `<img ${held} alt="" data-src="/visitor-page/blank?image">`;
    const head = `<script>lazySizesConfig = { init: false }</script>${loaders.lazysizes}`;
    frame = await openFrame({ noticeId: crypto.randomUUID(), policy: 'none', head, above: plain });
    await waitUntil(() => countBoxes() === 1, 'it is blocked');
    const image = frame.contentDocument?.querySelector('img') as HTMLImageElement;
    const filled = new Promise((done) => new MutationObserver(done).observe(image, { attributeFilter: ['src'] }));
    (frame.contentWindow as unknown as { lazySizes: { init(): void } }).lazySizes.init();
    await filled;
    await waitUntil(() => !image.hasAttribute('src'), 'it is emptied');
    await accept();
    await waitUntil(() => image.hasAttribute('src'), 'it is released');
  });
});
