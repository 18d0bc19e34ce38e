import { aTimeout, expect } from '@open-wc/testing';
import { setViewport } from '@web/test-runner-commands';
import { restoreMedia } from './media.ts';
import { createNotice, json, restorePage } from './network.ts';
import { find, isBannerShown, isPanelShown, leavePage, press, returnToPage, type Visit, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

async function meetWith(attributes: Readonly<Record<string, string>>, language = 'en'): Promise<Visit> {
  const visit = await visitPage({ language }, undefined, attributes);
  await waitUntil(() => isBannerShown(visit), 'the banner shows');
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
    await aTimeout(50);
    expect(visit.element.shadowRoot?.querySelector('.trigger')).to.equal(null);
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
