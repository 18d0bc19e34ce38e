import { expect, nextFrame } from '@open-wc/testing';
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

/** A further request of the script would come from a tag, as long as it is not answered. */
function expectOneFile(frame: VisitorFrame): void {
  expect(frame.contentDocument?.scripts).to.have.length(1);
  expect(listRequests(frame)).to.deep.equal([`${built}svc-consent.js`]);
}

function listKeys(): readonly string[] {
  return Object.keys(localStorage);
}

describe('the two scripts', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(options: VisitorFrameOptions): Promise<VisitorFrame> {
    const frame = await openFrame(options);
    frames.push(frame);
    return frame;
  }

  /** Loads a frame and collects the errors that it logs after that. */
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
    expectOneFile(frame);
    expect(await readSeen(noticeId)).to.deep.equal({ records: [], noticeReads: 0 });
  });

  it('load no more for a returning visitor with trigger="none"', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const frame = await visit({ noticeId });
    await whenIdle(frame.contentWindow);
    frame.contentDocument?.querySelector('svc-consent')?.setAttribute('trigger', 'none');
    await nextFrame();
    await whenIdle(frame.contentWindow);
    expectOneFile(frame);
  });

  it('show the first layer with the first of them, and load the second after it', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit({ noticeId });
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(listRequests(frame).slice(0, 2)).to.have.members([
      `${built}svc-consent.js`,
      `/v1/public/consent/${noticeId}`,
    ]);
    await waitUntil(() => listRequests(frame).includes(`${built}svc-consent-panel.js`), 'the second is loaded');
    query(frame, '[part=preferences]')?.click();
    await waitUntil(() => query(frame, 'dialog:modal input'), 'the panel opens');
    expect(listRequests(frame)).to.have.length(3);
  });

  it('fetch nothing before the first layer when the notice is in the element', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit({ noticeId, isInline: true });
    expect(query(frame, '.banner:popover-open'), 'it is there when the page is parsed').to.be.ok;
    await waitUntil(() => listRequests(frame).includes(`${built}svc-consent-panel.js`), 'the second is loaded');
    expect(await readSeen(noticeId)).to.deep.include({ noticeReads: 0 });
    query(frame, '[data-choice=accept]')?.click();
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    const [record] = (await readSeen(noticeId)).records;
    expect(record?.shownHash).to.match(/^[0-9a-f]{64}$/);
  });

  for (const [name, above, part, isMounted] of [
    [
      'its placeholders if frames are blocked',
      '<iframe title="A map" width="300" height="200" data-svc-purpose="statistics" data-svc-src="/x"></iframe>',
      'placeholders',
      (frame) => frame.contentDocument?.querySelector('svc-consent-placeholder')?.shadowRoot?.querySelector('button'),
    ],
    [
      'the elements that are on the page',
      '<svc-privacy-choices></svc-privacy-choices><svc-cookie-list></svc-cookie-list>',
      'elements',
      (frame) => frame.contentDocument?.querySelector('svc-privacy-choices')?.shadowRoot?.querySelector('button'),
    ],
    ['the button of visitors who can object', '', 'elements', (frame) => query(frame, '.opt-out:popover-open')],
  ] as readonly (readonly [string, string, string, (frame: VisitorFrame) => unknown])[]) {
    it(`load ${name}, and no other part`, async () => {
      const isObjection = above === '';
      const noticeId = isObjection ? `object-${crypto.randomUUID()}` : crypto.randomUUID();
      const frame = await visit({ noticeId, above, attributes: isObjection ? 'region="US-CA"' : '' });
      await waitUntil(() => isMounted(frame), 'it is there');
      const parts = listRequests(frame).filter((path) => path.startsWith(built));
      const wanted = ['', '-panel', `-${part}`, ...(part === 'placeholders' ? ['-content'] : [])];
      expect(parts).to.have.members(wanted.map((one) => `${built}svc-consent${one}.js`));
    });
  }

  it('load a part for an element that is added later', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit({ noticeId });
    await waitUntil(() => listRequests(frame).includes(`${built}svc-consent-panel.js`), 'the second is loaded');
    frame.contentDocument?.body.append(frame.contentDocument.createElement('svc-privacy-choices'));
    await waitUntil(
      () => frame.contentDocument?.querySelector('svc-privacy-choices')?.shadowRoot?.querySelector('button'),
      'it is defined',
    );
  });

  it('retry a missing panel when the visitor asks, and not at every change of the page', async () => {
    const above = '<svc-privacy-choices></svc-privacy-choices>';
    const frame = await visit({ noticeId: crypto.randomUUID(), folder: '/visitor-page/missing', above });
    const count = () => listRequests(frame).filter((path) => path.endsWith('svc-consent-panel.js')).length;
    await waitUntil(() => query(frame, '.banner:popover-open') && count(), 'it is requested');
    for (let change = 0; change < 20; change += 1) {
      frame.contentDocument?.body.append('A change. ');
      await new Promise((resolve) => frame.contentWindow.requestAnimationFrame(resolve));
    }
    const requested = count();
    expect(requested, 'for the element, with the notice, and after the first paint').to.be.at.most(3);
    query(frame, '[part=preferences]')?.click();
    await waitUntil(() => count() > requested, 'it is requested again');
  });

  it('retry a missing part when the page changes, with backoff', async () => {
    const above = '<svc-privacy-choices></svc-privacy-choices>';
    const frame = await visit({ noticeId: crypto.randomUUID(), folder: '/visitor-page/partless', above });
    const listTimes = () =>
      frame.contentWindow.performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('svc-consent-elements.js'))
        .map(({ startTime }) => startTime);
    await waitUntil(() => {
      frame.contentDocument?.body.append('A change. ');
      return listTimes().length > 2;
    }, 'it is requested again');
    const [first = 0, second = 0, third = 0] = listTimes();
    expect(second - first).to.be.at.least(1_000);
    expect(third - second).to.be.at.least(2_000);
  });

  it('load the receipt when the visitor opens it, and offer to try again when it is missing', async () => {
    const noticeId = crypto.randomUUID();
    const first = await visit({ noticeId });
    await waitUntil(() => query(first, '.banner:popover-open'), 'the banner shows');
    query(first, '[data-choice=accept]')?.click();
    first.contentWindow.SvcConsent.open();
    await waitUntil(() => query(first, '[part=receipt] summary'), 'the panel shows that there is one');
    expect(listRequests(first).join()).to.not.include('details');
    query(first, '[part=receipt] summary')?.click();
    await waitUntil(() => query(first, '[part=receipt] [part=download]'), 'it can be saved');

    const { frame, errors } = await visitListening({ noticeId, folder: '/visitor-page/partless' });
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => query(frame, '[part=receipt] summary'), 'the panel shows that there is one');
    query(frame, '[part=receipt] summary')?.click();
    await waitUntil(() => query(frame, '[part=receipt] [role=alert]'), 'a message shows');
    expect(errors.at(-1)).to.match(/svc-consent-details\.js cannot be loaded/);
    const requests = listRequests(frame).length;
    query(frame, '[part=receipt] button')?.click();
    await waitUntil(() => listRequests(frame).length > requests, 'it is requested again');
  });

  it('draw the trigger of a returning visitor with the first, and request nothing', async () => {
    const noticeId = crypto.randomUUID();
    const first = await visit({ noticeId });
    await waitUntil(() => query(first, '.banner:popover-open'), 'the banner shows');
    query(first, '[data-choice=reject]')?.click();
    await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
    await waitUntil(() => !listKeys().some((key) => key.includes(':record:')), 'the queue is empty');
    const later = await visit({ noticeId, attributes: 'trigger="bottom-left"' });
    await waitUntil(() => query(later, '.trigger:popover-open'), 'the button shows');
    expect(query(later, '.trigger')?.ariaLabel).to.equal('Privacy choices');
    expect(listRequests(later)).to.deep.equal([`${built}svc-consent.js`]);
  });

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
    expect((await readSeen(noticeId)).records[0]).to.deep.equal({
      ...record,
      capturedAt,
      noticeVersion: 4,
      shownHash: 'unverified',
    });
    expect(query(frame, '.banner')).to.not.be.ok;
  });

  for (const [name, options] of [
    ['is missing', { folder: '/visitor-page/missing' }],
    ['was changed', { folder: '/visitor-page/changed' }],
    ['is not allowed by Trusted Types', { policy: 'untrusted' }],
  ] as const) {
    it(`ask in the first layer, and offer to try again, when the second ${name}`, async () => {
      const noticeId = crypto.randomUUID();
      const { frame, errors } = await visitListening({ noticeId, ...options });
      await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
      const readFocused = () =>
        frame.contentDocument?.querySelector('svc-consent')?.shadowRoot?.activeElement?.textContent;
      query(frame, '[part=preferences]')?.focus();
      query(frame, '[part=preferences]')?.click();
      await waitUntil(() => query(frame, '[role=alert]'), 'a message shows');
      expect(query(frame, '[role=alert]')?.textContent).to.equal('This could not be loaded.');
      expect(readFocused()).to.equal('Try again');
      query(frame, '[part=preferences]')?.click();
      expect(readFocused()).to.equal('Preferences');
      await waitUntil(() => query(frame, '[role=alert]'), 'the message shows again');
      expect(readFocused()).to.equal('Try again');
      expect(errors.at(-1)).to.match(/<svc-consent>: .*(svc-consent-panel\.js|TrustedScriptURL).* cannot be loaded/);
      query(frame, '[data-choice=reject]')?.click();
      expect(frame.contentWindow.SvcConsent.get()?.purposes.statistics).to.equal(false);
      expect(query(frame, '.banner')).to.not.be.ok;
      expect(
        listKeys().some((key) => key.startsWith(`svc-consent:${noticeId}:record:`)),
        'it stays queued',
      ).to.equal(true);
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => query(frame, '.banner [part=close]'), 'a message shows without the first layer');
      query(frame, '[part=close]')?.click();
      expect(query(frame, '.banner')).to.not.be.ok;
    });
  }

  it('let blocked scripts of the page run under Trusted Types', async () => {
    const noticeId = crypto.randomUUID();
    remember(noticeId);
    const hold = (name: string): string =>
      `<script type="text/plain" data-svc-purpose="statistics" src="/visitor-page/${name}.js"></script>`;
    const frame = await visit({ noticeId, above: hold('held'), below: hold('empty') });
    await waitUntil(() => listRequests(frame).includes('/visitor-page/empty.js'), 'the next one runs');
    expect(frame.contentDocument?.body.dataset.held, 'and once').to.equal('held ');
  });

  it('pass the nonce on to the second, and run no script without it', async () => {
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
