import { aTimeout, expect } from '@open-wc/testing';
import {
  listRequests,
  openFrame,
  query,
  readSeen,
  type VisitorFrame,
  type VisitorFrameOptions,
} from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';
import { whenIdle } from './when-idle.ts';

// The built files, in separate whole pages.

const built = '/packages/consent-banner/dist/';

function remember(noticeId: string): void {
  const decision = {
    decision: 'accepted',
    purposes: { necessary: true, statistics: true },
    noticeVersion: 4,
    decidedAt: new Date().toISOString(),
    subjectId: 'a-visitor',
  };
  localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify(decision));
  localStorage.setItem(`svc-consent:${noticeId}:checked`, String(Date.now()));
}

describe('the stages', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(options: VisitorFrameOptions): Promise<VisitorFrame> {
    const frame = await openFrame(options);
    frames.push(frame);
    return frame;
  }

  /** What is logged in a frame from now on; the frame is reloaded for it. */
  async function visitListening(
    options: VisitorFrameOptions,
  ): Promise<{ frame: VisitorFrame; errors: readonly string[] }> {
    const errors: string[] = [];
    const frame = await visit(options);
    frame.contentWindow.addEventListener('unload', () => {});
    Object.assign(frame.contentWindow, {
      console: { ...console, error: (text: unknown) => errors.push(String(text)) },
    });
    return { frame, errors };
  }

  beforeEach(() => localStorage.clear()); // Queued records of another test would be sent here.
  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  it('load one file for a returning visitor, and nothing else', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const frame = await visit({ noticeId });
    expect(frame.contentWindow.SvcConsent.get()?.purposes.statistics).to.equal(true);
    await whenIdle(frame.contentWindow);
    await aTimeout(300);
    expect(listRequests(frame)).to.deep.equal([`${built}svc-consent.js`]);
    expect(await readSeen(noticeId)).to.deep.equal({ records: [], noticeReads: 0 });
  });

  it('load no more for a returning visitor with trigger="none"', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const frame = await visit({ noticeId });
    await whenIdle(frame.contentWindow);
    frame.contentDocument?.querySelector('svc-consent')?.setAttribute('trigger', 'none');
    await aTimeout(300);
    expect(listRequests(frame)).to.deep.equal([`${built}svc-consent.js`]);
  });

  it('load two files for an undecided visitor, the notice concurrently, and no words for English', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit({ noticeId });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(listRequests(frame)).to.have.members([
      `${built}svc-consent.js`,
      `${built}svc-consent-ui.js`,
      `/v1/public/consent/${noticeId}`,
    ]);
    const timing = frame.contentWindow.performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [ui, notice] = ['-ui.js', noticeId].map((end) => timing.find(({ name }) => name.endsWith(end)));
    expect(notice?.startTime).to.be.below(ui?.responseEnd ?? 0);
  });

  it('load the preferences as a third file, at the first sign that they are wanted, and once', async () => {
    const frame = await visit({ noticeId: crypto.randomUUID() });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    const loaded = (): number => listRequests(frame).filter((path) => path === `${built}svc-consent-panel.js`).length;
    expect(loaded()).to.equal(0);
    query(frame, '[part=preferences]')?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    await waitUntil(() => loaded(), 'it comes before the click');
    query(frame, '[part=preferences]')?.click();
    await waitUntil(() => query(frame, 'dialog:modal input'), 'the panel opens');
    frame.contentWindow.SvcConsent.open();
    expect(loaded()).to.equal(1);
  });

  it('load the third file with the second if frames are blocked', async () => {
    const noticeId = crypto.randomUUID();
    const above =
      '<iframe title="A map" width="300" height="200" data-svc-purpose="statistics" data-src="/x"></iframe>';
    const frame = await visit({ noticeId, above });
    await waitUntil(() => frame.contentDocument?.querySelector('svc-consent-placeholder'), 'the frame is covered');
    expect(query(frame, '.banner:popover-open')).to.be.ok;
  });

  it('work without the third file in the first layer, which is logged', async () => {
    const noticeId = crypto.randomUUID();
    const { frame, errors } = await visitListening({ noticeId, folder: '/visitor-page/unpaneled' });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    query(frame, '[part=preferences]')?.click();
    await waitUntil(() => errors.length, 'an error is logged');
    expect(errors.at(-1)).to.match(/<svc-consent>: no preferences to show .*svc-consent-panel\.js/);
    query(frame, '[data-choice=reject]')?.click();
    expect(frame.contentWindow.SvcConsent.get()?.purposes.statistics).to.equal(false);
  });

  it('do not ask without the third file if the decision could not be shared as configured', async () => {
    const noticeId = crypto.randomUUID();
    const above = `<svc-consent notice-id="${noticeId}" cookie-domain="localhost"></svc-consent>`;
    const frame = await visit({ noticeId, above, folder: '/visitor-page/unpaneled' });
    await waitUntil(() => listRequests(frame).some((path) => path.endsWith('-panel.js')), 'it is asked for');
    await aTimeout(200);
    expect(query(frame, '.banner')).to.not.be.ok;
    const whole = await visit({ noticeId, above });
    await waitUntil(() => query(whole, '.banner:popover-open'), 'with it the banner shows');
    expect(listRequests(whole)).to.include(`${built}svc-consent-panel.js`);
  });

  it('load the words of another language from beside the script', async () => {
    const noticeId = `de-${crypto.randomUUID()}`;
    const frame = await visit({ noticeId, language: 'de-AT' });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(query(frame, '.banner')?.lang).to.equal('de');
    expect(listRequests(frame)).to.include(`${built}words/de.json`);
  });

  for (const [name, folder] of [
    ['words whose "accept" and "reject" were exchanged are', '/visitor-page/reworded'],
    ['a changed list of hashes is', '/visitor-page/relisted'],
  ] as const) {
    it(`show the banner in English if the words ${name}`, async () => {
      const frame = await visit({ noticeId: `de-${crypto.randomUUID()}`, folder });
      await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
      expect(query(frame, '.banner')?.lang).to.equal('en');
      expect(query(frame, '[data-choice=reject]')?.textContent).to.equal('Reject all');
      expect(listRequests(frame)).to.include(`${folder}/words/integrity.json`);
    });
  }

  it('send a record that an earlier page could not send, without a banner', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const record = { subjectId: 'a-visitor', purposes: { necessary: true, statistics: true }, method: 'banner' };
    const capturedAt = '2026-11-20T10:00:00.000Z';
    localStorage.setItem(
      `svc-consent:${noticeId}:record:${capturedAt}:1`,
      JSON.stringify({ ...record, capturedAt, noticeVersion: 4 }),
    );
    const frame = await visit({ noticeId });
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    expect((await readSeen(noticeId)).records[0]).to.deep.equal({ ...record, capturedAt, noticeVersion: 4 });
    expect(query(frame, '.banner')).to.not.be.ok;
  });

  for (const [name, options] of [
    ['is missing', { folder: '/visitor-page/missing' }],
    ['was changed', { folder: '/visitor-page/changed' }],
    ['is not allowed by Trusted Types', { policy: 'untrusted' }],
  ] as const) {
    it(`show and grant nothing when the second file ${name}; open() retries and logs it`, async () => {
      const noticeId = crypto.randomUUID();
      const { frame, errors } = await visitListening({ noticeId, ...options });
      await aTimeout(200);
      const before = errors.length;
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => errors.length > before, 'an error is logged');
      expect(errors.at(-1)).to.match(/<svc-consent>: nothing to show .*(svc-consent-ui\.js|TrustedScriptURL)/);
      expect(query(frame, '.banner')).to.not.be.ok;
      expect(frame.contentWindow.SvcConsent.get()).to.equal(null);
      expect(frame.contentDocument?.querySelector('h1'), 'the page goes on').to.be.ok;
    });
  }

  it('let blocked scripts of the page run under Trusted Types', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const above = '<script type="text/plain" data-svc-purpose="statistics" src="/visitor-page/held.js"></script>';
    const frame = await visit({ noticeId, above });
    await waitUntil(() => frame.contentDocument?.body.dataset.held, 'it runs');
    await aTimeout(250);
    expect(frame.contentDocument?.body.dataset.held, 'and once').to.equal('held ');
  });

  it('pass the nonce on to the second file, and run no script without it', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const held = (nonce: string): string =>
      `<script type="text/plain" data-svc-purpose="statistics" nonce="${nonce}">document.body.dataset.held ??= '${nonce}'</script>`;
    const frame = await visit({ noticeId, policy: 'nonce', above: held('wrong') + held('right') });
    await waitUntil(() => frame.contentDocument?.body.dataset.held, 'one runs');
    expect(frame.contentDocument?.body.dataset.held).to.equal('right');
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => query(frame, 'dialog:modal input'), 'the panel opens');
  });

  it('work in a sandboxed frame, which has neither storage nor an origin', async () => {
    const messages: { isShown: boolean; decision: unknown }[] = [];
    const listen = ({ data }: MessageEvent): unknown => 'isShown' in Object(data) && messages.push(data);
    window.addEventListener('message', listen);
    const above = '<script src="/visitor-page/report.js" nonce="right" defer></script>';
    await visit({
      noticeId: crypto.randomUUID(),
      folder: '/visitor-page/copy',
      policy: 'nonce',
      sandbox: 'allow-scripts',
      above,
      hash: '#accept',
    });
    await waitUntil(() => messages.at(-1)?.decision, 'the visitor decides');
    window.removeEventListener('message', listen);
    expect(messages.some(({ isShown }) => isShown)).to.equal(true);
    expect(messages.at(-1)).to.deep.equal({
      isShown: false,
      decision: { decided: true, purposes: { necessary: true, statistics: true } },
    });
  });
});
