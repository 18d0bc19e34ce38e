import { expect } from '@open-wc/testing';
import { openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

const tag = '<script type="module" src="/packages/consent-banner/src/add-ons/inspector/script.ts"></script>';

function findPanel(frame: VisitorFrame): HTMLElement | null | undefined {
  return frame.contentDocument?.querySelector('svc-consent-inspector')?.shadowRoot?.querySelector('.panel');
}

function createObserver({ contentWindow }: VisitorFrame): ReportingObserver {
  const { ReportingObserver: Observer } = contentWindow as Window & typeof globalThis;
  const observer = new Observer(() => {}, { types: ['csp-violation'], buffered: true });
  observer.observe();
  return observer;
}

describe('the inspector on a page with a strict policy and Trusted Types', () => {
  let frame: VisitorFrame;
  afterEach(() => frame.remove());

  it('is shown with all of its styles, and violates nothing', async () => {
    frame = await openFrame({ noticeId: crypto.randomUUID(), above: tag, hash: '#svc-inspect' });
    const observer = createObserver(frame);
    await waitUntil(() => findPanel(frame)?.querySelector('[role=status]')?.textContent, 'the panel has a status');
    const panel = findPanel(frame) as HTMLElement;
    expect(panel.matches(':popover-open')).to.equal(true);
    expect(frame.contentWindow.getComputedStyle(panel).position).to.equal('fixed');
    expect(observer.takeRecords()).to.be.empty;
  });

  it('does nothing for a visitor', async () => {
    frame = await openFrame({ noticeId: crypto.randomUUID(), above: tag });
    await waitUntil(() => frame.contentWindow.SvcConsent, 'the scripts have run');
    expect(findPanel(frame) === undefined).to.equal(true);
    const { cookie } = Object.getOwnPropertyDescriptors(
      (frame.contentWindow as Window & typeof globalThis).Document.prototype,
    );
    expect(String(cookie?.set)).to.contain('[native code]');
  });

  it('does not cover the banner, and shows the visitor’s decision', async () => {
    frame = await openFrame({ noticeId: crypto.randomUUID(), above: tag });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    frame.contentWindow.location.hash = '#svc-inspect';
    await waitUntil(() => findPanel(frame)?.textContent?.includes('no decision yet'), 'the panel shows');
    const { x, y, width, height } = (query(frame, '[data-choice=reject]') as HTMLElement).getBoundingClientRect();
    const findThere = () => frame.contentDocument?.elementFromPoint(x + width / 2, y + height / 2)?.localName;
    await waitUntil(() => findThere() === 'svc-consent', 'a press would reach its button');
    query(frame, '[data-choice=reject]')?.click();
    await waitUntil(() => findPanel(frame)?.textContent?.includes('Decided after'), 'the panel shows it');
  });

  it('reports what the page does, and does not report the banner', async () => {
    const foreign = `http://tracker.localhost:${location.port}`;
    const above = `${tag}<img src="${foreign}/a.gif" alt="">`;
    frame = await openFrame({ noticeId: crypto.randomUUID(), above, policy: 'untrusted', hash: '#svc-inspect' });
    await waitUntil(() => findPanel(frame)?.textContent?.includes(foreign), 'the image is listed');
    const names = [...(findPanel(frame)?.querySelectorAll('th small') ?? [])].map(({ textContent }) => textContent);
    expect(names).to.include('image');
    expect(findPanel(frame)?.textContent).to.not.contain('svc-consent-ui.js');
  });
});
