import { expect } from '@open-wc/testing';
import { json } from './network.ts';
import {
  ask,
  closePages,
  decideInBanner,
  meetTcfBanner,
  openTcfPage,
  type TcData,
  type TcfPage,
  type TcfWindow,
} from './tcf-page.ts';
import { createVendorList } from './tcf-vendor-list.ts';
import { waitUntil } from './wait-until.ts';

type Call = readonly unknown[];

/** A stub as the IAB prescribes it: it queues the calls, answers a ping, and has its own bridge for frames. */
function addStub(page: TcfWindow): void {
  const queue: Call[] = [];
  page.__tcfapi = (...call: unknown[]) => {
    if (!call.length) return queue;
    if (call[0] === 'ping')
      (call[2] as (answer: object) => void)({ cmpLoaded: false, apiVersion: '2', cmpStatus: 'stub' });
    else queue.push(call);
    return undefined;
  };
  page.addEventListener('message', ({ data, source }) => {
    const call = data?.__tcfapiCall;
    if (!call) return;
    const reply = (returnValue: unknown, success: boolean) =>
      (source as Window).postMessage({ __tcfapiReturn: { returnValue, success, callId: call.callId } }, '*');
    page.__tcfapi(call.command, call.version, reply, call.parameter);
  });
}

/** Calls from a frame within the page, by messages to the first window above that has a locator. */
async function askFromFrame(page: TcfPage, message: object | string, sandbox?: string): Promise<readonly unknown[]> {
  const inner = page.document.createElement('iframe');
  if (sandbox !== undefined) inner.setAttribute('sandbox', sandbox);
  const text = JSON.stringify(message);
  inner.srcdoc = `<!doctype html><title>An ad</title><script>
    const heard = [];
    addEventListener('message', ({ data }) => {
      heard.push(data);
      top.postMessage({ heard }, '*');
    });
    if (parent.frames['__tcfapiLocator']) parent.postMessage(${text}, '*');
  </script>`;
  let heard: readonly unknown[] = [];
  const listen = ({ data }: MessageEvent): void => {
    if (data?.heard) heard = data.heard;
  };
  addEventListener('message', listen);
  page.document.body.append(inner);
  await waitUntil(() => heard.length, 'the frame has an answer');
  removeEventListener('message', listen);
  return heard;
}

describe('__tcfapi', () => {
  afterEach(closePages);

  it('answers a ping synchronously', async () => {
    const page = await openTcfPage();
    let answer: Record<string, unknown> | undefined;
    page.window.__tcfapi('ping', 2, (given: Record<string, unknown>) => {
      answer = given;
    });
    expect(answer).to.include({ gdprApplies: true, cmpLoaded: true, apiVersion: '2.2', cmpId: 31, cmpVersion: 2 });
  });

  it('reports the versions of list and policy once the list is loaded', async () => {
    const page = await meetTcfBanner();
    const { answer } = await ask<object>(page, 'ping');
    expect(answer).to.include({ gvlVersion: 42, tcfPolicyVersion: 5, cmpStatus: 'loaded', displayStatus: 'visible' });
  });

  for (const version of [0, null, undefined, 2]) {
    it(`accepts ${version} as version 2`, async () => {
      const page = await meetTcfBanner();
      expect(await ask(page, 'getTCData', undefined, version)).to.deep.include({ success: true });
    });
  }

  for (const version of [1, 3, '2', 2.5, -1]) {
    it(`rejects version ${JSON.stringify(version)}`, async () => {
      const page = await openTcfPage({ banner: null });
      for (const command of ['ping', 'getTCData', 'addEventListener', 'getVendorList']) {
        expect(await ask(page, command, undefined, version)).to.deep.equal({ answer: null, success: false });
      }
    });
  }

  it('rejects an unknown command, and ignores a call without a callback', async () => {
    const page = await openTcfPage({ banner: null });
    expect(await ask(page, 'setTCData')).to.deep.equal({ answer: null, success: false });
    expect(() => page.window.__tcfapi('ping', 2, undefined)).to.not.throw();
    expect(() => page.window.__tcfapi('getTCData', 2, 'callback')).to.not.throw();
  });

  it('answers getTCData when there is a TC string', async () => {
    const page = await openTcfPage();
    const { answer } = await ask<TcData>(page, 'getTCData');
    expect(answer.tcString).to.match(/^C[\w-]+\.I[\w-]+$/);
    expect(answer).to.deep.include({
      cmpId: 31,
      cmpVersion: 2,
      tcfPolicyVersion: 5,
      gdprApplies: true,
      isServiceSpecific: true,
      useNonStandardTexts: true,
      publisherCC: 'DE',
      purposeOneTreatment: false,
      listenerId: undefined,
      publisher: {
        consents: {},
        legitimateInterests: {},
        customPurpose: { consents: {}, legitimateInterests: {} },
        restrictions: {},
      },
    });
  });

  it('reports standard texts if the site is configured so', async () => {
    const page = await meetTcfBanner({ options: { useNonStandardTexts: false } });
    expect((await ask<TcData>(page, 'getTCData')).answer.useNonStandardTexts).to.equal(false);
  });

  it('notifies a listener immediately, then of each change, with its own id', async () => {
    const page = await meetTcfBanner();
    const heard: TcData[] = [];
    page.window.__tcfapi('addEventListener', 2, (data: TcData) => heard.push(data));
    expect(heard.map(({ eventStatus }) => eventStatus)).to.deep.equal(['cmpuishown']);
    await decideInBanner(page, 'accept');
    expect(heard.map(({ eventStatus }) => eventStatus)).to.deep.equal(['cmpuishown', 'useractioncomplete']);
    const [{ listenerId: first } = {}] = page.events;
    expect(new Set(heard.map(({ listenerId }) => listenerId)).size).to.equal(1);
    expect(heard[0]?.listenerId).to.not.equal(first);
  });

  it('does not notify a removed listener, and removes none twice', async () => {
    const page = await meetTcfBanner();
    const heard: TcData[] = [];
    page.window.__tcfapi('addEventListener', 2, (data: TcData) => heard.push(data));
    const id = heard[0]?.listenerId;
    expect((await ask<boolean>(page, 'removeEventListener', id)).answer).to.equal(true);
    expect((await ask<boolean>(page, 'removeEventListener', id)).answer).to.equal(false);
    expect((await ask<boolean>(page, 'removeEventListener', 'x')).answer).to.equal(false);
    await decideInBanner(page, 'accept');
    expect(heard).to.have.length(1);
  });

  it('notifies every listener although one of them throws', async () => {
    const page = await meetTcfBanner();
    page.window.__tcfapi('addEventListener', 2, () => {
      throw new Error('A listener of the page');
    });
    const heard: TcData[] = [];
    page.window.__tcfapi('addEventListener', 2, (data: TcData) => heard.push(data));
    await decideInBanner(page, 'accept');
    expect(heard.at(-1)?.eventStatus).to.equal('useractioncomplete');
  });

  it('returns copies, so that no caller can change what others receive', async () => {
    const page = await meetTcfBanner();
    page.window.__tcfapi('addEventListener', 2, (data: { vendor: { consents: Record<string, boolean> } }) => {
      data.vendor.consents['1'] = true;
    });
    const { answer } = await ask<TcData>(page, 'getTCData');
    expect(answer.vendor.consents['1']).to.equal(false);
  });

  it('returns the vendor list, in its own version', async () => {
    const page = await openTcfPage({ banner: null });
    for (const version of [undefined, 'LATEST', 42, '42']) {
      const { answer, success } = await ask<object>(page, 'getVendorList', version);
      expect(success).to.equal(true);
      expect(answer).to.deep.equal(createVendorList());
    }
    for (const version of [41, 'x', 0]) {
      expect(await ask(page, 'getVendorList', version)).to.deep.equal({ answer: null, success: false });
    }
    expect(page.requests, 'asked for once').to.deep.equal(['/vendor-list.json']);
  });

  it('answers the calls that a stub on the page has queued', async () => {
    const kept: unknown[] = [];
    const prepare = (page: TcfWindow): void => {
      addStub(page);
      page.__tcfapi('addEventListener', 2, (data: TcData) => kept.push(data.eventStatus));
      page.__tcfapi('getTCData', 2, (data: TcData) => kept.push(data.cmpId));
    };
    const page = await meetTcfBanner({ prepare });
    expect(kept.filter((one) => one !== undefined)).to.have.members(['cmpuishown', 31]);
    expect((await ask<object>(page, 'ping')).answer).to.include({ cmpLoaded: true });
  });

  it('answers a queued request for the vendor list, also if the GDPR does not apply', async () => {
    for (const gdprApplies of [true, false]) {
      const kept: unknown[] = [];
      const prepare = (page: TcfWindow): void => {
        addStub(page);
        page.__tcfapi('getVendorList', 2, (list: unknown) => kept.push(list));
      };
      const page = await openTcfPage({ banner: null, prepare, options: { gdprApplies } });
      await waitUntil(() => kept.length, 'the list is given');
      expect(kept).to.deep.equal([createVendorList()]);
      expect((await ask(page, 'getVendorList', 41)).success).to.equal(false);
      expect(page.requests).to.deep.equal(['/vendor-list.json']);
    }
  });

  it('returns no vendor list if the GDPR does not apply and the list cannot be loaded', async () => {
    const answerList = () => json({}, { status: 404 });
    const page = await openTcfPage({ answerList, options: { gdprApplies: false } });
    expect(await ask(page, 'getVendorList')).to.deep.equal({ answer: null, success: false });
    expect((await ask<object>(page, 'ping')).answer).to.include({ cmpStatus: 'loaded', gdprApplies: false });
  });

  const statuses = [
    { cmpStatus: 'loading', cmpLoaded: false },
    { cmpStatus: 'loaded', cmpLoaded: true },
    { cmpLoaded: true },
  ];
  for (const status of statuses) {
    it(`keeps a complete platform that answers ${JSON.stringify(status)}, and logs it`, async () => {
      const other = (command: string, _version: unknown, callback: unknown): void => {
        if (command === 'ping') (callback as (answer: object) => void)({ ...status, cmpId: 7 });
      };
      const prepare = (page: TcfWindow): void => {
        page.__tcfapi = other;
      };
      const page = await openTcfPage({ prepare });
      expect(page.window.__tcfapi).to.equal(other);
      expect(page.errors.filter((text) => text.includes('another consent platform answers __tcfapi'))).to.have.length(
        1,
      );
      expect(page.document.querySelectorAll('[slot=more], iframe[name=__tcfapiLocator]')).to.have.length(0);
      expect(page.requests).to.not.contain('/vendor-list.json');
    });
  }

  it('replaces another object of its name', async () => {
    const page = await meetTcfBanner({ above: '<img alt="" id="__tcfapi">' });
    expect(page.window.__tcfapi).to.be.a('function');
  });

  describe('for frames', () => {
    const call = (changes: object = {}) => ({
      __tcfapiCall: { command: 'ping', version: 2, callId: 'a1', ...changes },
    });

    it('is found by the name of the locator, and answers messages', async () => {
      const page = await meetTcfBanner();
      expect(page.document.querySelectorAll('iframe[name=__tcfapiLocator]')).to.have.length(1);
      const [answer] = (await askFromFrame(page, call())) as [{ __tcfapiReturn: Record<string, unknown> }];
      expect(answer.__tcfapiReturn).to.include({ success: true, callId: 'a1' });
      expect(answer.__tcfapiReturn.returnValue).to.include({ cmpId: 31 });
    });

    it('answers text with text, also to a sandboxed frame', async () => {
      const page = await meetTcfBanner();
      const [answer] = await askFromFrame(page, JSON.stringify(call({ callId: 7 })), 'allow-scripts allow-same-origin');
      expect(JSON.parse(String(answer)).__tcfapiReturn).to.include({ callId: 7, success: true });
    });

    it('answers a removal with its success', async () => {
      const page = await meetTcfBanner();
      const [answer] = (await askFromFrame(page, call({ command: 'removeEventListener', parameter: 99 }))) as [
        { __tcfapiReturn: Record<string, unknown> },
      ];
      expect(answer.__tcfapiReturn).to.deep.equal({ returnValue: false, success: false, callId: 'a1' });
    });

    it('answers once if a stub on the page already has a bridge', async () => {
      const page = await meetTcfBanner({ prepare: addStub });
      const heard = await askFromFrame(page, call());
      await ask(page, 'getVendorList');
      expect(heard).to.have.length(1);
    });

    it('ignores messages that are not calls', async () => {
      const page = await meetTcfBanner();
      for (const message of [null, 7, 'hello', '{"__tcfapiCall"', {}, { __tcfapiCall: null }, []]) {
        page.window.postMessage(message, '*');
      }
      const [answer] = (await askFromFrame(page, call())) as [{ __tcfapiReturn: object }];
      expect(answer.__tcfapiReturn).to.include({ success: true });
      expect(page.errors).to.deep.equal([]);
    });
  });

  it('answers only a ping after an error', async () => {
    const page = await openTcfPage({ answerList: () => json({}, { status: 500 }) });
    let answers = 0;
    await ask(page, 'addEventListener');
    await waitUntil(() => page.errors.length, 'an error is logged');
    for (const command of ['getTCData', 'addEventListener', 'getVendorList']) {
      page.window.__tcfapi(command, 2, () => answers++);
    }
    expect((await ask<object>(page, 'ping')).answer).to.include({ cmpStatus: 'error', cmpLoaded: true });
    expect(answers).to.equal(0);
  });
});
