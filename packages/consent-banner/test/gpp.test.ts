import { GppModel } from '@iabgpp/cmpapi';
import { expect } from '@open-wc/testing';
import {
  ask,
  changeTo,
  closePages,
  decide,
  find,
  type Gpp,
  type GppEvent,
  type GppPage,
  isShown,
  listEvents,
  openGppPage,
  type Ping,
  ping,
  plain,
  readCore,
} from './gpp-page.ts';
import { waitUntil } from './wait-until.ts';

const optedOut = { SaleOptOut: 1, SharingOptOut: 1, TargetedAdvertisingOptOut: 1 };
const optedIn = { SaleOptOut: 2, SharingOptOut: 2, TargetedAdvertisingOptOut: 2 };

const isReady = (page: GppPage) => waitUntil(() => ping(page).signalStatus === 'ready', 'the signal is ready');
const isLoaded = (page: GppPage) => waitUntil(() => ping(page).cmpStatus === 'loaded', 'the platform is loaded');

const sendSignal = ({ navigator }: Window) => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });

/** Adds the stub of IAB, which a page of the vendors has before the add-on: it queues calls and listeners. */
function addStub(page: GppPage['window'], calls: readonly (readonly unknown[])[] = []): void {
  const stub = Object.assign(
    (...args: readonly unknown[]): unknown => {
      if (args.length === 0) return stub.queue;
      const [command, callback] = args as [string, (data: unknown, isSuccess: boolean) => void];
      if (command === 'ping') callback({ cmpStatus: 'stub' }, true);
      else if (command === 'addEventListener') {
        stub.events.push({ id: ++stub.lastId, callback });
        callback({ eventName: 'listenerRegistered', listenerId: stub.lastId, data: true }, true);
      } else stub.queue.push(args);
      return undefined;
    },
    { queue: [...calls], events: [] as { id: number; callback: unknown }[], lastId: 0 },
  );
  page.__gpp = stub;
}

describe('the GPP add-on', () => {
  afterEach(closePages);

  describe('before a decision', () => {
    it('answers at once: loading, not ready, opted out of everything', async () => {
      const page = await openGppPage({ banner: 'none' });
      const answer = ping(page);
      expect(answer).to.deep.include({
        gppVersion: '1.1',
        cmpStatus: 'loading',
        cmpDisplayStatus: 'hidden',
        signalStatus: 'not ready',
        supportedAPIs: ['7:usnat'],
        cmpId: 0,
        sectionList: [7],
        applicableSections: [7],
      });
      expect(readCore(page)).to.include(optedOut);
      expect(new GppModel(answer.gppString).getFieldValue('usnat', 'SaleOptOut')).to.equal(1);
      expect(answer.parsedSections.usnat).to.deep.equal(ask(page, 'getSection', 'usnat')[0]);
    });

    it('is loaded and shown with the banner, and not ready until the visitor decides', async () => {
      const page = await openGppPage();
      await isShown(page);
      expect(ping(page)).to.include({ cmpStatus: 'loaded', signalStatus: 'not ready' });
      expect(listEvents(page)).to.deep.equal([
        ['listenerRegistered', true],
        ['cmpStatus', 'loaded'],
        ['cmpDisplayStatus', 'visible'],
      ]);
    });

    it('is ready, opted out, if the site does not want vendors to wait', async () => {
      const page = await openGppPage({ options: { ...plain, undecided: 'opted-out' } });
      await isReady(page);
      expect(readCore(page)).to.include(optedOut);
    });

    it('is ready, opted out, if the browser sends Global Privacy Control, and includes it', async () => {
      const page = await openGppPage({
        prepare: sendSignal,
      });
      await isReady(page);
      expect(readCore(page)).to.include(optedOut);
      expect(ask(page, 'getField', 'usnat.Gpc')).to.deep.equal([true, true]);
    });
  });

  describe('with a decision', () => {
    it('reports the visitor’s choice, in the order of the specification', async () => {
      const page = await openGppPage();
      await isLoaded(page);
      await decide(page, 'accept');
      await isReady(page);
      expect(readCore(page)).to.include(optedIn);
      expect(listEvents(page).slice(3)).to.deep.equal([
        ['cmpDisplayStatus', 'hidden'],
        ['sectionChange', 'usnat'],
        ['signalStatus', 'ready'],
      ]);
      expect(new GppModel(ping(page).gppString).getFieldValue('usnat', 'SaleOptOut')).to.equal(2);
    });

    it('reports reopened preferences and a withdrawal: not ready, the changes, ready', async () => {
      const page = await openGppPage();
      await decide(page, 'accept');
      await isReady(page);
      const before = listEvents(page).length;
      await changeTo(page, 'reject');
      await isReady(page);
      expect(listEvents(page).slice(before)).to.deep.equal([
        ['signalStatus', 'not ready'],
        ['cmpDisplayStatus', 'visible'],
        ['cmpDisplayStatus', 'hidden'],
        ['sectionChange', 'usnat'],
        ['signalStatus', 'ready'],
      ]);
      const { pingData } = page.window.__gppEvents[before + 3] as GppEvent;
      expect(pingData.signalStatus, 'while it changes').to.equal('not ready');
      expect(readCore(page)).to.include(optedOut);
    });

    it('is ready again when the preferences are closed without changes', async () => {
      const page = await openGppPage();
      await decide(page, 'accept');
      await isReady(page);
      const before = listEvents(page).length;
      page.window.SvcConsent.open();
      await isShown(page);
      expect(ping(page).signalStatus).to.equal('not ready');
      find(page, '.close')?.click();
      await isReady(page);
      expect(listEvents(page).slice(before + 2)).to.deep.equal([
        ['cmpDisplayStatus', 'hidden'],
        ['signalStatus', 'ready'],
      ]);
      expect(readCore(page)).to.include(optedIn);
    });

    it('reads SvcConsent, and does not trust an event that any script can dispatch', async () => {
      const page = await openGppPage();
      await isLoaded(page);
      const detail = { decided: true, purposes: { necessary: true, statistics: true } };
      page.document.dispatchEvent(new CustomEvent('svc-consent', { detail }));
      expect(ping(page).signalStatus).to.equal('not ready');
      expect(readCore(page)).to.include(optedOut);
      await decide(page, 'reject');
      await isReady(page);
      page.document.dispatchEvent(new CustomEvent('svc-consent', { detail }));
      expect(readCore(page)).to.include(optedOut);
    });

    it('reports a refusal that changes no value as a choice', async () => {
      const page = await openGppPage();
      await isLoaded(page);
      const { gppString } = ping(page);
      await decide(page, 'reject');
      await isReady(page);
      expect(ping(page).gppString).to.equal(gppString);
      expect(listEvents(page)).to.deep.include(['sectionChange', 'usnat']);
    });

    for (const banner of ['first', 'last'] as const) {
      it(`recognizes a returning visitor, with the banner's tag ${banner}`, async () => {
        const first = await openGppPage({ banner });
        await decide(first, 'accept');
        await isReady(first);
        const page = await openGppPage({ noticeId: first.noticeId, banner });
        await isReady(page);
        expect(readCore(page)).to.include(optedIn);
        expect(ping(page).cmpDisplayStatus).to.equal('hidden');
        expect(listEvents(page)).to.not.deep.include(['cmpDisplayStatus', 'visible']);
      });
    }

    it('is opted out and not ready again when the page asks about another notice', async () => {
      const page = await openGppPage();
      await decide(page, 'accept');
      await isReady(page);
      page.document.querySelector('svc-consent')?.setAttribute('notice-id', crypto.randomUUID());
      await waitUntil(() => ping(page).signalStatus === 'not ready', 'the decision counts no more');
      expect(readCore(page)).to.include(optedOut);
    });
  });

  describe('in a region where visitors opt out', () => {
    const attributes = { region: 'US-CA' };

    it('is ready without a decision, and not opted out of what is on by its basis', async () => {
      const page = await openGppPage({ noticeId: `object-${crypto.randomUUID()}`, attributes });
      await isReady(page);
      expect(page.window.SvcConsent.get()).to.equal(null);
      expect(ping(page).cmpDisplayStatus).to.equal('hidden');
      expect(readCore(page)).to.include(optedIn);
      expect(readCore(page)).to.include({ SaleOptOutNotice: 1 });
    });

    it('is opted out by Global Privacy Control', async () => {
      const page = await openGppPage({ noticeId: `object-${crypto.randomUUID()}`, attributes, prepare: sendSignal });
      await isReady(page);
      expect(readCore(page)).to.include(optedOut);
      expect(ping(page).parsedSections.usnat?.[1]).to.include({ Gpc: true });
    });

    it('is opted out by an objection', async () => {
      const page = await openGppPage({ noticeId: `object-${crypto.randomUUID()}`, attributes });
      await isReady(page);
      page.window.SvcConsent.open();
      await waitUntil(() => find(page, 'dialog footer [data-choice=reject]'), 'the panel opens');
      find(page, 'dialog footer [data-choice=reject]')?.click();
      await isReady(page);
      expect(readCore(page)).to.include(optedOut);
    });

    it('applies the section of the state where the site provides it, of the nation elsewhere, and none abroad', async () => {
      const options = { ...plain, sections: 'usnat usca', optOuts: 'statistics: sale sharing targeted-advertising' };
      for (const [region, sections] of [
        ['US-CA', [8]],
        ['US-TX', [7]],
        ['DE', [-1]],
      ] as const) {
        const page = await openGppPage({ options, attributes: { region } });
        await isLoaded(page);
        await waitUntil(() => ping(page).applicableSections.join() === sections.join(), `sections of ${region}`);
      }
    });
  });

  describe('on a page without the banner', () => {
    it('follows the decision of a custom interface, without the purposes that cannot be refused', async () => {
      const optOuts = 'statistics: sale; necessary: sharing';
      const page = await openGppPage({ options: { ...plain, optOuts }, banner: 'headless' });
      await isLoaded(page);
      expect(ping(page)).to.include({ cmpDisplayStatus: 'hidden', signalStatus: 'not ready' });
      await page.window.consent.acceptAll();
      expect(ping(page)).to.include({ cmpDisplayStatus: 'hidden', signalStatus: 'ready' });
      expect(readCore(page)).to.include({ SaleOptOut: 2, SharingOptOut: 1 });
      await page.window.consent.rejectAll();
      expect(readCore(page)).to.include({ SaleOptOut: 1, SharingOptOut: 1 });
    });

    for (const banner of ['none', 'headless'] as const) {
      it(`is ready, opted out, if vendors should not wait, with ${banner} in its place`, async () => {
        const page = await openGppPage({ options: { ...plain, undecided: 'opted-out' }, banner });
        await isReady(page);
        expect(readCore(page)).to.include(optedOut);
      });
    }
  });

  describe('an invisible banner', () => {
    it('is not reported as shown if it is not rendered, as for a robot', async () => {
      const page = await openGppPage({
        prepare: ({ navigator }) => Object.defineProperty(navigator, 'userAgent', { value: 'Examplebot/1.0' }),
      });
      await isLoaded(page);
      expect(ping(page)).to.include({ cmpDisplayStatus: 'hidden', signalStatus: 'not ready' });
    });
  });

  describe('the settings of the site', () => {
    it('decide about sensitive data and further processing by their own purposes', async () => {
      const optOuts = 'statistics: sensitive-data additional-processing';
      const page = await openGppPage({ options: { optOuts, notApplicable: 'sale sharing targeted-advertising' } });
      await decide(page, 'reject');
      await isReady(page);
      const core = readCore(page);
      expect(core).to.include({ SharingNotice: 0, SharingOptOut: 0, SharingOptOutNotice: 0, PersonalDataConsents: 1 });
      expect(core).to.include({ SensitiveDataProcessingOptOutNotice: 1, SensitiveDataLimitUseNotice: 1 });
      expect(core.SensitiveDataProcessing).to.deep.equal(Array(16).fill(1));
    });

    it('opt out of a right that several purposes allow unless all of them are granted', async () => {
      const optOuts = 'statistics: sale; marketing: sale';
      const page = await openGppPage({ options: { ...plain, optOuts } });
      await decide(page, 'accept');
      await isReady(page);
      expect(readCore(page).SaleOptOut).to.equal(1);
      expect(page.errors.join()).to.include('was not asked about the purpose "marketing"');
    });

    for (const choice of ['accept', 'reject'] as const) {
      it(`opt out of what only a required purpose allows, also after "${choice} all"`, async () => {
        const optOuts = 'necessary: sale; statistics: sharing';
        const page = await openGppPage({ options: { ...plain, optOuts } });
        await decide(page, choice);
        await isReady(page);
        expect(readCore(page)).to.include({ SaleOptOut: 1, SharingOptOut: choice === 'accept' ? 2 : 1 });
        expect(page.errors.join()).to.include('data-opt-outs: the purpose "necessary" cannot be refused');
      });
    }

    it('follow a choice that the browser does not keep', async () => {
      const page = await openGppPage();
      await isLoaded(page);
      const { Storage } = page.window as unknown as typeof globalThis;
      const { setItem } = Storage.prototype;
      Object.assign(Storage.prototype, { setItem: () => {} });
      await decide(page, 'accept');
      await isReady(page);
      expect(readCore(page)).to.include(optedIn);
      Object.assign(Storage.prototype, { setItem });
    });

    it('opt out permanently of rights without a mapping, which are logged', async () => {
      const page = await openGppPage({ options: { optOuts: 'statistics: sale' } });
      await decide(page, 'accept');
      await isReady(page);
      expect(readCore(page)).to.include({ SaleOptOut: 2, SharingOptOut: 1, TargetedAdvertisingOptOut: 1 });
      expect(readCore(page), 'there was no notice of it').to.include({
        SaleOptOutNotice: 1,
        SharingOptOutNotice: 2,
        TargetedAdvertisingOptOutNotice: 2,
        SharingNotice: 2,
      });
      expect(page.errors.join()).to.include('nothing about sharing, targeted-advertising, sensitive-data');
    });

    it('write the sections of states, in the order of their numbers, the first named in force', async () => {
      const page = await openGppPage({ options: { ...plain, sections: 'usca usnat usva' } });
      expect(ping(page)).to.deep.include({ sectionList: [7, 8, 9], applicableSections: [8] });
      expect(ask(page, 'hasSection', 'usca')).to.deep.equal([true, true]);
      expect(new GppModel(ping(page).gppString).getFieldValue('usva', 'SaleOptOut')).to.equal(1);
      expect(ask<readonly object[]>(page, 'getSection', 'usva')[0], 'Virginia knows no such signal').to.have.length(1);
    });

    it('name the sections in force, or none', async () => {
      const options = { ...plain, sections: 'usnat usca', applicableSections: 'usca' };
      expect(ping(await openGppPage({ options })).applicableSections).to.deep.equal([8]);
      const none = await openGppPage({ options: { ...plain, applicableSections: 'none' } });
      expect(ping(none).applicableSections).to.deep.equal([-1]);
    });

    it('set its number, its agreement, its children and its version', async () => {
      const options = { ...plain, cmpId: '42', mspa: 'opt-out-option-mode', knownChild: 'yes', usnatVersion: '1' };
      const page = await openGppPage({ options });
      expect(ping(page).cmpId).to.equal(42);
      expect(readCore(page)).to.include({
        Version: 1,
        MspaCoveredTransaction: 1,
        MspaOptOutOptionMode: 1,
        MspaServiceProviderMode: 2,
      });
      expect(readCore(page).KnownChildSensitiveDataConsents).to.deep.equal([1, 1]);
    });

    for (const [name, value, hint] of [
      ['sections', 'usnat usxx', 'data-sections: there is no usxx'],
      ['optOuts', 'statistics: everything', 'data-opt-outs: there is no everything'],
      ['notApplicable', 'all', 'data-not-applicable: there is no all'],
      ['applicableSections', 'usca', 'data-applicable-sections: there is no usca'],
      ['cmpId', '4x', 'data-cmp-id="4x" is not understood'],
      ['mspa', 'yes', 'data-mspa: there is no yes'],
      ['knownChild', 'maybe', 'data-known-child="maybe" is not understood'],
      ['usnatVersion', '3', 'data-usnat-version="3" is not understood'],
      ['undecided', 'granted', 'data-undecided="granted" is not understood'],
    ] as const) {
      it(`are rejected with a warning if ${name} is "${value}", and opt nobody in`, async () => {
        const page = await openGppPage({ options: { ...plain, [name]: value }, banner: 'none' });
        expect(page.errors.join('\n')).to.include(hint);
        expect(readCore(page)).to.include(optedOut);
        expect(ping(page)).to.deep.include({ sectionList: [7], applicableSections: [7], signalStatus: 'not ready' });
      });
    }
  });

  describe('its commands', () => {
    it('answer with failure if they are not supported', async () => {
      const page = await openGppPage({ banner: 'none' });
      for (const command of ['getTCData', 'toString', '__proto__', '', undefined, 7, null])
        expect(ask(page, command), String(command)).to.deep.equal([null, false]);
      expect(ask(page, 'getSection', 'tcfeuv2')).to.deep.equal([null, false]);
      expect(ask(page, 'hasSection', 'tcfeuv2')).to.deep.equal([false, true]);
      for (const field of ['usnat.Nothing', 'usnat', 'usnat.toString', undefined])
        expect(ask(page, 'getField', field)).to.deep.equal([null, false]);
      expect(ask(page, 'removeEventListener', 99)).to.deep.equal([false, true]);
      expect(() => page.window.__gpp('ping')).to.not.throw();
    });

    it('return separate copies to each caller', async () => {
      const page = await openGppPage({ banner: 'none' });
      const [section] = ask<Record<string, unknown>[]>(page, 'getSection', 'usnat');
      Object.assign(section[0] ?? {}, { SaleOptOut: 2 });
      (ping(page) as unknown as { applicableSections: number[] }).applicableSections.push(1);
      expect(readCore(page).SaleOptOut).to.equal(1);
      expect(ping(page).applicableSections).to.deep.equal([7]);
    });

    it('do not call a removed listener, and call the others although one throws', async () => {
      const page = await openGppPage();
      const heard: string[] = [];
      const ids: number[] = [];
      const listen = (name: string, isBroken = false) =>
        page.window.__gpp('addEventListener', ({ eventName, listenerId }: GppEvent) => {
          if (eventName === 'listenerRegistered') ids.push(listenerId);
          else heard.push(name);
          if (isBroken) throw new Error('broken vendor');
        });
      listen('removed');
      listen('broken', true);
      listen('last');
      expect(new Set(ids).size).to.equal(3);
      expect(ask(page, 'removeEventListener', ids[0])).to.deep.equal([true, true]);
      await decide(page, 'accept');
      await isReady(page);
      expect(new Set(heard)).to.deep.equal(new Set(['broken', 'last']));
      expect(page.errors.filter((one) => one.includes('broken vendor'))).to.have.length(1);
    });
  });

  describe('a page with an earlier __gpp', () => {
    it('has its waiting calls answered in order, and its listeners kept under their numbers', async () => {
      const heard: string[] = [];
      const events: GppEvent[] = [];
      const page = await openGppPage({
        prepare: (target) => {
          addStub(target, [
            ['getField', (value: unknown) => heard.push(`field ${value}`), 'usnat.SaleOptOut'],
            ['hasSection', (value: unknown) => heard.push(`section ${value}`), 'usnat'],
          ]);
          target.__gpp('addEventListener', (event: GppEvent) => events.push(event));
        },
      });
      expect(heard).to.deep.equal(['field 1', 'section true']);
      await decide(page, 'accept');
      await isReady(page);
      expect(events.map(({ eventName }) => eventName)).to.include('signalStatus');
      expect(new Set(events.map(({ listenerId }) => listenerId))).to.deep.equal(new Set([1]));
      expect(ask<GppEvent>(page, 'addEventListener')[0].listenerId).to.equal(2);
    });

    it('keeps its own consent platform, and the conflict is logged', async () => {
      const own: Gpp = (_command, callback) => (callback as (data: unknown) => void)({ cmpStatus: 'loaded' });
      const page = await openGppPage({
        banner: 'none',
        prepare: (target) => {
          target.__gpp = own;
        },
      });
      expect(page.window.__gpp).to.equal(own);
      expect(page.errors.join()).to.include('another consent platform provides __gpp');
    });

    it('works with images of those names', async () => {
      const page = await openGppPage({
        banner: 'none',
        prepare: ({ document: target }) => {
          target.body.innerHTML = '<img name="__gpp" alt=""><img name="body" alt=""><img id="__gppLocator" alt="">';
          target.body.insertAdjacentHTML('beforeend', '<img name="querySelector" alt=""><img id="SvcConsent" alt="">');
        },
      });
      expect(ping(page).signalStatus).to.equal('not ready');
      expect(page.document.querySelectorAll.call(page.document, 'iframe[name=__gppLocator]')).to.have.length(1);
    });

    it('gets one answer to each call although the script is included twice', async () => {
      const page = await openGppPage({ banner: 'none' });
      page.window.provide(plain);
      expect(page.document.querySelectorAll('iframe[name=__gppLocator]')).to.have.length(1);
      expect(ping(page).cmpId).to.equal(0);
    });
  });

  describe('a frame', () => {
    interface Reply {
      readonly __gppReturn: { readonly returnValue: unknown; readonly success: boolean; readonly callId: unknown };
    }

    /** Sends calls from a frame of the page, and collects what comes back to it. */
    async function openVendorFrame(page: GppPage, sandbox?: string) {
      const frame = page.document.createElement('iframe');
      if (sandbox !== undefined) frame.setAttribute('sandbox', sandbox);
      frame.srcdoc = `<script>
        onmessage = ({ data }) => Object.hasOwn(Object(data), 'ask')
          ? parent.postMessage(data.ask, '*') : top.postMessage({ reply: data }, '*');
        parent.postMessage('there', '*');
      </${'script'}>`;
      const replies: unknown[] = [];
      const hear = ({ data }: MessageEvent) => {
        if (data?.reply) replies.push(data.reply);
      };
      (page.window.top as Window).addEventListener('message', hear);
      const isThere = new Promise((resolve) => page.window.addEventListener('message', resolve, { once: true }));
      page.document.body.append(frame);
      await isThere;
      return { replies, ask: (message: unknown) => frame.contentWindow?.postMessage({ ask: message }, '*') };
    }

    for (const sandbox of [undefined, 'allow-scripts']) {
      it(`${sandbox ? 'in a sandbox ' : ''}finds the page by its locator and is answered in the format of the call`, async () => {
        const page = await openGppPage({ banner: 'none' });
        expect(page.window.frames['__gppLocator' as unknown as number] === undefined).to.equal(false);
        const vendor = await openVendorFrame(page, sandbox);
        vendor.ask({ __gppCall: { command: 'ping', version: '1.1', callId: 'one' } });
        await waitUntil(() => vendor.replies.length === 1, 'the object is answered');
        const { __gppReturn: first } = vendor.replies[0] as Reply;
        expect(first).to.deep.include({ success: true, callId: 'one' });
        expect((first.returnValue as Ping).gppString).to.equal(ping(page).gppString);
        vendor.ask(JSON.stringify({ __gppCall: { command: 'getField', parameter: 'usnat.SaleOptOut', callId: 2 } }));
        await waitUntil(() => vendor.replies.length === 2, 'the text is answered');
        expect(JSON.parse(String(vendor.replies[1]))).to.deep.equal({
          __gppReturn: { returnValue: 1, success: true, callId: 2 },
        });
      });
    }

    it('finds the page by its locator after a client router has replaced the body', async () => {
      const page = await openGppPage({
        banner: 'none',
        prepare: ({ document: target }) => {
          target.body.append(Object.assign(target.createElement('iframe'), { name: '__gppLocator' }));
        },
      });
      page.document.body.replaceWith(page.document.createElement('body'));
      const vendor = await openVendorFrame(page);
      expect(page.window.frames['__gppLocator' as unknown as number] === undefined).to.equal(false);
      vendor.ask({ __gppCall: { command: 'ping', callId: 'after' } });
      await waitUntil(() => vendor.replies.length === 1, 'it is answered');
    });

    it('receives every change that it listens to', async () => {
      const page = await openGppPage();
      await isShown(page);
      const vendor = await openVendorFrame(page);
      vendor.ask({ __gppCall: { command: 'addEventListener', callId: 3 } });
      await waitUntil(() => vendor.replies.length === 1, 'the listener is registered');
      await decide(page, 'accept');
      await waitUntil(() => vendor.replies.length === 4, 'the decision is sent');
      const events = vendor.replies.map((one) => (one as Reply).__gppReturn.returnValue as GppEvent);
      expect(events.at(-1)).to.deep.include({ eventName: 'signalStatus', data: 'ready' });
    });

    it('is not answered if the message is something else', async () => {
      const page = await openGppPage({ banner: 'none' });
      const vendor = await openVendorFrame(page);
      for (const message of ['{"__gppCall":', 'x', 7, null, {}, { __gppCall: null }, { __gppCall: 'ping' }])
        vendor.ask(message);
      vendor.ask({ __gppCall: { command: 'ping', callId: 'last' } });
      await waitUntil(() => vendor.replies.length > 0, 'the call is answered');
      expect(vendor.replies.map((one) => (one as Reply).__gppReturn.callId)).to.deep.equal(['last']);
      expect(page.errors).to.deep.equal([]);
    });
  });
});
