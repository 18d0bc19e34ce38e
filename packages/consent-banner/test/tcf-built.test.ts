import { expect } from '@open-wc/testing';
import type { TcData, TcfWindow } from './tcf-page.ts';
import { listNames, listViolations, openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// The shipped file, in its own tag, on a page with a strict policy and Trusted Types.

const tag = `<script src="/packages/consent-banner/dist/svc-consent-tcf.js" data-cmp-id="31" data-publisher-country="DE"
  data-vendor-list="/visitor-page/vendor-list.json" data-vendors="1 2 3 4 5"
  data-purposes="statistics: 1 2 3 4 7 8 9 10" data-use-non-standard-texts="false"></script>`;

const places = {
  'before the banner': { above: tag },
  'after the banner': { below: tag },
  'before the banner, with async': { above: tag.replace('<script', '<script async') },
} as const;

type Page = VisitorFrame & { readonly contentWindow: TcfWindow };

describe('the built script of the TCF add-on', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(place: keyof typeof places): Promise<Page> {
    const frame = await openFrame({ noticeId: crypto.randomUUID(), ...places[place] });
    frames.push(frame);
    // The line of the partners may be placed before the banner has its notice.
    await waitUntil(() => findOpener(frame) && findAccept(frame), 'the banner lists the partners');
    return frame as Page;
  }

  const findOpener = ({ contentDocument }: HTMLIFrameElement): HTMLElement | null | undefined =>
    contentDocument?.querySelector('svc-consent > [slot=more]')?.shadowRoot?.querySelector('button');

  const findAccept = (frame: HTMLIFrameElement) => query(frame, '[data-choice=accept]');

  const findInLayer = ({ contentDocument }: HTMLIFrameElement, selector: string): HTMLElement | null | undefined =>
    contentDocument?.querySelector('svc-consent-vendors')?.shadowRoot?.querySelector<HTMLElement>(selector);

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  for (const place of Object.keys(places) as (keyof typeof places)[]) {
    it(`works ${place}, logs no error, and violates no policy`, async () => {
      const frame = await visit(place);
      const wrong: unknown[] = [];
      frame.contentWindow.addEventListener('error', ({ message }) => wrong.push(message));
      Object.assign((frame.contentWindow as unknown as { console: Console }).console, {
        error: (...parts: readonly unknown[]) => wrong.push(parts),
      });
      findOpener(frame)?.click();
      await waitUntil(() => findInLayer(frame, 'dialog:modal'), 'the partners are shown');
      expect(findInLayer(frame, 'dialog')?.textContent).to.contain('Acorn Ads');
      const received: TcData[] = [];
      frame.contentWindow.__tcfapi('addEventListener', 2, (data: TcData) => received.push(data));
      (findInLayer(frame, 'dialog') as HTMLDialogElement).close();
      findAccept(frame)?.click();
      await waitUntil(() => received.at(-1)?.eventStatus === 'useractioncomplete', 'the decision is reported');
      expect(received.at(-1)?.tcString).to.match(/^C[\w-]+\.I[\w-]+$/);
      expect(received.at(-1)?.useNonStandardTexts, 'as the tag says').to.equal(false);
      expect(wrong).to.deep.equal([]);
      expect(await listViolations(frame)).to.deep.equal([]);
    });
  }

  it('adds no global names but those of the banner and of the standard', async () => {
    const frame = await visit('after the banner');
    expect(listNames(frame)).to.deep.equal(['SvcConsent', '__tcfapi']);
  });
});
