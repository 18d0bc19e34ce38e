import { expect, nextFrame } from '@open-wc/testing';
import { accept, addBlocked, clearTags, listBoxes, page, reject, serve } from './blocked-tags.ts';
import { listenToConsole } from './network.ts';
import { find, isBannerShown, meetBanner, openPanel, press, returnToPage } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';
import { whenIdle } from './when-idle.ts';

const script = (name: string, purposes: string, more = ''): string =>
  `<script type="text/plain" data-svc-purpose="${purposes}" ${more}>window.ran.push('${name}')</script>`;
const fetched = (name: string, more = ''): string =>
  `<script type="text/plain" data-svc-purpose="statistics" ${more} data-svc-src="${serve(`window.ran.push('${name}')`)}"></script>`;
const frame = (purposes: string): string =>
  `<iframe title="A map" width="300" height="200" data-svc-purpose="${purposes}" data-svc-src="/visitor-page/blank"></iframe>`;

describe('a blocked tag', () => {
  clearTags();

  it('runs in document order once its purpose is granted, and not before', async () => {
    addBlocked(
      script('one', 'statistics') + script('two', 'marketing') + script('three', 'statistics') + frame('marketing'),
    );
    const visit = await meetBanner();
    await waitUntil(() => listBoxes().length, 'the tags are blocked');
    page.ran.push('decision');
    await press(visit, accept);
    await whenReleased();
    expect(page.ran, 'each once').to.deep.equal(['decision', 'one', 'two', 'three']);
  });

  it('waits for all of its purposes, and never loads without any or with an unknown one', async () => {
    addBlocked(
      script('both', 'statistics, marketing') +
        script('none', '') +
        script('unknown', 'statistics telemetry') +
        script('inherited', 'toString') +
        script('required', 'necessary'),
    );
    const visit = await meetBanner();
    await openPanel(visit);
    find(visit, '#purpose-1').click();
    await press(visit, '.save');
    await whenReleased();
    expect(page.ran).to.deep.equal(['required']);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=accept]');
    await whenReleased();
    expect(page.ran).to.deep.equal(['required', 'both']);
  });

  it('never runs for a refusal', async () => {
    addBlocked(script('one', 'statistics') + script('two', 'marketing'));
    const visit = await meetBanner();
    await press(visit, reject);
    await whenReleased();
    expect(page.ran).to.deep.equal([]);
  });

  it('runs for a returning visitor, also what the page adds later', async () => {
    const first = await meetBanner();
    await press(first, accept);
    addBlocked(script('early', 'statistics'));
    await waitUntil(() => page.ran.length === 1);
    await returnToPage(first);
    addBlocked(script('late', 'statistics'));
    await waitUntil(() => page.ran.length === 2, 'the late one runs');
    expect(page.ran).to.deep.equal(['early', 'late']);
  });

  it('runs in a separate task, after the banner has closed and the page was notified', async () => {
    addBlocked(script('one', 'statistics'));
    const visit = await meetBanner();
    find(visit, accept).click();
    expect(isBannerShown(visit), 'the banner is gone').to.equal(false);
    expect(window.SvcConsent.get()).to.not.equal(null);
    expect(page.ran, 'nothing ran within the click').to.deep.equal([]);
    await waitUntil(() => page.ran.length, 'it runs');
  });

  it('keeps its attributes: module type, nonce, and the page’s own', async () => {
    const holder = addBlocked(script('module', 'statistics', 'data-svc-type="module" id="kept" nonce="n"'));
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => page.ran.length, 'it runs');
    const ran = holder.querySelector('script');
    expect(ran?.dataset.svcType).to.equal('module');
    expect(ran?.nonce).to.equal('n');
    expect(ran?.id).to.equal('kept');
    expect(holder.children, 'in its place').to.have.length(1);
  });

  it('images and links are blocked, too, and emptied after a withdrawal', async () => {
    const sheet = URL.createObjectURL(new Blob(['i {}'], { type: 'text/css' }));
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    const holder = addBlocked(
      `<img alt="" data-svc-purpose="marketing" data-svc-src="${pixel}"><link rel="stylesheet" type="text/css" data-svc-purpose="marketing" data-svc-href="${sheet}">`,
    );
    const visit = await meetBanner();
    expect(holder.querySelector('img')?.hasAttribute('src')).to.equal(false);
    await press(visit, accept);
    await waitUntil(() => holder.querySelector('img')?.getAttribute('src') === pixel, 'the image comes');
    expect(holder.querySelector('link')?.getAttribute('href')).to.equal(sheet);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    await waitUntil(() => !holder.querySelector('img')?.hasAttribute('src'), 'the image goes');
    expect(holder.querySelector('link')?.hasAttribute('href')).to.equal(false);
    expect(holder.querySelector('link')?.type, 'and what says of which kind they are stays').to.equal('text/css');
  });

  it('runs scripts in document order although one must be fetched, without waiting for async ones', async () => {
    addBlocked(
      fetched('one') +
        script('two', 'statistics') +
        '<script type="text/plain" data-svc-purpose="statistics" data-svc-src="/visitor-page/none.js"></script>' +
        fetched('three') +
        fetched('async', 'async') +
        script('four', 'statistics'),
    );
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => page.ran.length === 5, 'all run');
    expect(page.ran.filter((name) => name !== 'async')).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('does not run when consent is withdrawn while it waits for another script', async () => {
    const [one] = addBlocked(fetched('one') + script('two', 'statistics')).querySelectorAll('script');
    // As long as this one seems to load, the other one waits.
    one?.addEventListener('load', (event) => event.isTrusted && event.stopImmediatePropagation());
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => page.ran.length === 1, 'the first one runs');
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    one?.dispatchEvent(new Event('load'));
    await whenReleased();
    expect(page.ran).to.deep.equal(['one']);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=accept]');
    await waitUntil(() => page.ran.length === 2, 'it runs when it is allowed again');
  });

  it('gets no URL that runs code, which is logged', async () => {
    const errors = listenToConsole();
    const holder = addBlocked(
      `<a data-svc-purpose="statistics" data-svc-href=" java\nscript:window.ran.push('link')">A link</a>
      <iframe title="A map" data-svc-purpose="statistics" data-svc-src="javascript:parent.ran.push('frame')"></iframe>
      <iframe title="A page" data-svc-purpose="statistics" data-svc-src="data:text/html,<p>A page</p>"></iframe>`,
    );
    const visit = await meetBanner();
    await press(visit, accept);
    await whenReleased();
    expect(page.ran).to.be.empty;
    expect([...holder.querySelectorAll('[href], [src]')]).to.be.empty;
    expect(errors).to.have.length(3);
    expect(errors[1]).to.contain('data-svc-src="javascript:').and.to.contain('must be http(s)');
  });

  it('a tag that the page loads itself is never covered', async () => {
    addBlocked(`<iframe title="A map" data-svc-purpose="marketing" src="/visitor-page/blank"></iframe>
      <img alt="" data-svc-purpose="marketing" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
      <script data-svc-purpose="marketing"></script>${frame('statistics').replace('data-svc-src', 'src="about:blank" data-svc-src')}`);
    await meetBanner();
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'the frame that waits is covered');
    expect(document.querySelectorAll('svc-consent-placeholder'), 'and only it').to.have.length(1);
  });

  it('causes no work when something else on the page changes', async () => {
    addBlocked(frame('marketing'));
    const visit = await meetBanner();
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'the box is there');
    await whenIdle(); // By then the banner has checked all tags.
    const { getAttribute } = visit.element;
    let reads = 0;
    visit.element.getAttribute = (name) => {
      reads++;
      return getAttribute.call(visit.element, name);
    };
    addBlocked('<p>More</p>');
    await nextFrame();
    await whenIdle();
    expect(reads).to.equal(0);
  });

  it('works on a page with an image named like a method of the document', async () => {
    const visit = await meetBanner();
    const holder = addBlocked(
      script('one', 'statistics') +
        ['querySelectorAll', 'dispatchEvent', 'addEventListener'].map((name) => `<img alt="" name="${name}">`).join(''),
    );
    let heard = 0;
    window.SvcConsent.onDecision(() => heard++);
    await press(visit, accept);
    await waitUntil(() => page.ran.length, 'it runs');
    expect(heard).to.equal(1);
    holder.remove();
  });

  it('a frame has a placeholder that explains it, causes no layout shift, and is shown once without a record', async () => {
    const holder = addBlocked(`${frame('marketing')}<p>After</p>`);
    const before = holder.getBoundingClientRect().height;
    const visit = await meetBanner();
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'the box is there');
    const box = document.querySelector('svc-consent-placeholder') as HTMLElement;
    expect(holder.getBoundingClientRect().height).to.equal(before);
    expect(box.getBoundingClientRect().width).to.be.closeTo(304, 4);
    expect(box.shadowRoot?.textContent).to.contain('Marketing');
    box.shadowRoot?.querySelector('button')?.click();
    await waitUntil(() => holder.querySelector('iframe')?.getAttribute('src'), 'the frame comes');
    expect(document.querySelector('svc-consent-placeholder')).to.equal(null);
    expect(window.SvcConsent.get()).to.equal(null);
    expect(isBannerShown(visit), 'the visitor is still asked').to.equal(true);
    await press(visit, '.banner [data-choice=reject]');
    await waitUntil(() => visit.network.records.length, 'a record goes out');
    expect(visit.network.records.map(({ body }) => body.method)).to.deep.equal(['banner']);
    expect(holder.querySelector('iframe')?.hasAttribute('src'), 'it stays for this page view').to.equal(true);
  });

  it('a frame is emptied and covered again after a withdrawal', async () => {
    const holder = addBlocked(frame('marketing'));
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => holder.querySelector('iframe')?.src.endsWith('/visitor-page/blank'), 'the frame comes');
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'the box is back');
    expect(holder.querySelector('iframe')?.hasAttribute('src')).to.equal(false);
    await waitUntil(
      () => holder.querySelector('iframe')?.contentWindow?.location.href === 'about:blank',
      'it is empty',
    );
  });

  describe('in a copy of the page from when it was allowed, as client routers put one back', () => {
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    const loading = ':not(script):is([src], [srcset], [href], [poster])';

    async function leaveCopy() {
      const sheet = URL.createObjectURL(new Blob([], { type: 'text/css' }));
      const holder =
        addBlocked(`${script('inline', 'statistics')}${fetched('fetched')}${fetched('module', 'data-svc-type="module"')}
        ${frame('statistics')}<img alt="" data-svc-purpose="statistics" data-svc-srcset="${pixel} 1x" data-svc-src="${pixel}">
        <link rel="stylesheet" data-svc-purpose="statistics" data-svc-href="${sheet}">
        <video data-svc-purpose="statistics" data-svc-poster="${pixel}"></video>`);
      const visit = await meetBanner();
      await press(visit, accept);
      await waitUntil(() => page.ran.length === 3, 'all run');
      await waitUntil(() => holder.querySelectorAll(loading).length === 4, 'all load');
      const copy = holder.innerHTML;
      holder.remove();
      page.ran = [];
      return { visit, copy };
    }

    it('runs and loads nothing after a withdrawal', async () => {
      const { visit, copy } = await leaveCopy();
      await openPanel(visit);
      await press(visit, 'footer [data-choice=reject]');
      const holder = addBlocked(copy);
      await whenReleased();
      expect(holder.querySelectorAll(loading).length).to.equal(0);
      expect(page.ran).to.be.empty;
    });

    it('runs once, and loads, while it is allowed', async () => {
      const { visit, copy } = await leaveCopy();
      const holder = addBlocked(copy);
      await whenReleased();
      expect(page.ran, 'and once; a module runs once in a page').to.deep.equal(['inline', 'fetched']);
      expect(holder.querySelectorAll(loading).length).to.equal(4);
      await openPanel(visit);
      await press(visit, 'footer [data-choice=reject]');
      await waitUntil(() => !holder.querySelector('iframe[src]'), 'and is taken back');
    });
  });

  it('a frame that needs an unknown purpose stays empty', async () => {
    addBlocked(frame('telemetry'));
    const visit = await meetBanner();
    await press(visit, accept);
    await whenReleased();
    expect(document.querySelector('.held iframe')?.hasAttribute('src')).to.equal(false);
  });

  it('is released only by a decision, not by a listener, event or attribute', async () => {
    addBlocked(script('one', 'statistics') + frame('marketing'));
    const visit = await meetBanner();
    await waitUntil(() => listBoxes().length, 'the tags are blocked');
    document.dispatchEvent(
      new CustomEvent('svc-consent', { detail: { decided: true, purposes: { statistics: true } } }),
    );
    addBlocked(frame('marketing'));
    await waitUntil(() => listBoxes().length === 2, 'the change is handled');
    page.ran.push('decision');
    await press(visit, reject);
    await whenReleased();
    expect(page.ran).to.deep.equal(['decision']);
  });
});
