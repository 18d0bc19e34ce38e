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
  readonly WebSocket: typeof WebSocket;
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
  const writeLater = `<script nonce="right">document.write(${JSON.stringify(script()).replace('</', '<\\/')} + '<p>Behind</p>')</script>`;
  const makeLater = `<script nonce="right">{
    const one = document.createElement('script');
    one.src = '${createAddress(held, '/visitor-page/held.js')}';
    one.nonce = 'right';
    document.head.append(one);
  }</script>`;

  for (const [name, markup, policy] of [
    ['that comes after it in the page', script(), 'none'],
    ['that a script writes', writeLater, 'none'],
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

  it('keeps the page’s own scripts intact in written markup, also over several calls', async () => {
    const image = `<img alt='' src='${createAddress(held)}'>`;
    const texts = [
      `<script nonce="right">document.body.dataset.own = "<a>${image}</a>"</`,
      'script>',
      `<!--${image}--><textarea>`,
      `${image}</textarea><style>/*${image}*/</style><iframe>${image}</iframe>${image}`,
    ];
    const calls = texts.map((text) => `document.write(${JSON.stringify(text).replaceAll('<', '\\x3c')});`);
    const { contentDocument } = await visit(`<body><script nonce="right">${calls.join('')}</script>`);
    const body = contentDocument?.body as HTMLElement;
    expect(body.dataset.own).to.equal(`<a>${image}</a>`);
    expect(['textarea', 'style', 'iframe'].map((name) => body.querySelector(name)?.textContent)).to.deep.equal([
      image,
      `/*${image}*/`,
      image,
    ]);
    expect(body.querySelectorAll('img')).to.have.length(1);
    expect(body.querySelector('img')?.outerHTML).to.match(
      /^<img alt="" data-src="[^"]+" data-svc-purpose="statistics">$/,
    );
  });

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
    const socket = new page.WebSocket(address.replace('http', 'ws'));
    await new Promise((resolve) => socket.addEventListener('close', resolve));
    Object.assign(new page.Image(), { src: address });
    page.document.body.setAttribute('style', 'top: 0');
    await waitUntil(() => found.length > 0, 'our own, behind all that were before it');
    expect(found).to.deep.equal(['style-src-attr']);
  });

  it('adds no global names', async () => {
    const frame = await visit('');
    expect(listNames(frame)).to.deep.equal(['SvcConsent']);
  });
});
