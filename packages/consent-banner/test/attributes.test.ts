import { expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { restoreMedia } from './media.ts';
import { createNotice, json, listenToConsole, restorePage } from './network.ts';
import {
  find,
  isBannerShown,
  isPanelShown,
  leavePage,
  meetBanner,
  openPanel,
  press,
  returnToPage,
  type Visit,
  visitPage,
} from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenIdle, whenSettled } from './when-idle.ts';

async function meetWith(attributes: Readonly<Record<string, string>>, language = 'en'): Promise<Visit> {
  const visit = await meetBanner({ language }, undefined, attributes);
  return visit;
}

describe('the attributes', () => {
  beforeEach(leavePage);
  afterEach(async () => {
    restorePage();
    await restoreMedia();
    await setViewport({ width: 800, height: 600 });
  });

  it('language: asks for the notice in that language, and follows changes', async () => {
    const visit = await visitPage({ language: 'fr' }, undefined, { language: 'de' });
    visit.network.answerNotice = () => {
      const asked = new URL(visit.network.notices.at(-1)?.url ?? '').searchParams.get('language');
      return json({ data: createNotice(visit.noticeId, { language: asked ?? 'fr' }) });
    };
    visit.element.setAttribute('language', 'it');
    await waitUntil(() => isBannerShown(visit) && find(visit, '.banner').lang === 'it', 'the banner shows');
    visit.element.setAttribute('language', 'ar');
    await waitUntil(() => find(visit, '.banner').lang === 'ar', 'the texts change');
    expect(find(visit, '.banner').dir).to.equal('rtl');
    visit.element.removeAttribute('language');
    await waitUntil(() => find(visit, '.banner').lang === 'fr', 'the notice’s language is back');
  });

  for (const place of ['bottom-left', 'bottom-right'] as const) {
    it(`trigger: after a decision a button at ${place} opens the preferences again`, async () => {
      const visit = await meetWith({ trigger: place });
      expect(visit.element.shadowRoot?.querySelector('.trigger')).to.equal(null);
      await press(visit, '.banner [data-choice=accept]');
      await waitUntil(() => visit.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
      const button = find(visit, '.trigger');
      const { left, right, width, height, bottom } = button.getBoundingClientRect();
      expect(Math.min(width, height)).to.be.at.least(44);
      expect(place === 'bottom-left' ? left : document.documentElement.clientWidth - right).to.be.within(0, 40);
      expect(innerHeight - bottom).to.be.within(0, 40);
      expect(button.getAttribute('aria-label')).to.equal('Privacy choices');
      await expect(visit.element).to.be.accessible();
      button.click();
      await waitUntil(() => isPanelShown(visit), 'the panel opens');
    });
  }

  it('trigger: is shown to a returning visitor without a request', async () => {
    const first = await meetWith({ trigger: 'bottom-left' });
    await press(first, '.banner [data-choice=accept]');
    await waitUntil(() => first.network.records.length, 'the record goes out');
    await returnToPage(first);
    await leavePage();
    const later = await visitPage({ id: first.noticeId }, undefined, { trigger: 'bottom-left' });
    await waitUntil(() => later.element.shadowRoot?.querySelector('.trigger'), 'the button shows');
    expect(later.network.notices).to.be.empty;
  });

  it('trigger: none shows no button', async () => {
    const visit = await meetWith({ trigger: 'none' });
    await press(visit, '.banner [data-choice=accept]');
    await whenSettled();
    expect(visit.element.shadowRoot?.querySelector('.trigger')).to.equal(null);
  });

  describe('region', () => {
    const purposes = createNotice('x').purposes.map((purpose) =>
      purpose.required ? purpose : { ...purpose, basisByRegion: { US: 'object' as const } },
    );
    const visitIn = (attributes: Readonly<Record<string, string>>, id: string = crypto.randomUUID()) =>
      visitPage({ id, purposes }, undefined, attributes);
    const readView = () => Reflect.get(window, Symbol.for('svc-consent')).view;
    const years = 1.5 * 365 * 86_400_000;

    /** A visitor who accepted in California long ago. */
    function storeOldDecision(): string {
      const noticeId = crypto.randomUUID();
      const decidedAt = new Date(Date.now() - years).toISOString();
      const granted = { necessary: true, statistics: true, marketing: true };
      const decision = { decision: 'accepted', purposes: granted, noticeVersion: 7, subjectId: 'a-visitor' };
      localStorage.setItem(`svc-consent:${noticeId}`, JSON.stringify({ ...decision, decidedAt, region: 'US-CA' }));
      return noticeId;
    }

    it('that is invalid is unknown, whatever an earlier decision says', async () => {
      const visit = await visitIn({ region: 'Narnia' }, storeOldDecision());
      await waitUntil(() => isBannerShown(visit), 'the visitor is asked');
      expect(readView()).to.include({ region: null });
      expect(readView().allowed).to.not.include({ statistics: true });
    });

    it('of a decision that is too old says nothing about today', async () => {
      listenToConsole();
      const noticeId = storeOldDecision();
      const decidedAt = JSON.parse(localStorage.getItem(`svc-consent:${noticeId}`) ?? '').decidedAt;
      const notice = createNotice(noticeId, { purposes });
      const record = {
        capturedAt: decidedAt,
        purposes: {},
        subjectId: 'a-visitor',
        method: 'banner',
        noticeVersion: 7,
      };
      localStorage.setItem(`svc-consent:${noticeId}:receipt`, JSON.stringify({ notice, record, address: '' }));
      await visitPage({ id: noticeId, purposes }, (network) => {
        network.answerNotice = () => Promise.reject(new TypeError('Failed to fetch'));
      });
      await waitUntil(() => readView().isRecalled, 'the notice of the decision is shown instead');
      expect(readView().allowed).to.not.include({ statistics: true });
    });

    it('is unknown once the attribute is taken away', async () => {
      const visit = await visitIn({ region: 'US-CA' });
      await waitUntil(() => readView().allowed.statistics, 'it is on by its basis');
      visit.element.removeAttribute('region');
      expect(readView()).to.include({ region: null });
      await waitUntil(() => isBannerShown(visit), 'the visitor is asked');
      expect(readView().allowed).to.not.include({ statistics: true });
    });

    it('decides again about a consent that is too old: the panel shows what is on', async () => {
      const visit = await visitIn({ region: 'US-CA' }, storeOldDecision());
      await waitUntil(() => readView().allowed.statistics, 'it is on by its basis');
      await openPanel(visit);
      const inputs = [...(visit.element.shadowRoot?.querySelectorAll('input') ?? [])];
      expect(inputs.map(({ checked }) => checked)).to.deep.equal([true, true, true]);
    });

    it('with a duty to offer an opt-out has one button for it, with or without a trigger', async () => {
      const visit = await visitIn({ region: 'US-CA', trigger: 'bottom-left' });
      await waitUntil(() => visit.element.shadowRoot?.querySelector('.opt-out'), 'the button shows');
      const buttons = [...(visit.element.shadowRoot?.querySelectorAll('.trigger') ?? [])];
      expect(buttons.filter((button) => button.checkVisibility()).map(({ className }) => className)).to.deep.equal([
        'layer trigger opt-out',
      ]);
    });

    it('without anything to choose has no button that the page does not ask for', async () => {
      const exempt = purposes.map((purpose) => ({ ...purpose, basisByRegion: { SG: 'exempt' as const } }));
      const visit = await visitPage({ purposes: exempt }, undefined, { region: 'SG' });
      await customElements.whenDefined('svc-cookie-list'); // In the same part as the button.
      await openPanel(visit);
      await press(visit, 'dialog .close');
      expect(visit.element.shadowRoot?.querySelectorAll('.opt-out').length).to.equal(0);
    });

    it('lets cookies stay that are allowed there without a decision', async () => {
      // The page of a visitor who allowed everything before: now nothing is known yet.
      await press(await meetWith({}), '.banner [data-choice=accept]');
      // biome-ignore lint/suspicious/noDocumentCookie: as pages and their scripts do.
      document.cookie = '_ga=1; Path=/';
      let answer = (_: Response): void => {};
      const attributes = { region: 'US-CA', 'clear-cookies': 'statistics: _ga' };
      const { noticeId } = await visitPage(
        { purposes },
        (network) => {
          network.answerNotice = () => new Promise((resolve) => (answer = resolve));
        },
        attributes,
      );
      await whenIdle();
      answer(json({ data: createNotice(noticeId, { purposes }) }));
      await waitUntil(() => readView().allowed.statistics, 'it is on by its basis');
      expect(document.cookie).to.include('_ga=1');
      // biome-ignore lint/suspicious/noDocumentCookie: as pages and their scripts do.
      document.cookie = '_ga=; Max-Age=0; Path=/';
    });
  });

  it('with invalid values are ignored', async () => {
    const attributes = {
      scheme: 'blue',
      layout: 'tower',
      position: 'left',
      region: 'Narnia',
      trigger: 'top',
      'max-age': '-1',
      'refusal-max-age': '0',
      'cookie-domain': 'https://example.com/',
      'clear-cookies': 'statistics',
      'reload-on-withdrawal': 'no',
      'consent-mode': ': ad_storage',
    };
    const { cookie } = document;
    const [visit, usual] = [await meetWith(attributes), await meetWith({})];
    expect(isBannerShown(usual)).to.equal(true);
    expect(visit.element.isConnected).to.equal(false);
    expect(document.cookie).to.equal(cookie);
  });
});
