import { expect } from '@open-wc/testing';
import { listNames, listViolations, openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// The shipped files, each in its own tag, on a page with a strict policy and Trusted Types.

type Page = Window & { readonly _paq: readonly unknown[][]; readonly __gpp: (...args: readonly unknown[]) => void };

const dist = '/packages/consent-banner/dist';
const tags: Readonly<Record<string, string>> = {
  signals: `<script src="${dist}/svc-consent-signals.js" data-signals="statistics: matomo"></script>`,
  gpp: `<script src="${dist}/svc-consent-gpp.js" data-opt-outs="statistics: sale" data-not-applicable="sharing targeted-advertising sensitive-data additional-processing"></script>`,
};

describe('the built script of an add-on', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(noticeId: string, above: string): Promise<VisitorFrame & { readonly contentWindow: Page }> {
    const frame = (await openFrame({ noticeId, above })) as VisitorFrame & {
      readonly contentWindow: Page;
    };
    frames.push(frame);
    return frame;
  }

  const readSale = ({ contentWindow }: { readonly contentWindow: Page }): unknown => {
    let found: unknown;
    const keep = (value: unknown): void => {
      found = value;
    };
    contentWindow.__gpp('getField', keep, 'usnat.SaleOptOut');
    return found;
  };

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  for (const isAsync of [false, true]) {
    const write = (name: string): string =>
      isAsync ? String(tags[name]).replace('<script', '<script async') : String(tags[name]);

    it(`reports the decision of the banner after it${isAsync ? ', also when it is async' : ''}`, async () => {
      const noticeId = crypto.randomUUID();
      const frame = await visit(noticeId, write('signals') + write('gpp'));
      expect(readSale(frame)).to.equal(1);
      expect(frame.contentWindow._paq).to.deep.equal([['requireConsent']]);
      await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
      query(frame, '[data-choice=accept]')?.click();
      await waitUntil(() => readSale(frame) === 2, 'the decision is reported');
      expect(frame.contentWindow._paq).to.deep.equal([['requireConsent'], ['setConsentGiven']]);

      const later = await visit(noticeId, write('signals') + write('gpp'));
      await waitUntil(() => readSale(later) === 2, 'the stored decision is reported');
      expect(later.contentWindow._paq).to.deep.equal([['requireConsent'], ['setConsentGiven']]);
    });
  }

  it('violates no policy', async () => {
    const frame = await visit(crypto.randomUUID(), `${tags.signals}${tags.gpp}`);
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    expect(await listViolations(frame)).to.deep.equal([]);
    const careless = await visit(crypto.randomUUID(), '<script>0</script>');
    expect(await listViolations(careless), 'this test would see one').to.deep.equal(['script-src-elem']);
  });

  it('adds only the global names that vendors prescribe', async () => {
    const frame = await visit(crypto.randomUUID(), `${tags.signals}${tags.gpp}`);
    expect(listNames(frame)).to.deep.equal(['SvcConsent', 'Symbol(svc-consent)', '__gpp', '_paq']);
  });
});
