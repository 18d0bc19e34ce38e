import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { type Finding, inspectPage, type PageFindings, writeMarkdown } from '../src/add-ons/inspector/index.ts';
import { type Consent, createConsent } from '../src/headless.ts';
import { createNotice, replaceNetwork, restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

/** This server under another name: to the browser it is another origin. */
const foreign = `http://tracker.localhost:${location.port}`;
/** Arbitrary text, often with characters that are special in markup. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'"\'<>&=`;\n\r\t '),
      fc.nat(0xffff).map((code) => String.fromCharCode(code)),
    ),
  )
  .map((chars) => chars.join(''));
const holders: Element[] = [];

function setCookie(cookie: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: as scripts of a page do.
  document.cookie = cookie;
}

function expireCookies(): void {
  // A cookie without a name consists of its value, and no name precedes the sign.
  const names = document.cookie.split('; ').map((cookie) => (cookie.includes('=') ? cookie.split('=')[0] : ''));
  for (const name of names) setCookie(`${name}=gone; Max-Age=0; Path=/`);
}

function add(markup: string): void {
  const holder = document.body.appendChild(document.createElement('div'));
  holder.innerHTML = markup;
  holders.push(holder);
}

function pick({ findings }: PageFindings, kind: Finding['kind'], name: string): Finding {
  const found = findings.find((finding) => finding.kind === kind && finding.name === name);
  if (!found) throw new Error(`${kind} ${name} was not found in ${JSON.stringify(findings)}`);
  return found;
}

/** A visitor who answers in a custom interface. */
function meetVisitor(): Consent {
  const noticeId = crypto.randomUUID();
  replaceNetwork(createNotice(noticeId));
  visitor = createConsent({ noticeId, apiBase: location.origin });
  return visitor;
}
let visitor: Consent | undefined;

describe('the inspection of a page', () => {
  beforeEach(async () => {
    // An empty decision replaces the previous one.
    meetVisitor().destroy();
  });

  afterEach(() => {
    visitor?.destroy();
    restorePage();
    expireCookies();
    localStorage.clear();
    sessionStorage.clear();
    for (const holder of holders.splice(0)) holder.remove();
  });

  it('reports cookies by name, never by value', async () => {
    setCookie('_ga_TEST=a-secret; Path=/');
    setCookie('another-secret; Path=/');
    const found = await inspectPage();
    expect(pick(found, 'cookie', '_ga_TEST')).to.deep.include({
      tracker: { name: 'Google Analytics', owner: 'Google', purpose: 'statistics' },
      status: 'early',
      isBeforeDecision: true,
      purposes: [],
      writtenBy: null,
      proposal: 'statistics: _ga_*',
    });
    expect(pick(found, 'cookie', '')).to.deep.include({ tracker: null, proposal: null });
    expect(JSON.stringify(found)).to.not.contain('secret');
  });

  it('reports unknown cookies as unknown', async () => {
    setCookie('home_made=1; Path=/');
    const found = await inspectPage();
    expect(pick(found, 'cookie', 'home_made')).to.deep.include({ tracker: null, proposal: 'your-purpose: home_made' });
    expect(found.clearCookies).to.equal('');
  });

  it('reports everything that the browser stores for the page', async () => {
    localStorage.setItem('intercom.visitor', '1');
    sessionStorage.setItem('own-state', '1');
    await caches.open('own-cache');
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('own-database');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const found = await inspectPage();
    expect(pick(found, 'local-storage', 'intercom.visitor').tracker).to.deep.include({ name: 'Intercom' });
    expect(pick(found, 'session-storage', 'own-state')).to.deep.include({ tracker: null, proposal: null });
    expect(pick(found, 'cache', 'own-cache').status).to.equal('early');
    expect(pick(found, 'database', 'own-database').status).to.equal('early');
    database.close();
    indexedDB.deleteDatabase('own-database');
    await caches.delete('own-cache');
  });

  it('reports the requests to other origins, and none to its own or the consent API', async () => {
    const addresses = [
      `${foreign}/asked?visitor=1`,
      `${foreign}/asked-again`,
      `${foreign}/v1/public/consent/1`,
      '/own',
    ];
    restorePage();
    await Promise.all(addresses.map((address) => fetch(address, { mode: 'no-cors' }).catch(() => {})));
    await waitUntil(
      () => addresses.every((address) => performance.getEntriesByName(new URL(address, location.href).href).length),
      'the browser reports them',
    );
    const found = await inspectPage();
    expect(pick(found, 'request', foreign)).to.deep.include({ initiator: 'fetch', count: 2, status: 'early' });
    expect(JSON.stringify(found)).to.not.contain('visitor=1');
    expect(found.findings.filter(({ kind, name }) => kind === 'request' && name === location.origin)).to.be.empty;
  });

  it('reports the tags that are not blocked, and how to block them', async () => {
    add(`<script type="module" src="${foreign}/a.js?id=1" async></script>
      <iframe src="${foreign}/frame" title="A &quot;film&quot;"></iframe>
      <img src="${foreign}/one.gif" srcset="${foreign}/two.gif 2x" alt=""><img src="${foreign}/three.gif" alt="">
      <link rel="stylesheet" href="${foreign}/a.css"><link rel="alternate" href="${foreign}/feed">
      <img src="/own.gif" alt=""><script src="data:text/javascript,"></script>`);
    const found = await inspectPage();
    const tags = found.findings.filter(({ kind }) => /^(script|frame|image|link)$/.test(kind));
    expect(tags.map(({ kind, name, count }) => [kind, name, count])).to.have.deep.members([
      ['script', `${foreign}/a.js`, 1],
      ['frame', `${foreign}/frame`, 1],
      ['image', foreign, 2],
      ['link', `${foreign}/a.css`, 1],
    ]);
    expect(tags.every(({ status, purposes }) => status === 'early' && !purposes.length)).to.equal(true);
    expect(pick(found, 'script', `${foreign}/a.js`).proposal).to.equal(
      `<script type="text/plain" data-svc-purpose="your-purpose" data-svc-type="module" data-svc-src="${foreign}/a.js?id=1" async></script>`,
    );
    expect(pick(found, 'frame', `${foreign}/frame`).proposal).to.equal(
      `<iframe data-svc-purpose="your-purpose" data-svc-src="${foreign}/frame" title="A &#34;film&#34;"></iframe>`,
    );
    expect(pick(found, 'image', foreign).proposal).to.equal(
      `<img data-svc-purpose="your-purpose" data-svc-src="${foreign}/one.gif" data-svc-srcset="${foreign}/two.gif 2x" alt>`,
    );
  });

  it('reports blocked tags, and their purposes', async () => {
    add(`<iframe data-svc-purpose="films ads" data-svc-src="https://www.youtube.com/embed/1" title="A film"></iframe>
      <script type="text/plain" data-svc-purpose="films" data-svc-src="${foreign}/held.js"></script>
      <script type="text/plain" data-svc-purpose="films" src="${foreign}/held-too.js"></script>
      <video data-svc-purpose="films" data-svc-src="${foreign}/film.mp4"></video>`);
    const found = await inspectPage();
    expect(pick(found, 'frame', 'https://www.youtube.com/embed/1')).to.deep.include({
      tracker: { name: 'YouTube', owner: 'Google', purpose: 'marketing' },
      status: 'held',
      firstSeen: null,
      isBeforeDecision: false,
      purposes: ['films', 'ads'],
      proposal: null,
    });
    for (const [kind, name] of [
      ['script', 'held.js'],
      ['script', 'held-too.js'],
      ['media', 'film.mp4'],
    ] as const)
      expect(pick(found, kind, `${foreign}/${name}`).status).to.equal('held');
  });

  it('reports a tag that names a purpose but is not blocked', async () => {
    add(`<img data-svc-purpose="films" src="${foreign}/a.gif" alt="A">`);
    expect(pick(await inspectPage(), 'image', foreign)).to.deep.include({
      status: 'early',
      purposes: [],
      proposal: `<img data-svc-purpose="films" data-svc-src="${foreign}/a.gif" alt="A">`,
    });
  });

  it('uses the page’s own keys of purposes', async () => {
    add(`<img data-svc-purpose="analytics" data-svc-src="${foreign}/a.gif" alt="">`);
    setCookie('_gid=1; Path=/');
    setCookie('_fbp=1; Path=/');
    const found = await inspectPage({ clearCookies: 'ads: _gcl_*' });
    expect(pick(found, 'cookie', '_gid').proposal).to.equal('analytics: _gid');
    expect(pick(found, 'cookie', '_fbp').proposal).to.equal('ads: _fbp');
    expect(found.clearCookies.split('; ')).to.have.members(['ads: _gcl_* _fbp', 'analytics: _gid']);
  });

  it('does not report necessary cookies as a breach', async () => {
    setCookie('PHPSESSID=1; Path=/');
    expect(pick(await inspectPage(), 'cookie', 'PHPSESSID')).to.deep.include({ status: 'necessary', proposal: null });
  });

  it('reports how each finding relates to the visitor’s decision', async () => {
    add(`<img src="${foreign}/before.gif" alt="">`);
    setCookie('s_one=1; Path=/');
    setCookie('m_one=1; Path=/');
    const clearCookies = 'statistics: s_*; marketing: m_*';
    const before = await inspectPage({ clearCookies });
    expect(before.decidedAt).to.equal(null);
    expect(pick(before, 'cookie', 's_one')).to.deep.include({ status: 'early', purposes: ['statistics'] });
    await meetVisitor().decide({ statistics: true });
    const after = await inspectPage({ clearCookies });
    expect(after.decidedAt).to.be.within(0, performance.now());
    expect(pick(after, 'cookie', 's_one').status).to.equal('granted');
    expect(pick(after, 'cookie', 'm_one').status).to.equal('refused');
    expect(pick(after, 'image', foreign)).to.deep.include({ status: 'unassigned', isBeforeDecision: false });
  });

  it('knows the time of a request before the decision, however late it is inspected', async () => {
    restorePage();
    await fetch(`${foreign}/early`, { mode: 'no-cors' }).catch(() => {});
    await waitUntil(() => performance.getEntriesByName(`${foreign}/early`).length, 'the browser reports it');
    await meetVisitor().acceptAll();
    const found = await inspectPage();
    expect(pick(found, 'request', foreign)).to.deep.include({ status: 'early', isBeforeDecision: true });
  });

  it('knows a decision of an earlier page', async () => {
    const consent = meetVisitor();
    await consent.acceptAll();
    const key = Object.keys(localStorage).find((name) => /^svc-consent:[^:]+$/.test(name)) as string;
    const decidedAt = new Date(performance.timeOrigin - 60_000).toISOString();
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? ''), decidedAt }));
    const found = await inspectPage();
    expect(found.decidedAt).to.be.below(0);
    expect(found.findings.filter(({ isBeforeDecision }) => isBeforeDecision)).to.be.empty;
  });

  it('proposes markup equivalent to the tag, whatever it contains', async () => {
    add(`<iframe src="${foreign}/frame" sandbox></iframe>`);
    const [frame] = (holders.at(-1)?.children ?? []) as unknown as [HTMLIFrameElement];
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 20 }), async (values) => {
        for (const [at, value] of values.entries()) frame.setAttribute(`data-value-${at}`, value);
        const { proposal } = pick(await inspectPage(), 'frame', `${foreign}/frame`);
        expect(proposal).to.not.match(/[\n\r]/);
        const { body } = new DOMParser().parseFromString(proposal ?? '', 'text/html');
        expect(body.children).to.have.length(1);
        const names = values.map((_, at) => `data-value-${at}`);
        const [{ attributes } = frame] = body.children;
        expect([...attributes].map(({ name }) => name)).to.deep.equal([
          'data-svc-purpose',
          'data-svc-src',
          'sandbox',
          ...names,
        ]);
        // HTML has no way to write a null.
        for (const [at, value] of values.entries())
          expect(attributes.getNamedItem(`data-value-${at}`)?.value).to.equal(value.replaceAll('\0', '\ufffd'));
      }),
      { numRuns: 20 },
    );
  });

  it('proposes markup without hidden characters', async () => {
    const title = 'a\u202eb\u200bc\u{e0041}d';
    add(`<iframe src="${foreign}/hidden" title="${title}"></iframe>`);
    const { proposal } = pick(await inspectPage(), 'frame', `${foreign}/hidden`);
    expect(proposal).to.contain('title="a&#8238;b&#8203;c&#917569;d"');
    const { body } = new DOMParser().parseFromString(proposal ?? '', 'text/html');
    expect(body.querySelector('iframe')?.title).to.equal(title);
  });

  it('is escaped in Markdown, with one row for each finding', async () => {
    const hostile = 'a|b\n# c](javascript:alert(1))<img src=x>`d`\u202e';
    localStorage.setItem(hostile, '1');
    const found = await inspectPage();
    const rows = writeMarkdown(found)
      .split('\n')
      .filter((line) => line.startsWith('| '));
    expect(rows).to.have.length(found.findings.length + 2);
    const row = rows.find((line) => line.includes('javascript')) ?? '';
    expect(row).to.contain('a\\|b\\?\\# c\\]\\(javascript\\:alert\\(1\\)\\)\\<img src\\=x\\>\\`d\\`\\?');
    expect(row.replaceAll(/\\./g, '').split('|')).to.have.length(9);
  });
});
