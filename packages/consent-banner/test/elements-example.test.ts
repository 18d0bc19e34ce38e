import { expect } from '@open-wc/testing';
import { emulateMedia, setViewport } from '@web/test-runner-commands';
import type { Notice } from '../src/notice.ts';
import { everything, find, isAsked, leaveView, type ViewVisit, visitView } from './elements-page.ts';
import { restoreMedia } from './media.ts';
import { listenToConsole, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const page = '/docs-site/pages/widgets/building-blocks.md';

/** An example of the documentation, unchanged, on a first visit. */
async function runExample(index: number, notice: Partial<Notice> = {}): Promise<ViewVisit> {
  const text = await (await fetch(page)).text();
  const code = [...text.matchAll(/```html [^\n]*\n([\s\S]*?)```/g)][index]?.[1] ?? '';
  const { head, body } = new DOMParser().parseFromString(code, 'text/html');
  const css = head.querySelector('style')?.textContent ?? '';
  const view = body.querySelector('svc-consent-view');
  const attributes = { class: view?.className ?? '' };
  const visit = visitView({ notice, html: view?.innerHTML ?? '', attributes, only: css });
  await waitUntil(() => isAsked(visit), 'it asks');
  return visit;
}

describe('each whole page in the documentation of the building blocks', () => {
  afterEach(async () => {
    await setViewport({ width: 800, height: 600 });
    await restoreMedia();
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  for (const index of [0, 1]) {
    it(`passes axe in light and dark, and has no fairness problem: ${index}`, async () => {
      const complaints = listenToConsole();
      const visit = await runExample(index);
      for (const colorScheme of ['dark', 'light'] as const) {
        await emulateMedia({ colorScheme });
        await expect(visit.view).to.be.accessible();
      }
      if (index === 0) {
        find(visit, '[data-svc=open]').click();
        for (const colorScheme of ['dark', 'light'] as const) {
          await emulateMedia({ colorScheme });
          await expect(visit.view).to.be.accessible();
        }
      }
      await new Promise((done) => setTimeout(done, 1_300));
      expect(complaints).to.deep.equal([]);
    });

    it(`contains words of any length: ${index}`, async () => {
      await setViewport({ width: 375, height: 667 });
      const words = {
        label: 'Reichweitenmessungsverfahrensbeschreibung',
        description: `https://example.com/${'a'.repeat(90)}`,
      };
      const visit = await runExample(index, { purposes: [{ key: 'statistics', required: false, ...words }] });
      if (index === 0) find(visit, '[data-svc=open]').click();
      const layer = find(visit, index === 0 ? 'dialog' : '[data-svc=banner]');
      expect(layer.textContent).to.contain(words.description);
      expect(layer.scrollWidth).to.equal(layer.clientWidth);
    });

    it(`has no button that submits a form: ${index}`, async () => {
      const text = await (await fetch(page)).text();
      const code = [...text.matchAll(/```html [^\n]*\n([\s\S]*?)```/g)][index]?.[1] ?? '';
      expect(code.match(/<button(?! type="button")/g)).to.equal(null);
      expect(code).to.contain('<button type="button"');
    });

    for (const size of [
      { width: 800, height: 600 },
      { width: 320, height: 256 },
    ]) {
      it(`grants in a window of ${size.width} × ${size.height} px: ${index}`, async () => {
        const complaints = listenToConsole();
        await setViewport(size);
        const visit = await runExample(index);
        const accept = find(visit, '[data-svc=banner] [data-svc=accept]');
        accept.scrollIntoView();
        accept.click();
        expect(complaints).to.deep.equal([]);
        expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
        find(visit, ':scope > :not([data-svc=banner], dialog) [data-svc=open], :scope > [data-svc=open]').click();
        await waitUntil(() => visit.view.querySelector('dialog:modal, :popover-open'), 'it opens again');
        const input = [...visit.view.querySelectorAll('input')][2];
        expect(input?.checked).to.equal(true);
        input?.click();
        find(visit, '[data-svc=save]').click();
        expect(window.SvcConsent.get()?.purposes).to.deep.equal({ ...everything, marketing: false });
      });
    }
  }
});
