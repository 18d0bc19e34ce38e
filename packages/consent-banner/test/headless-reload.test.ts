import { expect } from '@open-wc/testing';
import { readSeen } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

const module = new URL('../src/headless.ts', import.meta.url).href;

// In a separate page, because it reloads.
describe('a withdrawal without an interface', () => {
  let frame: HTMLIFrameElement;
  let loads = 0;

  async function openPage(more: string): Promise<string> {
    const noticeId = crypto.randomUUID();
    frame = document.createElement('iframe');
    frame.src = '/visitor-page/blank';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    loads = 0;
    frame.addEventListener('load', () => loads++);
    const script = document.createElement('script');
    script.type = 'module';
    script.text = `
      import { createConsent } from '${module}';
      const consent = createConsent({ noticeId: '${noticeId}', apiBase: location.origin, ${more} });
      await consent.acceptAll();
      await consent.withdraw();
      document.body.dataset.done = '';
    `;
    frame.contentDocument?.body.append(frame.contentDocument.importNode(script, true));
    return noticeId;
  }

  afterEach(() => {
    frame.remove();
    localStorage.clear();
  });

  it('reloads the page if enabled, and loses no record', async () => {
    const noticeId = await openPage('reloadOnWithdrawal: true');
    await waitUntil(() => loads === 1, 'the page is reloaded');
    // A record may arrive twice when the page is left: the server deduplicates it.
    const listMoments = async () => new Set((await readSeen(noticeId)).records.map(({ capturedAt }) => capturedAt));
    await waitUntil(async () => (await listMoments()).size === 2, 'both records arrive');
  });

  it('does not reload the page otherwise', async () => {
    const noticeId = await openPage('');
    await waitUntil(async () => (await readSeen(noticeId)).records.length === 2, 'both records arrive');
    expect(frame.contentDocument?.body.dataset.done).to.equal('');
    expect(loads).to.equal(0);
  });
});
