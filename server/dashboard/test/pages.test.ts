import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { type LitElement, render } from 'lit';
import '../src/shell.ts';
import { waitUntil } from '../../../packages/trust-badge/test/wait-until.ts';
import { operationScopes } from '../src/api-types.ts';
import { pages } from '../src/pages.ts';
import { loadPageWords, pageWords, useLanguage, words } from '../src/preferences.ts';
import { session } from '../src/session.ts';
import { type ApiState, answerApi, requestId } from './api-answers.ts';

const browserFetch = window.fetch;
const main = document.createElement('main');
let state: ApiState = 'as recorded';
let waiting = 0;

before(async () => {
  await setViewport({ width: 320, height: 640 });
  const styles = document.createElement('link');
  Object.assign(styles, { rel: 'stylesheet', href: '/server/dashboard/src/styles.css' });
  const loaded = new Promise((resolve) => styles.addEventListener('load', resolve));
  document.head.append(styles);
  document.body.append(main);
  window.fetch = async (input, init) => {
    waiting += 1;
    try {
      return await answerApi(state, input, init);
    } finally {
      waiting -= 1;
    }
  };
  await Promise.all([loaded, useLanguage('en'), loadPageWords(), session.load()]);
  // Every page and every action.
  session.me = session.me && { ...session.me, scopes: [...new Set(Object.values(operationScopes))] };
});

afterEach(() => render(null, main));

after(async () => {
  window.fetch = browserFetch;
  main.remove();
  await setViewport({ width: 800, height: 600 });
});

// A form that leads to the page of a subject requests nothing.
for (const { path, load } of pages.filter(({ path }) => path !== 'subjects')) {
  describe(`page /app/${path}`, () => {
    const show = async (given: ApiState): Promise<void> => {
      state = given;
      const { render: view } = await load();
      render(
        view({ id: '01a1fe75-1116-7327-9fbc-afc916e187d1', recordId: '01a1fe75-1116-7327-9fbc-afc916e187d1' }),
        main,
      );
    };
    /** Shows the page until it has what it requested. */
    const settle = async (given: ApiState): Promise<void> => {
      await show(given);
      // Lists are drawn, and request what they show, after the page around them.
      await waitUntil(async () => {
        await Promise.all([...main.querySelectorAll<LitElement>('*')].map((element) => element.updateComplete));
        await new Promise((resolve) => setTimeout(resolve));
        return waiting === 0 && !main.innerText.includes(words.loading);
      }, 'everything is loaded');
    };

    it('says that it loads', async () => {
      await show('waiting');
      await waitUntil(() => main.innerText.includes(words.loading), 'it says so');
      waiting = 0;
    });

    it('shows an empty tenant', async () => {
      await settle('empty');
      expect(main.querySelector('[role=alert]')?.textContent).to.equal(undefined);
      expect(main.querySelector('h1')?.innerText).not.to.equal('');
      expect(main.innerText).not.to.match(/undefined|NaN|Invalid Date|\[object/);
      expect(main.querySelector('svc-list:not(:has(.empty, tbody))')).to.equal(null);
      for (const empty of main.querySelectorAll('.empty')) {
        expect(empty.querySelector('p')?.textContent).not.to.equal('');
        const action = empty.querySelector('a[href^="/app/"]') ?? main.querySelector('button:not(svc-list *)');
        expect(action, 'one action').not.to.equal(null);
        const docs = empty.querySelector<HTMLAnchorElement>('a[href^="/docs/"]');
        expect(docs, 'a link to the documentation').not.to.equal(null);
        const page = docs?.pathname.replace(/^\/docs(.*)\/$/, '/docs-site/pages$1.md');
        expect((await browserFetch(`${page}`)).status, page).to.equal(200);
      }
    });

    it('shows an error of the server with its request id, and tries again', async () => {
      await settle('broken');
      expect(main.querySelector('[role=alert]')?.textContent).to.include(requestId);
      state = 'as recorded';
      for (const button of main.querySelectorAll('button')) if (button.innerText === words.retry) button.click();
      await waitUntil(() => main.querySelector('[role=alert]') === null, 'the error is gone');
    });

    it('says that the role does not allow it', async () => {
      await settle('forbidden');
      expect(main.innerText).to.match(new RegExp(`${pageWords.forbiddenHint}|${pageWords.forbiddenAction}`));
    });

    for (const texts of ['long text', 'right-to-left text'] as const)
      it(`fits ${texts} into 320 px`, async () => {
        await settle(texts);
        expect(main.querySelector('[role=alert]')?.textContent).to.equal(undefined);
        expect(document.documentElement.scrollWidth).to.be.at.most(320);
      });
  });
}
