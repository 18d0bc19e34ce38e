import { expect } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import { accept, addBlocked, clearTags, listBoxes, page } from './blocked-tags.ts';
import { meetBanner, openPanel, press } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

const film = `<iframe title="A film" width="300" height="200" data-svc-purpose="marketing" data-svc-src="/visitor-page/blank"></iframe>`;

function attach(mode: ShadowRootMode, markup = film): ShadowRoot {
  const root = addBlocked('').attachShadow({ mode });
  root.append(document.createRange().createContextualFragment(markup));
  return root;
}

const find = (root: ShadowRoot): HTMLIFrameElement => root.querySelector('iframe') as HTMLIFrameElement;

describe('SvcConsent.observe()', () => {
  clearTags();

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
    await whenReleased();
    expect(find(root).hasAttribute('src'), 'not observed').to.equal(false);
    const stop = window.SvcConsent.observe(root);
    await waitUntil(() => find(root).hasAttribute('src'), 'it is released');
    stop();
    root.append(document.createRange().createContextualFragment(film));
    await whenReleased();
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
    await whenReleased();
    expect(find(root).hasAttribute('src')).to.equal(false);
    document.body.append(root.host);
    await waitUntil(() => find(root).hasAttribute('src') && page.ran.length, 'it is released');
    stop();
  });

  it('does not keep a root whose element is removed', async () => {
    const observe = (): WeakRef<ShadowRoot> => {
      const root = attach('open');
      window.SvcConsent.observe(root);
      return new WeakRef(root);
    };
    const reference = observe();
    await meetBanner();
    await waitUntil(() => listBoxes().length === 1, 'it is observed');
    document.querySelector('.held')?.remove();
    await waitUntil(() => !listBoxes().length, 'the box goes');
    await waitUntil(async () => {
      await executeServerCommand('collect-garbage');
      return !reference.deref();
    }, 'it is collected');
  });
});
