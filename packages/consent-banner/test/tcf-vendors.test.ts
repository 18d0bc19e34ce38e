import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { json } from './network.ts';
import {
  closePages,
  decideInBanner,
  findInLayer,
  findPartnersButton,
  findSwitch,
  listAxeFindings,
  meetTcfBanner,
  openLayer,
  openTcfPage,
  readVendorChoices,
  type TcfPage,
  type TcfPageOptions,
} from './tcf-page.ts';
import { createVendor, createVendorList } from './tcf-vendor-list.ts';
import { waitUntil } from './wait-until.ts';

async function meetLayer(given: TcfPageOptions = {}): Promise<TcfPage> {
  const page = await meetTcfBanner(given);
  await openLayer(page);
  return page;
}

/** The text of a vendor in the layer, once it is opened. */
async function readDeclarations(page: TcfPage, id: number): Promise<string> {
  const details = findInLayer(page, `#name-${id}`)?.closest('details') as HTMLDetailsElement;
  details.open = true;
  await waitUntil(() => details.childElementCount > 1, 'the declarations are written');
  return details.textContent;
}

const consents = ({ events }: TcfPage): readonly string[] =>
  Object.entries(events.at(-1)?.vendor.consents ?? {}).flatMap(([id, isOn]) => (isOn ? id : []));
const interests = ({ events }: TcfPage): readonly string[] =>
  Object.entries(events.at(-1)?.vendor.legitimateInterests ?? {}).flatMap(([id, isOn]) => (isOn ? id : []));

async function saveLayer(page: TcfPage, selector = '.save'): Promise<void> {
  findInLayer(page, selector)?.click();
  await waitUntil(() => !findInLayer(page, 'dialog'), 'the layer closes');
}

describe("the vendors' layer", () => {
  beforeEach(() => emulateMedia({ reducedMotion: 'reduce' }));

  afterEach(async () => {
    closePages();
    await restoreMedia();
  });

  it('is opened by any element with data-svc-vendors, including a link or its children', async () => {
    const page = await openTcfPage({ above: '<a href="#elsewhere" data-svc-vendors><b>Partners</b></a>' });
    page.document.querySelector<HTMLElement>('[data-svc-vendors] b')?.click();
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    expect(page.window.location.hash).to.equal('');
  });

  it('shows the declarations of each vendor', async () => {
    const page = await meetLayer();
    expect(await readDeclarations(page, 1)).to.match(
      /Privacy policy.*What the legitimate interest is.*Purposes by consent.*Purpose 1 \(kept for \u2068?30 days\u2069?\).*Purpose 2 \(kept for \u2068?90 days\u2069?\).*Purposes by legitimate interest.*Purpose 7.*Special purposes.*Special purpose 1 \(kept for \u2068?365 days\u2069?\).*Categories of data.*Category 2.*Storage on your device.*Cookies: \u2068?7 days\u2069? at most.*This time starts anew.*Other storage than cookies.*Details of the storage/s,
    );
    expect(await readDeclarations(page, 2)).to.contain('Feature 2');
    expect(await readDeclarations(page, 3)).to.contain('until you close the browser');
    expect(await readDeclarations(page, 4)).to.not.contain('Cookies:');
    expect(await readDeclarations(page, 5)).to.contain('Special feature 1');
    const link = findInLayer<HTMLAnchorElement>(page, 'a');
    expect(link?.href).to.equal('https://vendor-1.example/privacy');
    expect(link?.rel).to.equal('noopener noreferrer');
  });

  it('explains the terms in the words of the list, with the partners that use them', async () => {
    const page = await meetLayer();
    const meaning = findInLayer<HTMLDetailsElement>(page, '.meaning') as HTMLDetailsElement;
    meaning.open = true;
    await waitUntil(() => meaning.childElementCount > 1, 'the meaning is written');
    expect(meaning.textContent).to.match(
      /Purpose 1.*What Purpose 1 is about\..*An example of it\..*3.*Acorn Ads.*Elm Geo/s,
    );
  });

  it('has switches for what a vendor needs, and no others', async () => {
    const page = await meetLayer();
    const list = (kind: string) => [1, 2, 3, 4, 5].filter((id) => findInLayer(page, `#${kind}-${id}`));
    expect(list('consent')).to.deep.equal([1, 2, 5]);
    expect(list('interest')).to.deep.equal([1, 2, 3]);
  });

  it('has no consent switched on before the visitor has decided', async () => {
    const page = await meetLayer();
    for (const id of [1, 2, 5]) expect(findSwitch(page, 'consent', id).checked, String(id)).to.equal(false);
  });

  it('keeps a saved refusal, whatever is accepted afterwards', async () => {
    const page = await meetLayer();
    await saveLayer(page);
    expect(readVendorChoices(page)).to.deep.include({ allowed: [], refused: [1, 2, 5], objected: [] });
    await decideInBanner(page, 'accept');
    expect([consents(page), interests(page)]).to.deep.equal([[], ['1', '2', '3']]);
  });

  it('gives consent only to the vendors that are on when it is saved', async () => {
    const page = await meetLayer();
    findSwitch(page, 'consent', 2).click();
    await saveLayer(page);
    await decideInBanner(page, 'accept');
    expect(consents(page)).to.deep.equal(['2']);
  });

  it('makes no choice when it is closed', async () => {
    const page = await meetLayer();
    await saveLayer(page, '.close');
    await decideInBanner(page, 'accept');
    expect(consents(page)).to.deep.equal(['1', '2', '5']);
  });

  it('withdraws the consent of a single vendor, and records an objection to a legitimate interest', async () => {
    const page = await meetTcfBanner();
    await decideInBanner(page, 'accept');
    page.document
      .querySelector('main')
      ?.append(Object.assign(page.document.createElement('button'), { textContent: 'P' }));
    page.document.querySelector('main button')?.setAttribute('data-svc-vendors', '');
    await openLayer(page);
    for (const id of [1, 2, 5]) expect(findSwitch(page, 'consent', id).checked).to.equal(true);
    findSwitch(page, 'consent', 2).click();
    findSwitch(page, 'interest', 3).click();
    const before = page.events.length;
    await saveLayer(page);
    expect(page.events.slice(before).map(({ eventStatus }) => eventStatus)).to.deep.equal(['useractioncomplete']);
    expect(consents(page)).to.deep.equal(['1', '5']);
    expect(interests(page)).to.deep.equal(['1', '2']);
    const next = await openTcfPage({ noticeId: page.noticeId });
    await waitUntil(() => next.events.at(-1)?.eventStatus === 'tcloaded', 'the next page has it');
    expect([consents(next), interests(next)]).to.deep.equal([
      ['1', '5'],
      ['1', '2'],
    ]);
  });

  it('rejects all partners, including objections, and accepts all again', async () => {
    const page = await meetTcfBanner({ above: '<button data-svc-vendors>Partners</button>' });
    await decideInBanner(page, 'accept');
    await openLayer(page);
    await saveLayer(page, '[data-choice=reject]');
    expect([consents(page), interests(page)]).to.deep.equal([[], []]);
    await openLayer(page);
    for (const id of [1, 2, 5]) expect(findSwitch(page, 'consent', id).checked).to.equal(false);
    await saveLayer(page, '[data-choice=accept]');
    expect([consents(page), interests(page)]).to.deep.equal([
      ['1', '2', '5'],
      ['1', '2', '3'],
    ]);
  });

  it('gives no consent by "accept all partners" for purposes that are not granted', async () => {
    const page = await meetLayer();
    await saveLayer(page, '[data-choice=accept]');
    expect(consents(page)).to.deep.equal([]);
    await decideInBanner(page, 'reject');
    expect([consents(page), interests(page)]).to.deep.equal([[], []]);
  });

  it('keeps a refusal of a vendor when all purposes are accepted afterwards', async () => {
    const page = await meetLayer();
    await saveLayer(page, '[data-choice=reject]');
    await decideInBanner(page, 'accept');
    expect([consents(page), interests(page)]).to.deep.equal([[], []]);
  });

  it('notifies a page in another tab of the choice', async () => {
    const page = await meetTcfBanner({ above: '<button data-svc-vendors>Partners</button>' });
    await decideInBanner(page, 'accept');
    const other = await openTcfPage({ noticeId: page.noticeId });
    await waitUntil(() => other.events.at(-1)?.eventStatus === 'tcloaded', 'the other page has the string');
    await openLayer(page);
    await saveLayer(page, '[data-choice=reject]');
    await waitUntil(() => consents(other).length === 0, 'the other page is notified');
  });

  it('changes nothing when it is closed by Escape, and restores the focus', async () => {
    const page = await meetTcfBanner();
    await decideInBanner(page, 'accept');
    const opener = Object.assign(page.document.createElement('button'), { textContent: 'Partners' });
    opener.setAttribute('data-svc-vendors', '');
    page.document.querySelector('main')?.append(opener);
    page.window.focus();
    opener.focus();
    await openLayer(page);
    findSwitch(page, 'consent', 1).click();
    const before = page.events.length;
    await sendKeys({ press: 'Escape' });
    await waitUntil(() => !findInLayer(page, 'dialog'), 'the layer closes');
    expect(page.document.activeElement).to.equal(opener);
    expect(consents(page)).to.deep.equal(['1', '2', '5']);
    expect(page.events.slice(before), 'no listener is called without a change').to.deep.equal([]);
  });

  it('can be operated by keyboard only', async () => {
    const page = await meetTcfBanner();
    page.window.focus();
    findPartnersButton(page)?.focus();
    await sendKeys({ press: 'Enter' });
    await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
    const active = () => page.document.querySelector('svc-consent-vendors')?.shadowRoot?.activeElement;
    expect(active()?.className).to.equal('close');
    const stops: string[] = [];
    for (let stop = 0; stop < 5; stop++) {
      await sendKeys({ press: 'Tab' });
      stops.push(`${active()?.localName} ${active()?.getAttribute('aria-labelledby') ?? active()?.textContent}`);
    }
    expect(stops).to.deep.equal([
      'button Choose purposes',
      'summary Acorn Ads',
      'input name-1 consent-1',
      'input name-1 interest-1',
      'summary Birch Metrics',
    ]);
    await sendKeys({ press: 'Space' });
    await waitUntil(() => findInLayer(page, 'details[open] ul'), 'the vendor is opened');
  });

  it('links to the preferences, where the purposes are chosen', async () => {
    const page = await meetLayer();
    findInLayer(page, '[part=preferences]')?.click();
    await waitUntil(
      () => page.document.querySelector('svc-consent')?.shadowRoot?.querySelector('dialog:modal'),
      'the preferences open',
    );
    expect(findInLayer(page, 'dialog') ?? null).to.equal(null);
  });

  it('gives refusing and accepting the same look and size', async () => {
    const page = await meetLayer();
    const [reject, accept] = ['reject', 'accept'].map((choice) => findInLayer(page, `[data-choice=${choice}]`)) as [
      HTMLElement,
      HTMLElement,
    ];
    for (const property of [
      'color',
      'backgroundColor',
      'borderTopColor',
      'fontSize',
      'fontWeight',
      'padding',
    ] as const) {
      expect(getComputedStyle(reject)[property]).to.equal(getComputedStyle(accept)[property]);
    }
    expect(reject.getBoundingClientRect().width).to.equal(accept.getBoundingClientRect().width);
    expect(accept.getBoundingClientRect().height).to.be.at.least(44);
  });

  it('passes axe, with a vendor and a meaning opened, in light, dark and forced colours', async () => {
    const page = await meetLayer();
    await readDeclarations(page, 1);
    findInLayer(page, '.meaning')?.setAttribute('open', '');
    for (const colorScheme of ['light', 'dark'] as const) {
      await emulateMedia({ colorScheme });
      expect(await listAxeFindings(page), colorScheme).to.deep.equal([]);
    }
    await emulateForcedColors(true);
    // The system paints its own colours there, which axe cannot check.
    expect(await listAxeFindings(page, { 'color-contrast': { enabled: false } })).to.deep.equal([]);
  });

  for (const width of [320, 700]) {
    it(`fits into ${width} px, from left to right and from right to left, and passes axe`, async () => {
      for (const language of ['de', 'ar']) {
        const page = await meetTcfBanner({ language, direction: language === 'ar' ? 'rtl' : 'ltr' });
        page.frame.width = String(width);
        await openLayer(page);
        await readDeclarations(page, 1);
        const dialog = findInLayer<HTMLDialogElement>(page, 'dialog') as HTMLDialogElement;
        expect(dialog.dir).to.equal(language === 'ar' ? 'rtl' : 'ltr');
        expect(dialog.scrollWidth).to.be.at.most(dialog.clientWidth);
        for (const part of dialog.querySelectorAll('.body, footer')) {
          expect(part.scrollWidth, part.className).to.be.at.most(part.clientWidth);
        }
        expect(await listAxeFindings(page)).to.deep.equal([]);
        closePages();
      }
    });
  }

  it('takes the texts of the list in the language of the page if the site has them', async () => {
    const page = await meetLayer({ language: 'de', options: { purposeTexts: '/purposes-de.json' } });
    expect(findInLayer(page, '#title')?.textContent).to.equal('Unsere Partner');
    expect(await readDeclarations(page, 1)).to.contain('Zweck 1');
    expect(findInLayer(page, '.facts [lang=de]')?.textContent).to.match(/^Zweck/);
  });

  it('keeps the texts of the list, marked as English, if there are none in the language', async () => {
    const page = await meetLayer({ language: 'fr' });
    expect(findInLayer(page, '#title')?.textContent).to.equal('Nos partenaires');
    await readDeclarations(page, 1);
    expect(findInLayer(page, '.facts [lang=en]')?.textContent).to.equal('Purpose 1');
  });

  for (const [language, title] of Object.entries({
    es: 'Nuestros socios',
    it: 'I nostri partner',
    pt: 'Os nossos parceiros',
    nl: 'Onze partners',
    pl: 'Nasi partnerzy',
    sv: 'Our partners',
  })) {
    it(`is translated to ${language}: "${title}"`, async () => {
      const page = await meetLayer({ options: { language } });
      expect(findInLayer(page, '#title')?.textContent).to.equal(title);
    });
  }

  it('shows markup in names and texts as text', async () => {
    const hostile = '<img src=x onerror="parent.isHacked = true"><b>Bold</b>';
    const list = createVendorList({
      purposes: { 1: { id: 1, name: hostile, description: hostile, illustrations: [hostile] } },
      vendors: { 1: createVendor(1, hostile) },
    });
    const page = await meetLayer({ answerList: () => json(list), options: { vendors: [1] } });
    await readDeclarations(page, 1);
    findInLayer(page, '.meaning')?.setAttribute('open', '');
    await waitUntil(() => (findInLayer(page, '.meaning')?.childElementCount ?? 0) > 1, 'the meaning is written');
    expect(findInLayer(page, '#name-1')?.textContent).to.equal(hostile);
    expect(findInLayer(page, 'dialog')?.querySelectorAll('img, b')).to.have.length(0);
  });

  const listMany = (count: number) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const vendors = Object.fromEntries(ids.map((id) => [String(id), createVendor(id, `Vendor ${id}`)]));
    const options = { vendors: ids, purposes: 'marketing: 1' };
    return { answerList: () => json(createVendorList({ vendors })), options };
  };

  it('renders hundreds of vendors, the first of them immediately', async () => {
    const page = await meetLayer(listMany(350));
    await waitUntil(() => findInLayer(page, '.vendors')?.childElementCount === 350, 'all of them are there');
    findSwitch(page, 'consent', 350).click();
    await saveLayer(page);
    expect(readVendorChoices(page)).to.deep.include({ allowed: [350] });
  });

  it('refuses vendors that are not rendered yet when it is saved', async () => {
    const page = await meetLayer(listMany(10_000));
    expect(findInLayer(page, '.vendors')?.childElementCount).to.be.below(10_000);
    await saveLayer(page);
    await decideInBanner(page, 'accept');
    expect(consents(page)).to.have.length(0);
    expect(page.events.at(-1)?.vendor.disclosedVendors['10000']).to.equal(true);
  });

  it('opens with ten thousand vendors, and applies a choice to all of them', async () => {
    const page = await meetLayer(listMany(10_000));
    expect(findInLayer(page, '.vendors')?.childElementCount).to.be.at.least(100);
    await saveLayer(page, '[data-choice=reject]');
    await decideInBanner(page, 'accept');
    expect(consents(page)).to.have.length(0);
    expect(page.events.at(-1)?.vendor.disclosedVendors['10000']).to.equal(true);
    expect(page.events.at(-1)?.tcString.length, 'a run of vendors is short').to.be.below(200);
  });
});
