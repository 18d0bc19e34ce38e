import { expect } from '@open-wc/testing';
import { sendKeys, sendMouse } from '@web/test-runner-commands';
import {
  everything,
  find,
  findBanner,
  findDialog,
  isAsked,
  isPreferencesShown,
  leaveView,
  listSwitches,
  markup,
  meetView,
  nothingOptional,
  openPreferences,
  pressIn,
  type ViewVisit,
} from './elements-page.ts';
import { restorePage } from './network.ts';
import { waitUntil } from './wait-until.ts';

const pageNow = performance.now;
const acceptFirst = markup.replace(
  /(<button data-svc="reject">[^<]*<\/button>)(<button data-svc="accept">[^<]*<\/button>)/g,
  '$2$1',
);

/** Puts what is shown from now on so many milliseconds after the moment in which it is. */
function shiftClock(milliseconds: number): void {
  performance.now = () => pageNow.call(performance) + milliseconds;
}

/** What a layer that is shown now had in the next frame. */
async function settle(): Promise<void> {
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
}

async function click(element: Element): Promise<void> {
  const { left, top, width, height } = element.getBoundingClientRect();
  const position: [number, number] = [Math.round(left + width / 2), Math.round(top + height / 2)];
  await sendMouse({ type: 'click', position });
}

const read = () => window.SvcConsent.get()?.purposes ?? null;

describe('a press in a view of building blocks', () => {
  afterEach(async () => {
    performance.now = pageNow;
    document.querySelector('form.of-the-page')?.remove();
    await leaveView();
    restorePage();
    localStorage.clear();
  });

  describe('in a form of the page', () => {
    /** A search around the view, as a framework of one form for each page has it. */
    function surround({ view }: ViewVisit): { readonly field: HTMLInputElement; readonly sent: string[] } {
      const form = document.createElement('form');
      form.className = 'of-the-page';
      const sent: string[] = [];
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        sent.push((event.submitter as HTMLElement).textContent);
      });
      const field = document.createElement('input');
      const search = document.createElement('button');
      search.textContent = 'Search';
      document.body.append(form);
      form.append(view, field, search);
      return { field, sent };
    }

    for (const [name, html] of [
      ['no type', acceptFirst.replace('<button data-svc="open">Choose</button>', '')],
      ['the type submit', acceptFirst.replaceAll('<button ', '<button type="submit" ')],
    ] as const) {
      it(`is not made by Enter in a field of it, where the buttons have ${name}`, async () => {
        const visit = await meetView({ html });
        const { field, sent } = surround(visit);
        await waitUntil(() => isAsked(visit), 'it asks there');
        field.focus();
        await sendKeys({ press: 'Enter' });
        expect(read()).to.equal(null);
        expect(isPreferencesShown(visit)).to.equal(false);
        expect(sent).to.deep.equal(['Search']);
      });
    }

    it('is not made by Enter there once the buttons are hidden', async () => {
      const visit = await meetView({ html: markup.replace('<button data-svc="open">Choose</button>', '') });
      const { field, sent } = surround(visit);
      await waitUntil(() => isAsked(visit), 'it asks there');
      pressIn(findBanner(visit), 'accept');
      field.focus();
      await sendKeys({ press: 'Enter' });
      expect(read()).to.deep.equal(everything);
      expect(sent).to.deep.equal(['Search']);
    });

    it('is not made by Enter on a switch, where the dialog has a form', async () => {
      const html = acceptFirst
        .replace('<h2 id="preferences-title">', '<form method="dialog">$&')
        .replace('</dialog>', '</form></dialog>')
        .replace(/<button data-svc="(save|close)">\w+<\/button>/g, '');
      const visit = await meetView({
        html: html.replace('</form></dialog>', '<button data-svc="save">Save</button>$&'),
      });
      await openPreferences(visit);
      listSwitches(visit)[1]?.focus();
      await sendKeys({ press: 'Enter' });
      expect(read()).to.equal(null);
      expect(isPreferencesShown(visit)).to.equal(true);
    });

    it('is not made by what a purpose has a button for', async () => {
      const visit = await meetView({ html: markup.replace('<li>', '<li><button data-svc="withdraw">Back</button>') });
      await openPreferences(visit);
      const types = [...visit.view.querySelectorAll('button')].map(({ type }) => type);
      expect(new Set(types)).to.deep.equal(new Set(['button']));
      const late = document.createElement('button');
      late.dataset.svc = 'reject';
      findDialog(visit).append(late);
      await waitUntil(() => late.type === 'button', 'what comes later is a button, too');
    });
  });

  for (const role of ['accept', 'reject', 'save', 'withdraw']) {
    it(`does nothing by ${role} in a dialog that has come under the pointer but now, and counts afterwards`, async () => {
      const visit = await meetView({
        html: markup.replace('data-svc="save"', `data-svc="withdraw">Back</button><button $&`),
      });
      if (role === 'withdraw') pressIn(findBanner(visit), 'accept');
      const before = read();
      shiftClock(60_000);
      await openPreferences(visit);
      await settle();
      await click(find(visit, `dialog [data-svc=${role}]`));
      expect(read()).to.deep.equal(before);
      expect(isPreferencesShown(visit)).to.equal(true);
      findDialog(visit).close();
      shiftClock(-60_000);
      await openPreferences(visit);
      await settle();
      performance.now = pageNow;
      await click(find(visit, `dialog [data-svc=${role}]`));
      expect(read()).to.deep.equal(role === 'accept' ? everything : nothingOptional);
    });
  }

  it('closes a dialog at once, and does not go through it to the banner behind', async () => {
    shiftClock(-60_000);
    const visit = await meetView();
    await openPreferences(visit);
    await settle();
    shiftClock(60_000);
    await click(find(visit, 'dialog [data-svc=close]'));
    expect(isPreferencesShown(visit)).to.equal(false);
    await settle();
    await click(find(visit, '[data-svc=banner] [data-svc=accept]'));
    expect(read()).to.equal(null);
  });

  it('does nothing in a banner that has come but now', async () => {
    shiftClock(60_000);
    const visit = await meetView();
    await settle();
    await click(find(visit, '[data-svc=banner] [data-svc=accept]'));
    expect(read()).to.equal(null);
  });

  it('counts at once for who came to it by Tab', async () => {
    shiftClock(60_000);
    const visit = await meetView();
    await settle();
    find(visit, '[data-svc=banner] [data-svc=reject]').focus();
    await sendKeys({ press: 'Enter' });
    expect(read()).to.equal(null);
    await sendKeys({ press: 'Tab' });
    await sendKeys({ press: 'Enter' });
    expect(read()).to.deep.equal(everything);
  });

  it('is one press where Enter is held, whatever has the focus then', async () => {
    const ahead = '<button data-svc="accept">Accept all</button><button data-svc="reject">Reject all</button>';
    const visit = await meetView({ html: markup.replace('<h2 id="preferences-title">', `${ahead}$&`) });
    find(visit, '[data-svc=banner] [data-svc=open]').focus();
    shiftClock(-60_000);
    await sendKeys({ down: 'Enter' });
    await settle();
    expect(document.activeElement === find(visit, 'dialog [data-svc=accept]')).to.equal(true);
    await sendKeys({ down: 'Enter' });
    await sendKeys({ up: 'Enter' });
    expect(read()).to.equal(null);
    await sendKeys({ press: 'Enter' });
    expect(read()).to.deep.equal(everything);
  });
});
