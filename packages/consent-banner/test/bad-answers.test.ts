import { expect, fixture, html, nextFrame } from '@open-wc/testing';
import type { SvcConsentElement } from '../src/index.ts';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, json, listenToConsole, restorePage } from './network.ts';
import { isBannerShown, isPanelShown, meetBanner, visitPage } from './visitor.ts';
import { waitUntil } from './wait-until.ts';
import { whenIdle, whenSettled } from './when-idle.ts';

type Answer = (notice: Notice) => Response | Promise<Response>;

const answers: Readonly<Record<string, readonly [Answer, string]>> = {
  'a 404': [() => json({ error: {} }, { status: 404 }), 'status 404'],
  'a 403': [() => json({}, { status: 403 }), 'status 403'],
  'a 429': [() => json({}, { status: 429 }), 'status 429'],
  'a 500': [() => json({}, { status: 500 }), 'status 500'],
  'no network': [() => Promise.reject(new TypeError('Failed to fetch')), 'Failed to fetch'],
  'no JSON': [() => new Response('<html>'), 'not valid JSON'],
  nothing: [() => new Response(''), 'JSON'],
  null: [() => json(null), 'no notice from'],
  'no data': [() => json({}), 'no notice from'],
  'another notice': [(notice) => json({ data: { ...notice, id: 'b' } }), 'no notice from'],
  'no version': [(notice) => json({ data: { ...notice, version: undefined } }), 'no notice from'],
  'a name that is no text': [(notice) => json({ data: { ...notice, name: {} } }), 'no notice from'],
  'no purposes': [(notice) => json({ data: { ...notice, purposes: [] } }), 'no notice from'],
  'purposes that are an object': [(notice) => json({ data: { ...notice, purposes: {} } }), 'no notice from'],
  'a purpose that is null': [(notice) => json({ data: { ...notice, purposes: [null] } }), 'no notice from'],
  'a purpose without a label': [
    ({ purposes: [purpose], ...notice }) => json({ data: { ...notice, purposes: [{ ...purpose, label: undefined }] } }),
    'no notice from',
  ],
  'required that is text': [
    ({ purposes: [purpose], ...notice }) => json({ data: { ...notice, purposes: [{ ...purpose, required: 'no' }] } }),
    'no notice from',
  ],
  'a key twice': [
    ({ purposes: [purpose], ...notice }) => json({ data: { ...notice, purposes: [purpose, purpose] } }),
    'no notice from',
  ],
};

describe('when the notice cannot be loaded', () => {
  afterEach(restorePage);

  for (const [name, [answer, message]] of Object.entries(answers)) {
    it(`(${name}) nothing shows, nothing is granted, and one error is logged`, async () => {
      const errors = listenToConsole();
      const id = crypto.randomUUID();
      const visit = await visitPage({ id }, (network) => {
        network.answerNotice = () => answer(createNotice(id));
      });
      await waitUntil(() => errors.length, 'an error is logged');
      expect(errors[0]).to.contain('<svc-consent>: ').and.to.contain(message);
      expect(isBannerShown(visit)).to.equal(false);
      expect(window.SvcConsent.get()).to.equal(null);
      window.SvcConsent.open();
      await waitUntil(() => visit.network.notices.length === 2, 'open() asks again');
      await nextFrame();
      expect(isPanelShown(visit)).to.equal(false);
      expect(errors).to.have.length(1);
    });
  }

  it('(slow) the page works, and the banner shows when the response arrives', async () => {
    let answer = (_: Response): void => {};
    const id = crypto.randomUUID();
    const visit = await visitPage({ id }, (network) => {
      network.answerNotice = () => new Promise((resolve) => (answer = resolve));
    });
    await waitUntil(() => visit.network.notices.length, 'the notice is asked for');
    expect(visit.network.notices[0]?.init.signal).to.be.instanceOf(AbortSignal);
    expect(isBannerShown(visit)).to.equal(false);
    answer(json({ data: createNotice(id) }));
    await waitUntil(() => isBannerShown(visit), 'the banner shows');
  });

  it('(slow, and the element was removed) nothing happens', async () => {
    let answer = (_: Response): void => {};
    const id = crypto.randomUUID();
    const visit = await visitPage({ id }, (network) => {
      network.answerNotice = () => new Promise((resolve) => (answer = resolve));
    });
    await waitUntil(() => visit.network.notices.length, 'the notice is asked for');
    visit.element.remove();
    answer(json({ data: createNotice(id) }));
    await whenSettled();
    expect(visit.element.shadowRoot?.querySelector('.banner') ?? null).to.equal(null);
  });

  it('logs once that notice-id is missing, and starts when it is set', async () => {
    const errors = listenToConsole();
    const first = await fixture<SvcConsentElement>(html`<svc-consent></svc-consent>`);
    await fixture(html`<svc-consent></svc-consent>`);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.contain('notice-id');
    const { id } = createNotice(crypto.randomUUID());
    const { network, element } = await visitPage({ id });
    element.remove();
    first.setAttribute('notice-id', id);
    document.body.append(first);
    await waitUntil(() => isBannerShown({ element: first }), 'the banner shows');
    expect(network.notices.length).to.be.at.least(1);
    first.remove();
  });

  it('logs an invalid api-base', async () => {
    const errors = listenToConsole();
    await fixture(html`<svc-consent notice-id="x" api-base="https://"></svc-consent>`);
    await waitUntil(() => errors.length, 'an error is logged');
    expect(errors[0]).to.contain('api-base');
  });
});

describe('on a host outside of the domain of the notice', () => {
  afterEach(restorePage);

  it('logs one error at load that names both, and none on a host of the domain', async () => {
    const errors = listenToConsole();
    const visit = await visitPage({ domain: 'shop.example' });
    await waitUntil(() => errors.length, 'an error is logged');
    const problem = 'the notice is for shop.example: decisions on localhost are not recorded. Change its domain.';
    expect(errors).to.deep.equal([`<svc-consent>: ${problem}`]);
    expect(visit.network.records).to.be.empty;
    await meetBanner({ domain: 'localhost' });
    await whenIdle();
    expect(errors).to.have.length(1);
  });
});
