import { expect } from '@open-wc/testing';
import { createNotice, replaceNetwork, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const page = '/docs-site/pages/widgets/headless.md';

/** The interface of the documentation, as it stands there, for a notice of this server. */
async function runExample(noticeId: string): Promise<void> {
  const text = await (await fetch(page)).text();
  const [, code = ''] = /```js [^\n]*\n([\s\S]*?)```/.exec(text) ?? [];
  const ours = code
    .replace('@svc/consent-banner/headless', new URL('../src/headless.ts', import.meta.url).href)
    .replace('your-notice-id', noticeId)
    .replace('https://consent.example.com', location.origin);
  const address = URL.createObjectURL(new Blob([ours], { type: 'text/javascript' }));
  replacement = replaceNetwork(createNotice(noticeId));
  await import(address);
  URL.revokeObjectURL(address);
}
let replacement: ReturnType<typeof replaceNetwork>;

function findBox(): HTMLElement | null {
  return document.querySelector('section[aria-label="Your privacy"]');
}

describe('the interface that the documentation shows', () => {
  afterEach(restorePage);

  it('asks, takes a choice, records it, and goes', async () => {
    await runExample(crypto.randomUUID());
    await waitUntil(findBox, 'it asks');
    const box = findBox() as HTMLElement;
    await expect(box).to.be.accessible();
    const inputs = [...box.querySelectorAll('input')];
    expect(inputs.map(({ name, checked, disabled }) => [name, checked, disabled])).to.deep.equal([
      ['necessary', true, true],
      ['statistics', false, false],
      ['marketing', false, false],
    ]);
    inputs[1]?.click();
    const buttons = [...box.querySelectorAll('button')];
    expect(buttons.map(({ textContent }) => textContent)).to.deep.equal(['Reject all', 'Save choices', 'Accept all']);
    buttons[1]?.click();
    const purposes = { necessary: true, statistics: true, marketing: false };
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(purposes);
    expect(findBox() === null).to.equal(true);
    await waitUntil(() => replacement.records.length, 'the record arrives');
    expect(replacement.records[0]?.body).to.deep.include({ purposes, method: 'banner' });
  });
});
