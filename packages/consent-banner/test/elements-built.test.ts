import { expect } from '@open-wc/testing';
import { everything, markup, nothingOptional } from './elements-page.ts';
import { listNames, listRequests, openFrame, readSeen, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// The file that is shipped, by its tag, on a page of a strict policy and Trusted Types that has no other script.

const tag = '<script src="/packages/consent-banner/dist/svc-consent-elements.js"></script>';
const optional = ['statistics'];

describe('the built script of the building blocks', () => {
  const frames: VisitorFrame[] = [];

  async function visit(noticeId: string, above: string): Promise<VisitorFrame> {
    const frame = await openFrame({ noticeId, copies: 0, above });
    frames.push(frame);
    return frame;
  }

  const write = (noticeId: string): string => `<svc-consent-view notice-id="${noticeId}">${markup}</svc-consent-view>`;
  const find = (frame: VisitorFrame, selector: string): HTMLElement =>
    frame.contentDocument?.querySelector(`svc-consent-view ${selector}`) as HTMLElement;
  const isAsked = (frame: VisitorFrame): boolean => find(frame, '[data-svc=banner]').checkVisibility();
  const read = (frame: VisitorFrame) => frame.contentWindow.SvcConsent?.get()?.purposes;

  /** What was decided, of the purposes that the page's server knows. */
  const pick = (purposes: Readonly<Record<string, boolean>>) =>
    Object.fromEntries(Object.entries(purposes).filter(([key]) => key === 'necessary' || optional.includes(key)));

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  for (const [order, place] of [
    ['before', (text: string) => tag + text],
    ['behind', (text: string) => text + tag],
  ] as const) {
    it(`asks, records and remembers with its tag ${order} the view, and violates no policy`, async () => {
      const noticeId = crypto.randomUUID();
      const frame = await visit(noticeId, place(write(noticeId)));
      const { ReportingObserver: Observer } = frame.contentWindow as Window & typeof globalThis;
      const violations = new Observer(() => {}, { types: ['csp-violation'], buffered: true });
      violations.observe();
      await waitUntil(() => isAsked(frame), 'the banner shows');
      find(frame, '[data-svc=banner] [data-svc=open]').click();
      await waitUntil(() => find(frame, 'dialog').matches(':modal'), 'the preferences open');
      find(frame, 'dialog [data-svc=accept]').click();
      expect(read(frame)).to.deep.equal(pick(everything));
      await waitUntil(async () => (await readSeen(noticeId)).records.length, 'the record arrives');
      expect((await readSeen(noticeId)).records[0]).to.deep.include({ method: 'modal', noticeVersion: 4 });
      expect(violations.takeRecords()).to.be.empty;

      const later = await visit(noticeId, place(write(noticeId)));
      await waitUntil(() => read(later), 'the decision is there');
      expect(isAsked(later)).to.equal(false);
      expect(listRequests(later)).to.deep.equal(['/packages/consent-banner/dist/svc-consent-elements.js']);
      find(later, 'p [data-svc=withdraw]').click();
      expect(read(later)).to.deep.equal(pick(nothingOptional));
    });
  }

  it('is followed by another tab that is open', async () => {
    const noticeId = crypto.randomUUID();
    const [one, other] = [await visit(noticeId, tag + write(noticeId)), await visit(noticeId, tag + write(noticeId))];
    await waitUntil(() => isAsked(one) && isAsked(other), 'both ask');
    find(one, '[data-svc=banner] [data-svc=reject]').click();
    await waitUntil(() => !isAsked(other), 'the other goes');
    expect(read(other)).to.deep.equal(pick(nothingOptional));
  });

  it('leaves one name on the page, be it there twice', async () => {
    const noticeId = crypto.randomUUID();
    const frame = await visit(noticeId, tag + tag + write(noticeId));
    await waitUntil(() => isAsked(frame), 'the banner shows');
    expect(listNames(frame)).to.deep.equal(['SvcConsent']);
  });

  it('denies Google Consent Mode before anything else runs, where its tag says so', async () => {
    const noticeId = crypto.randomUUID();
    const own = tag.replace('></', ' data-consent-mode="statistics: analytics_storage"></');
    const frame = await visit(noticeId, own + write(noticeId));
    const { dataLayer } = frame.contentWindow as Window & { readonly dataLayer?: readonly ArrayLike<unknown>[] };
    const list = () => dataLayer?.map((command) => [...(command as readonly unknown[])]);
    await waitUntil(() => isAsked(frame), 'the banner shows');
    const denied = ['consent', 'default', { analytics_storage: 'denied' }];
    expect(list()).to.deep.equal([denied]);
    find(frame, '[data-svc=banner] [data-svc=accept]').click();
    expect(list()).to.deep.equal([denied, ['consent', 'update', { analytics_storage: 'granted' }]]);
  });

  it('lets no script go that the page of a nonce did not write', async () => {
    const noticeId = crypto.randomUUID();
    const hold = (attributes: string, name: string) =>
      `<script type="text/plain" data-svc-purpose="statistics" ${attributes}>document.body.dataset.${name} = ''</script>`;
    const own = tag.replace('<script', '<script nonce="right"');
    const above = own + write(noticeId) + hold('', 'foreign') + hold('nonce="right"', 'own');
    const frame = await openFrame({ noticeId, copies: 0, above, policy: 'nonce' });
    frames.push(frame);
    await waitUntil(() => isAsked(frame), 'the banner shows');
    find(frame, '[data-svc=banner] [data-svc=accept]').click();
    await waitUntil(() => frame.contentDocument?.body.dataset.own === '', 'its own runs');
    expect('foreign' in (frame.contentDocument?.body.dataset ?? {})).to.equal(false);
  });

  it('leaves a page without a script as it was', async () => {
    const frame = await visit(crypto.randomUUID(), write('any'));
    expect(isAsked(frame)).to.equal(false);
    expect(find(frame, 'dialog').checkVisibility()).to.equal(false);
  });
});
