import { expect } from '@open-wc/testing';
import { Idiomorph } from 'idiomorph';
import morphdom from 'morphdom';
import { accept, addBlocked, clearTags } from './blocked-tags.ts';
import { meetBanner, openPanel, press } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

// Libraries that morph the page to markup of the server, where nothing is released.

const address = '/visitor-page/blank';
const markup = `<div><p>0</p><iframe id="film" title="A film" width="300" height="200" data-svc-purpose="marketing" data-svc-src="${address}"></iframe>
  <img alt="" data-svc-purpose="marketing" data-svc-srcset="${address} 1x"></div>`;

const addBoth = (): HTMLElement => addBlocked(markup).firstElementChild as HTMLElement;

const morphs: Readonly<Record<string, (holder: HTMLElement, next: string) => unknown>> = {
  idiomorph: (holder, next) => Idiomorph.morph(holder, next),
  morphdom: (holder, next) => (morphdom as unknown as (from: Node, to: string) => Node)(holder, next),
};

describe('a released tag', () => {
  clearTags();

  for (const [name, morph] of Object.entries(morphs)) {
    it(`is released again when the page is morphed with ${name}, and again, and blocked after a withdrawal`, async () => {
      const holder = addBoth();
      const [frame, image] = holder.querySelectorAll('iframe,img') as unknown as [HTMLIFrameElement, HTMLImageElement];
      const visit = await meetBanner();
      await press(visit, accept);
      await waitUntil(() => frame.hasAttribute('src') && image.srcset, 'it is released');
      for (const text of ['1', '2', '3']) {
        morph(holder, markup.replace('<p>0', `<p>${text}`));
        expect(holder.querySelector('p')?.textContent).to.equal(text);
        expect(holder.querySelector('iframe')).to.equal(frame);
        expect(frame.hasAttribute('src'), 'the morph empties it').to.equal(false);
        await waitUntil(() => frame.getAttribute('src') === address && image.srcset, 'it is released again');
      }
      await openPanel(visit);
      await press(visit, 'footer [data-choice=reject]');
      await waitUntil(() => !frame.hasAttribute('src') && !image.srcset, 'it is blocked');
      morph(holder, markup.replace('<p>0', '<p>4'));
      await whenReleased();
      expect(frame.hasAttribute('src')).to.equal(false);
    });
  }

  it('is not fought over with a library that empties it each time', async () => {
    const frame = addBoth().querySelector('iframe') as HTMLIFrameElement;
    const releases: number[] = [];
    const library = new MutationObserver(() => {
      if (!frame.hasAttribute('src')) return;
      releases.push(performance.now());
      frame.removeAttribute('src');
    });
    library.observe(frame, { attributes: true });
    await press(await meetBanner(), accept);
    await waitUntil(() => releases.length === 5, 'it is released five times');
    library.disconnect();
    for (const [index, shortest] of [45, 90, 180, 360].entries())
      expect((releases[index + 1] as number) - (releases[index] as number)).to.be.above(shortest);
    await waitUntil(() => frame.hasAttribute('src'), 'it is released at last');
  });

  it('keeps an address that the page has set itself, and follows another blocked one', async () => {
    const holder = addBoth();
    const [frame, image] = holder.querySelectorAll('iframe,img') as unknown as [HTMLIFrameElement, HTMLImageElement];
    await press(await meetBanner(), accept);
    await waitUntil(() => frame.hasAttribute('src') && image.srcset, 'both are released');
    frame.setAttribute('src', '/visitor-page/blank?page');
    image.srcset = '';
    await waitUntil(() => image.srcset, 'the other is released again');
    expect(frame.getAttribute('src')).to.equal('/visitor-page/blank?page');
    frame.setAttribute('data-svc-src', '/visitor-page/blank?next');
    await waitUntil(() => frame.getAttribute('src') === '/visitor-page/blank?next', 'it follows');
  });

  it('is blocked when it gets a purpose later', async () => {
    const frame = addBoth().querySelector('iframe') as HTMLIFrameElement;
    await press(await meetBanner(), accept);
    await waitUntil(() => frame.hasAttribute('src'), 'it is released');
    frame.setAttribute('data-svc-purpose', 'telemetry');
    await waitUntil(() => !frame.hasAttribute('src'), 'it is blocked');
  });
});
