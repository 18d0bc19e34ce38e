import { expect } from '@open-wc/testing';
import { createAddress, nameHost } from './requests-network.ts';
import { listNames, openFrame, query, type VisitorFrame } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';

// The shipped file, in its tag, on parsed pages.

const held = nameHost('tracker');
const tag = `<script src="/packages/consent-banner/dist/svc-consent-requests.js" nonce="right" data-requests="statistics: ${held}"></script>`;
const allow = '[data-choice=accept]';

type Page = Window & {
  readonly fetch: typeof fetch;
  readonly Image: typeof Image;
};

describe('the built script of the requests add-on', () => {
  const frames: HTMLIFrameElement[] = [];

  async function visit(above: string, policy = 'none'): Promise<VisitorFrame & { readonly contentWindow: Page }> {
    const noticeId = crypto.randomUUID();
    const frame = await openFrame({ noticeId, above: tag + above, policy: policy as 'strict' });
    frames.push(frame);
    await waitUntil(() => query(frame, '.banner:popover-open'), 'the banner shows');
    return frame as VisitorFrame & { readonly contentWindow: Page };
  }

  const readRun = (frame: VisitorFrame): string | undefined => frame.contentDocument?.body.dataset.held;

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  const script = (more = ''): string =>
    `<script src="${createAddress(held, '/visitor-page/held.js')}" ${more}></script>`;
  const makeLater = `<script nonce="right">{
    const one = document.createElement('script');
    one.src = '${createAddress(held, '/visitor-page/held.js')}';
    one.nonce = 'right';
    document.head.append(one);
  }</script>`;

  for (const [name, markup, policy] of [
    ['that comes after it in the page', script(), 'none'],
    ['that a script makes', makeLater, 'none'],
    ['in a page with nonces', script('nonce="right"'), 'nonce'],
    ['that a script makes in a page with nonces', makeLater, 'nonce'],
  ] as const) {
    it(`runs no script ${name} before consent, and each once after it`, async () => {
      const frame = await visit(markup, policy);
      expect(readRun(frame)).to.equal(undefined);
      expect(frame.contentDocument?.querySelector('script[type="text/plain"][data-svc-purpose=statistics]')).to.exist;
      query(frame, allow)?.click();
      await waitUntil(() => readRun(frame), 'it runs');
      expect(readRun(frame)).to.equal('held ');
    });
  }

  it('violates no policy of a strict page with Trusted Types, although a blocked call would', async () => {
    const frame = await visit('', 'strict');
    const page = frame.contentWindow;
    const found: string[] = [];
    page.document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      found.push(effectiveDirective),
    );
    const address = createAddress(held);
    const refused = await page.fetch(address).catch((error: unknown) => String(error));
    expect(refused).to.equal('TypeError: Failed to fetch');
    Object.assign(new page.Image(), { src: address });
    page.document.body.setAttribute('style', 'top: 0');
    await waitUntil(() => found.length > 0, 'our own, behind all that were before it');
    expect(found).to.deep.equal(['style-src-attr']);
  });

  it('holds frames and images of the page’s HTML', async () => {
    const frame = await visit('');
    const markup = `<iframe src="${createAddress(held)}"></iframe><img alt="" src="${createAddress(held)}">`;
    const { contentDocument } = await visit(markup);
    expect(contentDocument?.querySelectorAll('[data-svc-src][data-svc-purpose=statistics]:not([src])')).to.have.length(
      2,
    );
    expect(listNames(frame), 'and it adds no global names').to.deep.equal(['SvcConsent', 'Symbol(svc-consent)']);
  });

  for (const [attributes, isLate] of [
    ['', false],
    ['async', true],
    ['defer', true],
    ['type="module"', true],
  ] as const) {
    it(`${isLate ? 'logs that it comes too late' : 'logs nothing'} with ${attributes || 'no such attribute'}`, async () => {
      const listen = '<script>errors = []; console.error = (...parts) => errors.push(parts.join(" "))</script>';
      const above = listen + tag.replace('<script', `<script ${attributes}`);
      const frame = await openFrame({ noticeId: crypto.randomUUID(), above, policy: 'none' as 'strict' });
      const { errors } = frame.contentWindow as unknown as { readonly errors: readonly string[] };
      expect(errors.filter((one) => one.includes('comes too late'))).to.have.length(isLate ? 1 : 0);
      frame.remove();
    });
  }
});
