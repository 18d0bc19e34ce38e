import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { openFrame, query, readSeen, type VisitorFrame, type VisitorFrameOptions } from './visitor-frame.ts';
import { waitUntil } from './wait-until.ts';
import { whenIdle } from './when-idle.ts';

// The built script on pages that changed built-ins, took the keys, or left no room for a banner.

const script = (text: string): string => `<script nonce="right">${text}</script>`;

/** The layer that is drawn and takes clicks, in the element or its copy. */
function findLayer(frame: VisitorFrame, selector: string): HTMLElement | undefined {
  const { contentDocument } = frame as unknown as { readonly contentDocument: Document };
  for (const { shadowRoot } of contentDocument.querySelectorAll('svc-consent')) {
    const layer = shadowRoot?.querySelector<HTMLElement>(selector);
    const { x = 0, y = 0 } = layer?.getBoundingClientRect() ?? {};
    if (layer && shadowRoot?.elementsFromPoint(x + 20, y + 20).includes(layer)) return layer;
  }
  return undefined;
}

const findBanner = (frame: VisitorFrame) => findLayer(frame, '.banner:popover-open');
const findPanel = (frame: VisitorFrame) => findLayer(frame, 'dialog:modal');

/** True if there is a layer in the element or its copy, drawn or not. */
function has({ contentDocument }: HTMLIFrameElement, selector: string): boolean {
  return [...(contentDocument?.querySelectorAll('svc-consent') ?? [])].some((one) =>
    one.shadowRoot?.querySelector(selector),
  );
}

const hasPanel = (frame: HTMLIFrameElement): boolean => has(frame, 'dialog');

describe('on a hostile page', () => {
  let frame: VisitorFrame;
  afterEach(() => frame?.remove());

  async function visit(options: Partial<VisitorFrameOptions>): Promise<string> {
    const noticeId = options.noticeId ?? `links-${crypto.randomUUID()}`;
    frame = await openFrame({ policy: 'nonce', ...options, noticeId });
    return noticeId;
  }

  async function assertDecides(noticeId: string): Promise<void> {
    await waitUntil(() => findBanner(frame), 'the banner shows');
    findBanner(frame)?.querySelector<HTMLElement>('[data-choice=accept]')?.click();
    await waitUntil(async () => (await readSeen(noticeId)).records[0], 'the record arrives');
    const [record] = (await readSeen(noticeId)).records;
    expect(record?.purposes).to.deep.equal({ necessary: true, statistics: true });
  }

  for (const [name, change] of [
    ['an enumerable method on Object.prototype', 'Object.prototype.extend = function () {}'],
    ['get and set on Object.prototype', 'Object.prototype.get = Object.prototype.set = function () {}'],
    ['Object.prototype.toJSON', 'Object.prototype.toJSON = () => "x"'],
    [
      'Array.prototype.toJSON',
      'Array.prototype.toJSON = function () { return "[" + this.map((one) => JSON.stringify(one)).join() + "]" }',
    ],
    ['String.prototype.toJSON', 'String.prototype.toJSON = function () { return JSON.stringify(String(this)) }'],
    ['another Date.prototype.toJSON', 'Date.prototype.toJSON = function () { return "/Date(" + +this + ")/" }'],
    [
      'toISOString without milliseconds',
      'const own = Date.prototype.toISOString; Date.prototype.toISOString = function () { return own.call(this).slice(0, 19) + "Z" }',
    ],
  ] as const)
    it(`keeps the decision, with ${name}`, async () => {
      const noticeId = await visit({ above: script(change) });
      await assertDecides(noticeId);
      frame.remove();
      await visit({ noticeId, above: script(change) });
      expect(frame.contentWindow.SvcConsent.get()?.purposes).to.include({ necessary: true, statistics: true });
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => findPanel(frame), 'the panel opens');
      expect(findBanner(frame)).to.equal(undefined);
    });

  /** Shortcuts that skip form controls. */
  const swallow = (isCapture: boolean): string =>
    script(`document.addEventListener('keydown', (event) => {
      if (/^(INPUT|TEXTAREA|SELECT|BUTTON|A)$/.test(event.target.tagName)) return;
      if ([' ', 'Enter', 'Escape'].includes(event.key)) event.preventDefault();
    }, ${isCapture});`);

  for (const [name, above] of [
    ['on the way up', swallow(false)],
    ['on the way down', swallow(true)],
  ] as const)
    it(`takes Space, Enter and Escape, which shortcuts of the page swallow ${name}`, async () => {
      await visit({ above });
      await waitUntil(() => findBanner(frame), 'the banner shows');
      // The panel brings what keeps the events from the document.
      await waitUntil(() => hasPanel(frame), 'the second script is there');
      findBanner(frame)?.querySelector<HTMLElement>('[part=preferences]')?.focus();
      await sendKeys({ press: 'Enter' });
      await waitUntil(() => findPanel(frame), 'Enter opens the panel');
      const input = query(frame, 'input[value=statistics]') as HTMLInputElement;
      input.focus();
      await sendKeys({ press: 'Space' });
      expect(input.checked, 'Space switches').to.equal(true);
      await sendKeys({ press: 'Escape' });
      await waitUntil(() => !findPanel(frame), 'Escape closes');
      findBanner(frame)?.querySelector<HTMLElement>('[data-choice=reject]')?.focus();
      await sendKeys({ press: 'Space' });
      expect(frame.contentWindow.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: false });
    });

  it('takes clicks beside a modal that traps the focus and cancels what is outside of it', async () => {
    const trap = `const inside = (event) => gate.contains(event.target);
      addEventListener('DOMContentLoaded', () => document.querySelector('#gate button').focus());
      for (const type of ['mousedown', 'touchstart', 'click'])
        document.addEventListener(type, (event) => { if (!inside(event)) { event.preventDefault(); event.stopImmediatePropagation() } }, true);
      for (const type of ['focus', 'focusin'])
        document.addEventListener(type, (event) => inside(event) || document.querySelector('#gate button').focus(), true);`;
    await visit({
      above: `<div id="gate" role="dialog" aria-modal="true"><button>Yes</button></div>${script(trap)}`,
    });
    await waitUntil(() => findBanner(frame), 'the banner shows');
    await waitUntil(() => hasPanel(frame), 'the second script is there');
    findBanner(frame)?.querySelector<HTMLElement>('[part=preferences]')?.click();
    await waitUntil(() => findPanel(frame), 'the panel opens');
    const input = query(frame, 'input[value=statistics]') as HTMLInputElement;
    input.click();
    expect(input.checked).to.equal(true);
    query(frame, '.save')?.click();
    expect(frame.contentWindow.SvcConsent.get()?.purposes).to.deep.equal({ necessary: true, statistics: true });
  });

  for (const [name, gate] of [
    ['a modal dialog', '<dialog id="gate"><p>Of age?</p></dialog>'],
    ['a modal dialog in a shadow tree', '<div id="host"></div>'],
  ] as const)
    it(`waits until ${name} of the page closes`, async () => {
      const open =
        'const root = window.host?.attachShadow({ mode: "open" }); root?.append(document.createElement("dialog"));' +
        'window.shut = root?.querySelector("dialog") ?? gate; shut.showModal()';
      await visit({ above: `${gate}${script(open)}` });
      await waitUntil(() => has(frame, '#root'), 'the notice is there');
      await waitUntil(() => hasPanel(frame), 'the second script is there');
      await waitUntil(() => !has(frame, '.banner:popover-open'), 'nothing is drawn above the gate');
      (frame.contentWindow as unknown as { readonly shut: HTMLDialogElement }).shut.close();
      await waitUntil(() => findBanner(frame), 'the banner shows');
    });

  it('opens the panel above a modal dialog of the page', async () => {
    await visit({ above: `<dialog id="gate"></dialog>${script('gate.showModal()')}` });
    await waitUntil(() => hasPanel(frame), 'the second script is there');
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => findPanel(frame), 'the panel opens');
  });

  for (const [name, above, below] of [
    ['a hidden container', '<div style="display: none">', '</div>'],
    ['a closed details', '<details><summary>More</summary>', '</details>'],
    ['skipped content', '<div style="content-visibility: hidden">', '</div>'],
    ['an inert container', '<div inert>', '</div>'],
    ['a container that screen readers ignore', '<div aria-hidden="true">', '</div>'],
    ['a closed dialog', '<dialog>', '</dialog>'],
  ] as const)
    it(`shows the banner and the panel from ${name}`, async () => {
      const noticeId = await visit({ above, below, policy: undefined as never });
      await waitUntil(() => findBanner(frame), 'the banner shows');
      const findHost = () => (findBanner(frame)?.getRootNode() as ShadowRoot | undefined)?.host;
      await waitUntil(() => findHost()?.closest('[inert], [aria-hidden=true]') === null, 'screen readers read it');
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => findPanel(frame), 'the panel opens');
      await sendKeys({ press: 'Escape' });
      await assertDecides(noticeId);
      frame.remove();
      await visit({ noticeId, above, below, policy: undefined as never });
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => findPanel(frame), 'the panel opens for a returning visitor');
      frame.contentDocument?.querySelector('svc-consent')?.remove();
      expect(frame.contentDocument?.querySelector('svc-consent'), 'the copy goes with the element').to.equal(null);
    });

  it('shows again when its part of the page is hidden or becomes inert later', async () => {
    await visit({ above: '<div id="part">', below: '</div>', policy: undefined as never });
    await waitUntil(() => findBanner(frame), 'the banner shows');
    await waitUntil(() => hasPanel(frame), 'the second script is there');
    const part = frame.contentDocument?.querySelector('#part') as HTMLElement;
    part.inert = true;
    await waitUntil(() => findBanner(frame), 'the banner shows');
    part.hidden = true;
    await waitUntil(() => findBanner(frame), 'the banner shows');
  });

  it('shows the banner and the panel from the head, where scripts can put the element', async () => {
    const noticeId = await visit({ policy: undefined as never });
    await waitUntil(() => findBanner(frame), 'the banner shows');
    frame.contentDocument?.head.append(frame.contentDocument.querySelector('svc-consent') as Element);
    await waitUntil(() => findBanner(frame), 'the banner shows');
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => findPanel(frame), 'the panel opens');
    await sendKeys({ press: 'Escape' });
    await assertDecides(noticeId);
  });

  it('finds its further files as a module, which does not know its own address', async () => {
    const tag = '<script type="module" nonce="right" src="/visitor-page/copy/svc-consent.js"></script>';
    const noticeId = await visit({ copies: 0, below: tag });
    await assertDecides(noticeId);
    frame.contentWindow.SvcConsent.open();
    await waitUntil(() => findPanel(frame), 'the panel opens');
  });

  for (const [name, change, complete] of [
    ['', () => {}, () => {}],
    [
      ', which the element gets later',
      (one) => one.removeAttribute('api-base'),
      (one) => one.setAttribute('api-base', '/'),
    ],
    [' of an element that comes later', (one) => one.remove(), (one, page) => page.body.prepend(one)],
  ] as readonly (readonly [string, (element: Element) => void, (element: Element, page: Document) => void])[])
    it(`takes its further files from api-base${name} when it is inlined`, async () => {
      const held = 'data-svc-purpose="statistics" data-svc-src="/visitor-page/blank"';
      const code = await (await fetch('/visitor-page/copy/svc-consent.js')).text();
      const above = `<iframe ${held}></iframe><div id="card"><template shadowrootmode="open"><iframe ${held}></iframe></template></div>`;
      const noticeId = await visit({ copies: 0, attributes: 'api-base="/"', above });
      const page = frame.contentDocument as Document;
      const element = page.querySelector('svc-consent') as Element;
      const root = page.querySelector('#card')?.shadowRoot as ShadowRoot;
      change(element);
      const tag = page.createElement('script');
      tag.nonce = 'right';
      tag.textContent = code;
      page.body.append(tag);
      frame.contentWindow.SvcConsent.observe(root);
      await whenIdle(frame.contentWindow); // By then it has looked for blocked content.
      complete(element, page);
      await assertDecides(noticeId);
      await waitUntil(() => [page, root].every((one) => one.querySelector('iframe[src]')), 'the frames are released');
      frame.contentWindow.SvcConsent.open();
      await waitUntil(() => findPanel(frame), 'the panel opens');
    });

  it('prints no layer', async () => {
    await visit({});
    await waitUntil(() => findBanner(frame), 'the banner shows');
    const layer = findBanner(frame) as Element;
    const readDisplay = () => frame.contentWindow.getComputedStyle(layer).display;
    expect(readDisplay()).not.to.equal('none');
    await emulateMedia({ media: 'print' });
    try {
      expect(readDisplay()).to.equal('none');
    } finally {
      await emulateMedia({ media: 'screen' });
    }
  });
});
