import { expect } from '@open-wc/testing';
import { listNames, listViolations, openFrame, query, readSeen, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// The file that is shipped, in a whole page of its own: strict policy, integrity hash, real requests.

describe('the built script', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(noticeId: string, copies = 1, above = ''): Promise<VisitorFrame> {
    const frame = await openFrame({ noticeId, copies, above });
    frames.push(frame);
    return frame;
  }

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  it('asks, stores, records, and does not ask a returning visitor', async () => {
    const noticeId = crypto.randomUUID();
    const first = await visit(noticeId);
    await waitUntil(() => query(first, '.banner:popover-open'), 'the banner shows');
    query(first, '[data-choice=reject]')?.click();
    await waitUntil(() => !query(first, '.banner'), 'the banner goes');
    const purposes = { necessary: true, statistics: false };
    expect(first.contentWindow.SvcConsent.get()).to.deep.equal({ decided: true, purposes });
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    const { records } = await readSeen(noticeId);
    expect(records[0]).to.deep.include({ purposes, method: 'banner', noticeVersion: 4 });

    const later = await visit(noticeId);
    expect(later.contentWindow.SvcConsent.get()?.purposes).to.deep.equal(purposes);
    expect(query(later, '.banner')).to.not.be.ok;
    later.contentWindow.SvcConsent.open();
    await waitUntil(() => query(later, 'dialog:modal input'), 'the panel opens');
    expect(await readSeen(noticeId)).to.deep.include({ noticeReads: 2 });
  });

  it('works under a strict policy with Trusted Types, without violations', async () => {
    const frame = await visit(crypto.randomUUID());
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => query(frame, 'dialog:modal input'), 'the panel opens');
    const banner = query(frame, '.banner') as HTMLElement;
    expect(frame.contentWindow.getComputedStyle(banner).borderTopLeftRadius).to.equal('16px');
    expect(frame.contentDocument?.querySelectorAll('style')).to.have.length(0);
    expect(await listViolations(frame)).to.deep.equal([]);
  });

  it('defines one global, and a symbol for the add-ons', async () => {
    const frame = await visit(crypto.randomUUID());
    expect(listNames(frame)).to.deep.equal(['SvcConsent', 'Symbol(svc-consent)']);
  });

  it('has no effect when loaded a second time', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit(noticeId, 2);
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    query(frame, '[data-choice=accept]')?.click();
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    expect(await readSeen(noticeId)).to.deep.include({ noticeReads: 1 });
    expect((await readSeen(noticeId)).records).to.have.length(1);
  });

  it('uses its own origin even if an image is named `currentScript`', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit(noticeId, 1, '<img name="currentScript" src="http://evil.example/x.png" alt="">');
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(await readSeen(noticeId)).to.deep.include({ noticeReads: 1 });
  });

  it('has further files that do nothing when a page loads them by their own tags', async () => {
    const tag = (name: string): string =>
      `<script nonce="right" src="/visitor-page/copy/svc-consent-${name}.js"></script>`;
    const listen =
      '<script nonce="right">addEventListener("error", () => (document.body.dataset.failed = ""))</script>';
    const frame = await openFrame({
      noticeId: crypto.randomUUID(),
      policy: 'nonce',
      above: listen + ['panel', 'content', 'details', 'elements', 'placeholders'].map(tag).join(''),
    });
    frames.push(frame);
    expect(frame.contentDocument?.body.dataset.failed).to.equal(undefined);
  });

  it('cannot be overwritten by a script of the page', async () => {
    const { contentWindow } = await visit(crypto.randomUUID());
    expect(Reflect.set(contentWindow, 'SvcConsent', {})).to.equal(false);
  });

  it('does not shift the page', async () => {
    const frame = await visit(crypto.randomUUID());
    const heading = frame.contentDocument?.querySelector('h1') as HTMLElement;
    const before = heading.getBoundingClientRect().top;
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(heading.getBoundingClientRect().top).to.equal(before);
  });
});
