import { expect } from '@open-wc/testing';
import {
  ask,
  closePages,
  decideInBanner,
  findInBanner,
  findInLayer,
  findPartnersButton,
  listIds,
  meetTcfBanner,
  nothingGranted,
  openLayer,
  openTcfPage,
  readGrants,
  readVendorChoices,
  type TcData,
  tcfOptions,
} from './tcf-page.ts';
import { waitUntil } from './wait-until.ts';

describe('the TCF add-on', () => {
  afterEach(closePages);

  describe('before a decision', () => {
    it('provides no TC string until the visitor sees who the partners are', async () => {
      const page = await openTcfPage({ banner: null });
      expect(page.events[0]).to.deep.include({ tcString: '', cmpStatus: 'loading', gdprApplies: true });
      expect(page.events[0]?.eventStatus).to.equal(undefined);
      expect(page.events[0]?.listenerId).to.be.a('number');
      expect(page.requests, 'nothing is requested without need').to.deep.equal([]);
    });

    it('reports that the banner is shown, with no consent and the legitimate interests that were disclosed', async () => {
      const page = await meetTcfBanner();
      const data = page.events.at(-1) as TcData;
      expect(readGrants(data)).to.deep.equal({
        ...nothingGranted,
        purposeInterests: [2, 7, 8, 9, 10],
        vendorInterests: [1, 2, 3],
        disclosed: [1, 2, 3, 4, 5],
      });
      expect((await ask<TcData>(page, 'ping')).answer).to.include({ displayStatus: 'visible', cmpStatus: 'loaded' });
    });

    it('treats Global Privacy Control as an objection', async () => {
      const prepare = (page: Window) =>
        Object.defineProperty(page.navigator, 'globalPrivacyControl', { value: true, configurable: true });
      const page = await meetTcfBanner({ prepare });
      expect(readGrants(page.events.at(-1) as TcData)).to.deep.equal({ ...nothingGranted, disclosed: [1, 2, 3, 4, 5] });
    });

    it('shows in the banner how many partners there are, and lists them', async () => {
      const page = await meetTcfBanner();
      const button = findPartnersButton(page);
      expect(button?.getRootNode().textContent).to.match(/our \u2068?5\u2069? partners/);
      button?.click();
      await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    });
  });

  describe('after a decision', () => {
    it('grants the mapped purposes, and vendors whose purposes are all granted', async () => {
      const page = await meetTcfBanner();
      await decideInBanner(page, 'accept');
      expect(readGrants(page.events.at(-1) as TcData)).to.deep.equal({
        purposes: [1, 2, 3, 4, 7, 8, 9, 10],
        purposeInterests: [2, 7, 8, 9, 10],
        vendors: [1, 2, 5],
        vendorInterests: [1, 2, 3],
        features: [1],
        disclosed: [1, 2, 3, 4, 5],
      });
    });

    it('grants neither consent nor legitimate interest to any vendor when all is rejected', async () => {
      const page = await meetTcfBanner();
      await decideInBanner(page, 'reject');
      expect(readGrants(page.events.at(-1) as TcData)).to.deep.equal({ ...nothingGranted, disclosed: [1, 2, 3, 4, 5] });
    });

    it('needs every purpose of the notice that a TCF purpose is mapped to', async () => {
      const page = await meetTcfBanner();
      (page.window as unknown as Window).SvcConsent.open();
      await waitUntil(() => findInBanner(page, 'dialog:modal input:not(:disabled)'), 'the panel opens');
      const inputs = page.document.querySelector('svc-consent')?.shadowRoot?.querySelectorAll('input') ?? [];
      inputs[1]?.click(); // Only marketing: purpose 7 needs statistics, too.
      findInBanner(page, '.save')?.click();
      await waitUntil(() => page.events.at(-1)?.eventStatus === 'useractioncomplete', 'the decision is reported');
      const grants = readGrants(page.events.at(-1) as TcData);
      expect(grants.purposes).to.deep.equal([1, 2, 3, 4]);
      expect(grants.vendors, 'Birch Metrics needs purpose 8').to.deep.equal([1, 5]);
      expect(grants.purposeInterests).to.deep.equal([2]);
      expect(grants.vendorInterests).to.deep.equal([]);
    });

    it('is reported on the next page as loaded, with the same string', async () => {
      const first = await meetTcfBanner();
      await decideInBanner(first, 'accept');
      const next = await openTcfPage({ noticeId: first.noticeId });
      await waitUntil(() => next.events.at(-1)?.eventStatus === 'tcloaded', 'the string is loaded');
      expect(next.events.at(-1)?.tcString).to.equal(first.events.at(-1)?.tcString);
      const statuses = next.events.map(({ eventStatus }) => eventStatus);
      expect(statuses.filter(Boolean), 'nothing else before it').to.deep.equal(['tcloaded']);
      expect((await ask<TcData>(next, 'ping')).answer).to.include({ displayStatus: 'disabled' });
      expect(next.requests.filter((path) => path === '/vendor-list.json')).to.have.length(1);
    });

    it('reports a withdrawal, and keeps refusals and objections for the next consent', async () => {
      const page = await meetTcfBanner();
      await decideInBanner(page, 'accept');
      const id = `svc-consent:${page.noticeId}:vendors`;
      localStorage.setItem(
        id,
        JSON.stringify({
          ...readVendorChoices(page),
          allowed: [2],
          refused: [1],
          objected: [3],
          savedAt: new Date(0).toISOString(),
        }),
      );
      (page.window as unknown as Window).SvcConsent.open();
      await waitUntil(() => findInBanner(page, 'footer [data-choice=reject]'), 'the panel opens');
      findInBanner(page, 'footer [data-choice=reject]')?.click();
      await waitUntil(() => {
        const { purposes, disclosed } = readGrants(page.events.at(-1) as TcData);
        // An event before the disclosure has no consents either.
        return purposes.length === 0 && disclosed.length > 0;
      }, 'the withdrawal is reported');
      expect(readGrants(page.events.at(-1) as TcData)).to.deep.equal({ ...nothingGranted, disclosed: [1, 2, 3, 4, 5] });
      expect(readVendorChoices(page)).to.deep.include({ allowed: [], refused: [1], objected: [3] });
      (page.window as unknown as Window).SvcConsent.open();
      await waitUntil(() => findInBanner(page, 'dialog:modal footer [data-choice=accept]'), 'the panel opens again');
      findInBanner(page, 'footer [data-choice=accept]')?.click();
      await waitUntil(() => listIds(page.events.at(-1)?.purpose.consents).length, 'the next consent is reported');
      const { vendors, vendorInterests } = readGrants(page.events.at(-1) as TcData);
      expect([vendors, vendorInterests]).to.deep.equal([
        [2, 5],
        [1, 2],
      ]);
    });

    it('grants nothing by a purpose that could not be refused, and logs it', async () => {
      const page = await meetTcfBanner({ options: { purposes: 'necessary: 1 2 3 4; statistics: 7 8' } });
      await decideInBanner(page, 'accept');
      const { purposes, vendors } = readGrants(page.events.at(-1) as TcData);
      expect(purposes).to.deep.equal([7, 8]);
      expect(vendors).to.deep.equal([]);
      expect(page.errors.join()).to.contain(
        '"necessary", which the notice does not ask for or which cannot be refused',
      );
    });

    it('notifies those who received the string that it is invalid when the page asks about another notice', async () => {
      const first = await meetTcfBanner();
      await decideInBanner(first, 'accept');
      const page = await openTcfPage({ noticeId: first.noticeId });
      await waitUntil(() => page.events.at(-1)?.eventStatus === 'tcloaded', 'the string is loaded');
      const before = page.events.length;
      page.document.querySelector('svc-consent')?.setAttribute('notice-id', crypto.randomUUID());
      await waitUntil(() => page.events.length > before, 'listeners are notified');
      const data = page.events[before] as TcData;
      expect(data).to.deep.include({ tcString: '', eventStatus: undefined });
      expect(readGrants(data)).to.deep.equal(nothingGranted);
    });

    it('follows a decision in another tab', async () => {
      const one = await meetTcfBanner();
      const other = await meetTcfBanner({ noticeId: one.noticeId });
      await decideInBanner(one, 'accept');
      await waitUntil(() => listIds(other.events.at(-1)?.vendor.consents).length === 3, 'the other tab is notified');
    });
  });

  it('reports that the GDPR does not apply if configured, and nothing else', async () => {
    const page = await openTcfPage({ options: { gdprApplies: false } });
    expect(page.events).to.deep.equal([
      { gdprApplies: false, tcfPolicyVersion: undefined, cmpId: 31, cmpVersion: 2, listenerId: 1 },
    ]);
    expect(page.document.querySelector('[slot=more]')).to.equal(null);
    expect((await ask<TcData>(page, 'ping')).answer).to.include({ gdprApplies: false, displayStatus: 'disabled' });
  });

  it('counts only partners in the vendor list in the banner', async () => {
    const page = await meetTcfBanner({ options: { vendors: [1, 2, 6, 77] } });
    await waitUntil(
      () => /our \u2068?2\u2069? partners/.test(findPartnersButton(page)?.getRootNode().textContent ?? ''),
      'the number is that of the list',
    );
  });

  it('logs that it needs the element if the page has a custom interface, and provides and stores nothing', async () => {
    const above = '<button data-svc-vendors>Partners</button>';
    const page = await openTcfPage({ banner: null, isHeadless: true, above });
    expect((await page.window.consent.acceptAll())?.purposes.marketing).to.equal(true);
    await ask(page, 'getVendorList');
    await openLayer(page);
    findInLayer(page, '[data-choice=accept]')?.click();
    await waitUntil(() => !findInLayer(page, 'dialog'), 'the layer closes');
    for (const event of page.events) {
      expect(event).to.deep.include({ tcString: '', eventStatus: undefined });
      expect(readGrants(event)).to.deep.equal(nothingGranted);
    }
    expect(Object.keys(localStorage).filter((key) => key.startsWith('svc-consent::'))).to.deep.equal([]);
    expect(page.errors.filter((text) => text.includes('there is no <svc-consent>'))).to.have.length(1);
  });

  it('does nothing when the page changes elsewhere, whether the banner is visible or not', async () => {
    const page = await meetTcfBanner();
    const inner = page.window as unknown as Pick<typeof globalThis, 'Storage' | 'requestAnimationFrame'>;
    const { getItem } = inner.Storage.prototype;
    const reads: string[] = [];
    inner.Storage.prototype.getItem = function (key) {
      reads.push(key);
      return getItem.call(this, key);
    };
    const changePage = async (): Promise<readonly string[]> => {
      reads.length = 0;
      for (let round = 0; round < 5; round++) {
        page.document.querySelector('main')?.append(page.document.createElement('p'));
        await new Promise((resolve) => inner.requestAnimationFrame(resolve));
      }
      return reads.filter((key) => key.endsWith(':vendors'));
    };
    expect(await changePage()).to.deep.equal([]);
    await decideInBanner(page, 'accept');
    await waitUntil(() => !findPartnersButton(page), 'the line goes');
    expect(await changePage()).to.deep.equal([]);
  });

  it('restores its line where a framework has removed it, and adds it to a new element', async () => {
    const page = await meetTcfBanner();
    page.document.querySelector('[slot=more]')?.remove();
    await waitUntil(() => findPartnersButton(page), 'the line is back');
    const element = page.document.querySelector('svc-consent');
    element?.remove();
    const other = page.document.createElement('svc-consent');
    other.setAttribute('notice-id', page.noticeId);
    page.document.body.append(other);
    await waitUntil(() => findPartnersButton(page), 'the other element has it');
    expect(page.document.querySelectorAll('[slot=more]')).to.have.length(1);
  });

  it('works although elements have the names of what it uses', async () => {
    const names = ['createElement', 'documentElement', 'getElementsByTagName', 'addEventListener', 'head', 'body'];
    const images = names.map((name) => `<img alt="" name="${name}">`).join('');
    const page = await openTcfPage({ above: `${images}<button data-svc-vendors>Partners</button>` });
    await openLayer(page);
    expect(findInLayer(page, '#name-1')?.textContent).to.equal('Acorn Ads');
    expect(page.document.querySelectorAll('iframe[name=__tcfapiLocator]')).to.have.length(1);
    expect(page.events.at(-1)?.eventStatus).to.equal('cmpuishown');
  });

  it('starts once, however often it is started', async () => {
    const page = await meetTcfBanner();
    const { __tcfapi: before } = page.window;
    const script = page.document.createElement('script');
    const options = JSON.stringify(tcfOptions);
    Object.assign(script, {
      type: 'module',
      textContent: `import { startTcf } from '/packages/consent-banner/src/add-ons/tcf/index.ts'; startTcf(${options}); window.isDone = true;`,
    });
    page.document.querySelector('main')?.append(script);
    await waitUntil(() => (page.window as unknown as { isDone?: boolean }).isDone, 'it is started again');
    expect(page.window.__tcfapi).to.equal(before);
    expect(page.document.querySelectorAll('[slot=more]')).to.have.length(1);
  });
});
