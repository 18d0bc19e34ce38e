import { expect } from '@open-wc/testing';
import { openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

// Frameworks that change pages, as published: Turbo visits the next page, React hydrates this one.

interface Routed extends Window {
  readonly Turbo: { visit(address: string, options?: object): void };
  readonly React: {
    createElement(...args: unknown[]): unknown;
    hydrateRoot(root: Element, element: unknown, options: object): void;
    renderToString(element: unknown): string;
  };
  readonly ran: string[];
}

const count = (name: string): string => `(window.ran ??= []).push('${name}')`;
const held = 'type="text/plain" data-svc-purpose="statistics"';

describe('a page whose framework', () => {
  let frame: VisitorFrame;
  const view = (): Routed => frame.contentWindow as unknown as Routed;

  async function accept(): Promise<void> {
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    query(frame, '[data-choice=accept]')?.click();
  }

  afterEach(() => {
    frame.remove();
    localStorage.clear();
  });

  it('visits other pages with Turbo runs blocked scripts of the head once, and those of the body at each visit', async () => {
    const head = `<script src="/node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js"></script>
      <script ${held}>${count('inline')}</script>
      <script ${held} data-svc-src="/visitor-page/held.js"></script>
      <script ${held} src="/visitor-page/held.js?plain"></script>
      <script ${held} data-svc-type="module">${count('module')}</script>`;
    const above = `<script ${held}>${count('body')}</script>`;
    frame = await openFrame({ noticeId: crypto.randomUUID(), policy: 'none', head, above });
    const before = frame.contentDocument?.head.innerHTML;
    await accept();
    await waitUntil(() => view().ran?.length === 3, 'all run');
    const loaded = () =>
      view()
        .performance.getEntriesByType('resource')
        .filter(({ name }) => name.includes('/visitor-page/held.js')).length;
    await waitUntil(
      () => loaded() === 2 && frame.contentDocument?.head.innerHTML === before,
      'the tags are as they were',
    );
    const scripts = frame.contentDocument?.head.querySelectorAll('script').length;
    const { href } = view().location;
    for (const visit of [2, 3, 4]) {
      const rendered = new Promise((done) =>
        frame.contentDocument?.addEventListener('turbo:load', done, { once: true }),
      );
      view().Turbo.visit(`${href}&visit=${visit}`);
      await rendered;
      await waitUntil(() => view().ran.filter((name) => name === 'body').length === visit, 'the body runs');
    }
    await whenReleased(frame);
    expect(view().ran.filter((name) => name !== 'body')).to.have.members(['inline', 'module']);
    expect(loaded()).to.equal(2);
    expect(frame.contentDocument?.head.querySelectorAll('script').length).to.equal(scripts);
  });

  for (const isDecided of [false, true]) {
    it(`is React is hydrated without an error, ${isDecided ? 'also with released content' : 'with placeholders over it'}`, async () => {
      const noticeId = crypto.randomUUID();
      const markup = `<main id="app"></main><script src="/visitor-page/react.js"></script><script>
        const { createElement: h } = React;
        const held = { 'data-svc-purpose': 'statistics', width: 300, height: 200 };
        window.App = () => h('div', null, h('p', null, 'Before'),
          h('p', null, 'An image ', h('img', { ...held, alt: 'A map', 'data-svc-src': '/visitor-page/blank?image' }), ' in a text'),
          h('iframe', { ...held, title: 'A film', 'data-svc-src': '/visitor-page/blank' }),
          h('script', { type: 'text/plain', 'data-svc-purpose': 'statistics', dangerouslySetInnerHTML: { __html: "${count('script')}" } }),
          h('button', { onClick: () => ran.push('clicked') }, 'After'));
        window.ran = [];
        document.getElementById('app').append(document.createRange().createContextualFragment(React.renderToString(h(App))));
      </script>`;
      frame = await openFrame({ noticeId, policy: 'none', above: markup });
      const page = frame.contentDocument as Document;
      if (isDecided) {
        await accept();
        await waitUntil(() => page.querySelectorAll('main [src]').length === 2 && view().ran.length, 'it is released');
      } else await waitUntil(() => page.querySelectorAll('svc-consent-placeholder').length === 2, 'both are covered');
      const errors: string[] = [];
      const { React, App } = view() as Routed & { App: unknown };
      const [film] = page.querySelectorAll('iframe');
      React.hydrateRoot(page.getElementById('app') as Element, React.createElement(App), {
        onRecoverableError: (error: Error) => errors.push(error.message),
      });
      await waitUntil(() => {
        page.querySelector<HTMLElement>('main button')?.click();
        return view().ran.includes('clicked');
      }, 'it is hydrated');
      expect(errors).to.be.empty;
      expect(page.querySelector('iframe'), 'React keeps the element').to.equal(film);
      if (!isDecided) {
        await accept();
        await waitUntil(() => page.querySelectorAll('main [src]').length === 2, 'it is released');
        await waitUntil(() => !page.querySelector('svc-consent-placeholder'), 'the boxes go');
      }
    });
  }
});
