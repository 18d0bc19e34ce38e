import { expect, nextFrame } from '@open-wc/testing';
import { type Consent, createConsent } from '../src/headless.ts';
import { restorePage } from './network.ts';
import { find, isBannerShown, meetBanner, press, returnToPage, type Visit } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

const nothingOptional = { necessary: true, statistics: false, marketing: false };
const everything = { necessary: true, statistics: true, marketing: true };

describe('a custom interface beside the banner', () => {
  let consent: Consent | undefined;

  function join({ noticeId }: Visit): Consent {
    consent = createConsent({ noticeId, apiBase: location.origin });
    return consent;
  }

  async function addFrame(own: Consent) {
    await waitUntil(() => !own.get()?.purposes.marketing, 'nothing is allowed');
    const frame = document.createElement('iframe');
    Object.assign(frame.dataset, { svcPurpose: 'marketing', svcSrc: '/visitor-page/blank' });
    document.body.append(frame);
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'it is covered');
    let settings = 0;
    const observer = new MutationObserver((seen) => {
      settings += seen.length;
    });
    observer.observe(frame, { attributeFilter: ['src'] });
    return { frame, settings: () => settings };
  }

  afterEach(() => {
    consent?.destroy();
    restorePage();
  });

  it('is notified of a decision of the banner, which is recorded once', async () => {
    const visit = await meetBanner();
    const own = join(visit);
    await waitUntil(() => own.isAsking(), 'the page was looked at');
    find(visit, '.banner [data-choice=accept]').click();
    expect(own.get()).to.deep.equal({ decided: true, purposes: everything });
    await waitUntil(() => visit.network.records.length, 'the record arrives');
    expect(visit.network.records).to.have.length(1);
  });

  it('notifies the banner of a decision, which is recorded once', async () => {
    const visit = await meetBanner();
    await join(visit).rejectAll();
    await waitUntil(() => !isBannerShown(visit), 'the banner goes');
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
    await waitUntil(() => visit.network.records.length, 'the record arrives');
    expect(visit.network.records).to.have.length(1);
  });

  it('withdraws a stored consent that the banner found without showing', async () => {
    const first = await meetBanner();
    await press(first, '.banner [data-choice=accept]');
    await waitUntil(() => first.network.records.length, 'the record arrives');
    const visit = await returnToPage(first);
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(everything);
    const cleared: unknown[] = [];
    const listen = ({ key }: StorageEvent): unknown => cleared.push(key);
    addEventListener('storage', listen);
    await join(visit).withdraw();
    removeEventListener('storage', listen);
    expect(cleared, 'cleared storage is not reported').to.be.empty;
    expect(window.SvcConsent.get()?.purposes).to.deep.equal(nothingOptional);
  });

  it('loads a frame once, when both look at the page in the same frame', async () => {
    const own = join(await meetBanner());
    const { frame, settings } = await addFrame(own);
    await own.acceptAll();
    await nextFrame(); // Both have released it after this frame.
    await whenReleased();
    expect(frame.getAttribute('src')).to.equal('/visitor-page/blank');
    expect(settings()).to.equal(1);
    frame.remove();
  });

  it('loads a frame once on a hidden page, whichever of the two looks at it first', async () => {
    const looks: (() => void)[] = [];
    const own = join(await meetBanner());
    for (const order of [(all: typeof looks) => all, (all: typeof looks) => all.toReversed()]) {
      const { frame, settings } = await addFrame(own);
      const { requestAnimationFrame, setTimeout } = window;
      window.requestAnimationFrame = () => 0; // A hidden page has no frames, only timers.
      window.setTimeout = ((run: () => void, wait = 0) =>
        wait === 200 ? looks.push(run) : setTimeout(run, wait)) as typeof setTimeout;
      await own.acceptAll();
      Object.assign(window, { requestAnimationFrame, setTimeout });
      expect(looks).to.have.length(2);
      for (const look of order(looks.splice(0))) {
        look();
        await waitUntil(() => frame.hasAttribute('src'), 'it is released');
      }
      expect(settings()).to.equal(1);
      frame.remove();
      await own.rejectAll();
    }
  });

  it('leaves SvcConsent to the banner', async () => {
    const { open } = window.SvcConsent;
    join(await meetBanner());
    expect(window.SvcConsent.open).to.equal(open);
  });
});
