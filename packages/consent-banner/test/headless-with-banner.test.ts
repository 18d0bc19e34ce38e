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

  it('loads a frame once', async () => {
    const own = join(await meetBanner());
    await waitUntil(() => own.isAsking(), 'the page was looked at');
    const frame = document.createElement('iframe');
    frame.dataset.svcPurpose = 'marketing';
    frame.dataset.svcSrc = '/visitor-page/blank';
    document.body.append(frame);
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'it is covered');
    let settings = 0;
    new MutationObserver((seen) => {
      settings += seen.length;
    }).observe(frame, { attributeFilter: ['src'] });
    await own.acceptAll();
    await nextFrame(); // Both have released it after this frame.
    await whenReleased();
    expect(frame.getAttribute('src')).to.equal('/visitor-page/blank');
    expect(settings).to.equal(1);
    frame.remove();
  });

  it('leaves SvcConsent to the banner', async () => {
    const { open } = window.SvcConsent;
    join(await meetBanner());
    expect(window.SvcConsent.open).to.equal(open);
  });
});
