import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys, setViewport } from '@web/test-runner-commands';
import { type InspectorOptions, type PageFindings, startInspector } from '../src/add-ons/inspector/index.ts';
import { createConsent } from '../src/headless.ts';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const nativeCookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
let stop = (): void => {};

function setCookie(cookie: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: as scripts of a page do.
  document.cookie = cookie;
}

function findHost(): Element | null {
  return document.querySelector('svc-consent-inspector');
}

function find<T extends Element = HTMLElement>(selector: string): T {
  const found = findHost()?.shadowRoot?.querySelector<T>(selector);
  if (!found) throw new Error(`${selector} is not there`);
  return found;
}

function findButton(text: string): HTMLButtonElement {
  const buttons = [...(findHost()?.shadowRoot?.querySelectorAll('button') ?? [])];
  return buttons.find((button) => button.textContent === text) as HTMLButtonElement;
}

function findRow(name: string): HTMLTableRowElement | undefined {
  const rows = [...find<HTMLTableElement>('table').rows];
  return rows.find((row) => row.querySelector('th code')?.textContent === name);
}

async function open(options: InspectorOptions = { isOpen: true }): Promise<void> {
  stop = startInspector(options);
  await waitUntil(() => find('[role=status]').textContent, 'the panel has a status');
}

/** Replaces the system's clipboard, so that a test receives the text that the panel copies. */
function holdClipboard(write: (text: string) => Promise<void>): void {
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true });
}

describe('the inspector panel', () => {
  afterEach(async () => {
    stop();
    history.replaceState(null, '', location.pathname + location.search);
    for (const cookie of document.cookie.split('; ')) setCookie(`${cookie.split('=')[0]}=; Max-Age=0; Path=/`);
    localStorage.clear();
    Reflect.deleteProperty(navigator, 'clipboard');
    document.documentElement.dir = '';
    await restoreMedia();
    await setViewport({ width: 800, height: 600 });
  });

  it('is absent, and changes nothing, unless the address asks for it', () => {
    stop = startInspector();
    expect(findHost() === null).to.equal(true);
    expect(Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')).to.deep.equal(nativeCookie);
  });

  it('opens for an address that ends in #svc-inspect, also later, and once', async () => {
    stop = startInspector();
    location.hash = '#svc-inspect';
    await waitUntil(findHost, 'it opens');
    const stopSecond = startInspector({ isOpen: true });
    expect(document.querySelectorAll('svc-consent-inspector')).to.have.length(1);
    stopSecond();
  });

  it('shows what happens while it is open, and which script wrote a cookie', async () => {
    await open();
    setCookie('_fbp=a-secret; Path=/');
    await waitUntil(() => findRow('_fbp'), 'the cookie is shown');
    const text = findRow('_fbp')?.textContent ?? '';
    expect(text).to.contain('Meta Pixel (Meta), usually marketing');
    expect(text).to.contain('before consent');
    expect(text).to.contain(new URL(import.meta.url).pathname);
    expect(text).to.contain('marketing: _fbp');
    expect(text).to.not.contain('secret');
  });

  it('names no script for a cookie that was there already, nor one that only changes or deletes it', async () => {
    setCookie('_fbp=1; Path=/');
    await open();
    setCookie('_fbp=2; Path=/');
    setCookie('gone=1; Max-Age=0; Path=/');
    setCookie('later=1; Path=/');
    await waitUntil(() => findRow('later'), 'the later cookie is shown');
    expect(findRow('_fbp')?.cells[4]?.textContent).to.equal('-');
    expect(findRow('gone') === undefined).to.equal(true);
  });

  it('shows storage, for which there are no events', async () => {
    await open();
    localStorage.setItem('a-key', '1');
    await waitUntil(() => findRow('a-key'), 'the key is shown');
    localStorage.removeItem('a-key');
    await waitUntil(() => !findRow('a-key'), 'the key is shown no more');
  });

  it('reports a cookie that outlives its consent', async () => {
    const noticeId = crypto.randomUUID();
    replaceNetwork(createNotice(noticeId));
    const visitor = createConsent({ noticeId, apiBase: location.origin });
    await open({ isOpen: true, clearCookies: 'marketing: m_*' });
    await visitor.acceptAll();
    setCookie('m_one=1; Path=/');
    await waitUntil(() => findRow('m_one')?.textContent?.includes('granted'), 'it is granted');
    await visitor.withdraw(['marketing']);
    await waitUntil(() => findRow('m_one')?.textContent?.includes('though refused'), 'it is refused');
    visitor.destroy();
    createConsent({ noticeId: crypto.randomUUID(), apiBase: location.origin }).destroy();
    restorePage();
  });

  it('keeps the focus in a row that stays', async () => {
    setCookie('_fbp=1; Path=/');
    await open();
    findRow('_fbp')?.querySelector('button')?.focus();
    const focused = findHost()?.shadowRoot?.activeElement;
    expect(focused).to.be.ok;
    setCookie('_aaa=1; Path=/');
    await waitUntil(() => findRow('_aaa'), 'another is shown');
    expect(findHost()?.shadowRoot?.activeElement === focused).to.equal(true);
  });

  it('shows only findings from before consent if selected', async () => {
    setCookie('_fbp=1; Path=/');
    setCookie('PHPSESSID=1; Path=/');
    await open();
    expect(findRow('PHPSESSID')).to.be.ok;
    find('input').click();
    expect(findRow('PHPSESSID') === undefined).to.equal(true);
    expect(findRow('_fbp')).to.be.ok;
    find('input').click();
    expect(findRow('PHPSESSID')).to.be.ok;
  });

  it('copies the findings as Markdown and as JSON, and only a proposed change', async () => {
    const copied: string[] = [];
    holdClipboard(async (text) => void copied.push(text));
    setCookie('_fbp=1; Path=/');
    await open();
    for (const name of ['Copy as Markdown', 'Copy as JSON']) findButton(name).click();
    findRow('_fbp')?.querySelector('button')?.click();
    expect(copied[0]).to.contain('\n| cookie | \\_fbp | Meta Pixel');
    const { findings }: PageFindings = JSON.parse(copied[1] ?? '');
    expect(findings.map(({ name }) => name)).to.include('_fbp');
    expect(copied[2]).to.equal('marketing: _fbp');
    await waitUntil(() => find('.note[role=status]').textContent === 'Copied.', 'it says so');
  });

  it('shows the text for manual copying if the clipboard is unavailable', async () => {
    holdClipboard(() => Promise.reject(new DOMException('Not allowed', 'NotAllowedError')));
    await open();
    findButton('Copy as JSON').click();
    await waitUntil(() => !find('textarea').hidden, 'the text shows');
    expect(JSON.parse(find<HTMLTextAreaElement>('textarea').value)).to.have.property('findings');
  });

  it('inserts hostile names as text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    localStorage.setItem(hostile, '1');
    await open();
    expect(findRow(hostile)).to.be.ok;
    expect(findHost()?.shadowRoot?.querySelectorAll('img, script')).to.have.length(0);
  });

  it('closes with Escape and leaves nothing behind', async () => {
    await open();
    expect(Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')?.set).to.not.equal(nativeCookie?.set);
    await sendKeys({ press: 'Escape' });
    expect(findHost() === null).to.equal(true);
    expect(Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')).to.deep.equal(nativeCookie);
  });

  it('leaves Escape to a modal dialog of the page', async () => {
    await open();
    const dialog = document.body.appendChild(document.createElement('dialog'));
    dialog.showModal();
    await sendKeys({ press: 'Escape' });
    expect(findHost()).to.be.ok;
    await waitUntil(() => !dialog.open, 'the dialog closes');
    await sendKeys({ press: 'Escape' });
    expect(findHost() === null).to.equal(true);
    dialog.remove();
  });

  it('leaves the page usable, and the focus where it was', async () => {
    const button = document.body.appendChild(document.createElement('button'));
    button.focus();
    await open();
    expect(document.activeElement === button).to.equal(true);
    expect(find('section').matches(':popover-open')).to.equal(true);
    expect(findHost()?.shadowRoot?.querySelector(':modal') === null).to.equal(true);
    button.remove();
  });

  for (const [name, prepare] of [
    ['light', () => emulateMedia({ colorScheme: 'light' })],
    ['dark', () => emulateMedia({ colorScheme: 'dark' })],
    ['in forced colors', () => emulateForcedColors(true)],
    ['right to left', () => document.documentElement.setAttribute('dir', 'rtl')],
    ['320 px wide', () => setViewport({ width: 320, height: 480 })],
    ['at 400 % zoom', () => setViewport({ width: 320, height: 256 })],
  ] as const) {
    it(`is accessible ${name}`, async () => {
      await prepare();
      setCookie('_fbp=1; Path=/');
      await open();
      findButton('Copy as JSON').click();
      await expect(findHost()).to.be.accessible();
      const { left, right, top, bottom } = find('section').getBoundingClientRect();
      expect([left, right]).to.deep.equal([0, innerWidth]);
      expect(top).to.equal(0);
      expect(bottom).to.be.at.most(innerHeight);
      expect(find('section').scrollWidth).to.be.at.most(find('section').clientWidth);
      expect(getComputedStyle(find('section')).direction).to.equal('ltr');
    });
  }
});
