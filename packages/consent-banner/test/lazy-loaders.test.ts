import { aTimeout, expect } from '@open-wc/testing';
import { listRequests, openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';
import { whenIdle } from './when-idle.ts';

// Blocked content on pages with the lazy loaders that read `data-src`, as published.

const held = 'class="lazyload lazy" data-svc-purpose="statistics" width="300" height="200"';
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

  for (const [name, loader] of Object.entries(loaders)) {
    it(`blocked content is not requested before consent, and is after it: ${name}`, async () => {
      const own = `<img class="lazyload lazy" width="300" height="200" alt="" data-src="/visitor-page/blank?own">`;
      frame = await openFrame({ noticeId: crypto.randomUUID(), policy: 'none', head: loader, above: own + content });
      const listLoaded = () =>
        frame.contentWindow.performance
          .getEntriesByType('resource')
          .map((entry) => new URL(entry.name))
          .filter(({ pathname }) => pathname === '/visitor-page/blank')
          .map(({ search }) => search)
          .sort();
      await waitUntil(() => listLoaded().length, 'the loader loads the image of the page');
      await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
      await whenIdle(frame.contentWindow);
      await aTimeout(100);
      expect(listLoaded()).to.deep.equal(['?own']);
      query(frame, '[data-choice=accept]')?.click();
      await waitUntil(() => listLoaded().length === 5, 'all is loaded');
      expect(listLoaded()).to.deep.equal(['?frame', '?image2', '?own', '?poster', '?sheet']);
      expect(listRequests(frame).filter((path) => path.endsWith('placeholders.js'))).to.have.length(1);
    });
  }

  it('a tag with the plain names is emptied again when the loader fills it', async () => {
    const plain = `<iframe ${held} title="A map" data-src="/visitor-page/blank?frame"></iframe>`;
    frame = await openFrame({ noticeId: crypto.randomUUID(), policy: 'none', head: loaders.lazysizes, above: plain });
    const map = frame.contentDocument?.querySelector('iframe') as HTMLIFrameElement;
    await waitUntil(() => map.classList.contains('lazyloaded'), 'the loader has filled it');
    await waitUntil(() => !map.hasAttribute('src'), 'it is emptied');
    query(frame, '[data-choice=accept]')?.click();
    await waitUntil(() => map.hasAttribute('src'), 'it is released');
  });
});
