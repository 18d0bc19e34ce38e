import { expect, nextFrame } from '@open-wc/testing';
import { emulateMedia, sendKeys } from '@web/test-runner-commands';
import { showPlaceholder } from '../src/blocked-content/placeholder.ts';
import { emulateForcedColors, restoreMedia } from './media.ts';
import { waitUntil } from './wait-until.ts';

/** A frame in some layout of a page, and its placeholder. */
interface Covered {
  readonly page: HTMLElement;
  readonly frame: HTMLIFrameElement;
  readonly host: HTMLElement;
  readonly pressed: readonly string[];
  readonly remove: () => void;
}

const layouts: Readonly<Record<string, string>> = {
  'a line of text': '<p>Before <iframe width="300" height="150"></iframe> after</p>',
  'a block of its own':
    '<iframe style="display: block; width: 80%; height: 200px; margin: 3px auto"></iframe><p>After</p>',
  'a box that keeps its shape':
    '<div style="position: relative; padding-top: 40%"><iframe style="position: absolute; inset: 0; width: 100%; height: 100%"></iframe></div>',
  'a flexible row': '<div style="display: flex; gap: 20px"><b>1</b><iframe style="flex: 1"></iframe><b>2</b></div>',
  'a grid':
    '<div style="display: grid; grid-template-columns: 1fr 2fr; gap: 9px"><b>1</b><iframe style="width: 100%"></iframe><b>2</b><b>3</b></div>',
  'a page written from the right': '<div dir="rtl"><p>Before <iframe width="300" height="150"></iframe></p></div>',
  'a stack of layers': '<iframe style="position: relative; z-index: 5; width: 300px; height: 150px"></iframe>',
};

const covered: Covered[] = [];

function cover(layout: string, text = 'This content is not shown.'): Covered {
  const page = document.body.appendChild(document.createElement('main'));
  page.innerHTML = layout;
  const frame = page.querySelector('iframe') as HTMLIFrameElement;
  const pressed: string[] = [];
  const actions = (['show-once', 'preferences'] as const).map((name) => ({
    name,
    text: name === 'preferences' ? 'Preferences' : 'Show once',
    press: () => pressed.push(name),
  }));
  const remove = showPlaceholder(frame, { text, actions, language: 'en', direction: 'ltr' }, () => {});
  const host = [...document.querySelectorAll<HTMLElement>('svc-consent-placeholder')].at(-1) as HTMLElement;
  const added = { page, frame, host, pressed, remove };
  covered.push(added);
  return added;
}

function expectOver({ frame, host }: Covered): void {
  const [wanted, box] = [frame.getBoundingClientRect(), host.getBoundingClientRect()];
  for (const side of ['x', 'y', 'width', 'height'] as const) expect(box[side], side).to.be.closeTo(wanted[side], 0.5);
}

/** Two frames: resize observers run within the first, and once more than requested at the start. */
async function settle(): Promise<void> {
  await nextFrame();
  await nextFrame();
}

/** The positions of everything else on the page. */
function measureOthers({ page, host }: Covered): readonly string[] {
  return [...page.querySelectorAll('*')]
    .filter((element) => element !== host)
    .map((element) => JSON.stringify(element.getBoundingClientRect()));
}

describe('the placeholder over a blocked frame', () => {
  afterEach(async () => {
    for (const { page, remove } of covered.splice(0)) {
      remove();
      page.remove();
    }
    await restoreMedia();
  });

  for (const [width, height] of [
    [120, 90],
    [160, 120],
    [300, 150],
    [640, 360],
    [120, 400],
  ] as const) {
    it(`has both buttons whole, large enough to press and in sight, over a frame of ${width} × ${height}`, () => {
      const { host, pressed } = cover(`<iframe width="${width}" height="${height}" style="border: 0"></iframe>`);
      const root = host.shadowRoot as ShadowRoot;
      const frame = host.getBoundingClientRect();
      for (const button of root.querySelectorAll('button')) {
        const box = button.getBoundingClientRect();
        expect(Math.min(box.width, box.height), 'target').to.be.at.least(40);
        expect(box.top).to.be.at.least(frame.top);
        expect(box.bottom).to.be.at.most(frame.bottom);
        expect(button.scrollWidth, 'text').to.be.at.most(button.clientWidth);
        expect(root.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)).to.equal(button);
        button.click();
      }
      expect(pressed).to.deep.equal(['show-once', 'preferences']);
    });
  }

  it('is one button for the preferences over a smaller frame, which has a name', () => {
    const { host, pressed } = cover('<iframe width="100" height="60" style="border: 0"></iframe>');
    const root = host.shadowRoot as ShadowRoot;
    const { x, y, width, height } = host.getBoundingClientRect();
    const button = root.elementFromPoint(x + width / 2, y + height / 2) as HTMLElement;
    expect(button.innerText).to.equal('Preferences');
    button.click();
    expect(pressed).to.deep.equal(['preferences']);
    expect(root.querySelector('svg')?.checkVisibility()).to.equal(true);
  });

  it('has the corners of the frame, and follows them', async () => {
    const { host, frame } = cover('<iframe style="border-radius: 24px; width: 300px; height: 150px"></iframe>');
    const read = () => getComputedStyle(host.shadowRoot?.querySelector('[role=region]') as Element).borderTopLeftRadius;
    expect(read()).to.equal('24px');
    frame.style.borderRadius = '3px';
    frame.style.width = '301px';
    await waitUntil(() => read() === '3px', 'it follows');
  });

  for (const [name, layout] of Object.entries(layouts)) {
    it(`covers the frame in ${name}, causes no layout shift, and follows its size`, async () => {
      const box = cover(layout);
      expectOver(box);
      const { x, y, width, height } = box.host.getBoundingClientRect();
      for (const animation of box.host.shadowRoot?.getAnimations() ?? []) animation.finish();
      const shown = box.host.shadowRoot?.elementFromPoint(x + width / 2, y + height / 2);
      expect(shown?.closest('[role=region]')).to.not.equal(null);
      expect(getComputedStyle(box.host).zIndex).to.equal(getComputedStyle(box.frame).zIndex);
      const before = measureOthers(box);
      box.remove();
      expect(measureOthers(box)).to.deep.equal(before);
      const again = cover(layout);
      again.page.style.width = '400px';
      again.frame.style.height = '222px';
      await waitUntil(() => Math.abs(again.host.offsetHeight - again.frame.offsetHeight) < 1, 'it follows');
      expectOver(again);
    });
  }

  it('stays over the frame when content above it grows, and when a part of the page scrolls', async () => {
    const box = cover(
      '<p id="above">Above</p><div id="part" style="overflow: auto; height: 300px"><p style="height: 100px"></p><iframe></iframe><p style="height: 900px"></p></div>',
    );
    await settle();
    const above = box.page.querySelector('#above') as HTMLElement;
    above.style.height = '120px';
    await settle();
    expectOver(box);
    (box.page.querySelector('#part') as HTMLElement).scrollTop = 60;
    await settle();
    expectOver(box);
  });

  it('follows the frame when a neighbor moves it', async () => {
    const box = cover(
      '<div style="display: flex"><b style="flex: none">1</b><iframe style="flex: none"></iframe></div>',
    );
    await settle();
    const { left } = box.frame.getBoundingClientRect();
    (box.page.querySelector('b') as HTMLElement).style.width = '123px';
    await settle();
    expect(box.frame.getBoundingClientRect().left).to.be.above(left);
    expectOver(box);
  });

  it('shows its text as text, whatever it contains', () => {
    const box = cover('<iframe title="<i>A film</i>"></iframe>', 'You have not allowed: <b>Maps</b>.');
    const root = box.host.shadowRoot as ShadowRoot;
    expect([...root.querySelectorAll('p')].map(({ textContent }) => textContent)).to.deep.equal([
      '<i>A film</i>',
      'You have not allowed: <b>Maps</b>.',
    ]);
    expect(root.querySelector('b, i')).to.equal(null);
  });

  it('hands the focus to the frame that it uncovers', () => {
    const box = cover('<iframe></iframe>');
    box.host.shadowRoot?.querySelector('button')?.focus();
    box.remove();
    expect(document.activeElement).to.equal(box.frame);
  });

  it('changes nothing in the page, which a framework may still hydrate', async () => {
    const page = document.body.appendChild(document.createElement('main'));
    page.innerHTML =
      '<p>Before <img alt="A map" width="300" height="200" data-svc-purpose="marketing"> after</p><iframe></iframe>';
    const before = page.outerHTML;
    const seen = new MutationObserver(() => {});
    seen.observe(page, { attributes: true, childList: true, characterData: true, subtree: true });
    const removes = [...page.querySelectorAll<HTMLElement>('img,iframe')].map((frame) =>
      showPlaceholder(frame, { text: '', actions: [], language: 'en', direction: 'ltr' }, () => {}),
    );
    await settle();
    expect(page.getElementsByTagName('img')[0]?.width, 'an image has its size').to.equal(300);
    for (const remove of removes) remove();
    await settle();
    expect(seen.takeRecords()).to.be.empty;
    expect(page.outerHTML).to.equal(before);
    seen.disconnect();
    page.remove();
  });

  it('is restored when a router or a morph removes it, without a fight', async () => {
    const box = cover('<p>Before</p><iframe></iframe><p>After</p>');
    box.host.remove();
    await waitUntil(() => box.host.isConnected, 'it is there');
    expectOver(box);
    const removals: number[] = [];
    const library = new MutationObserver(() => {
      if (!box.host.isConnected) return;
      removals.push(performance.now());
      box.host.remove();
    });
    library.observe(document.body, { childList: true });
    box.host.remove();
    await waitUntil(() => removals.length === 5, 'it is removed five times');
    library.disconnect();
    for (const [index, shortest] of [45, 90, 180, 360].entries())
      expect((removals[index + 1] as number) - (removals[index] as number)).to.be.above(shortest);
    await waitUntil(() => box.host.isConnected, 'it is there in the end');
    box.remove();
    await settle();
    expect(box.host.isConnected, 'and it goes for good').to.equal(false);
  });

  it('is restored in its time on a busy page that scrolls', async () => {
    const box = cover('<iframe></iframe>');
    box.host.remove();
    await Promise.resolve();
    const due = performance.now() + 60;
    while (performance.now() < due);
    dispatchEvent(new Event('scroll'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(box.host.isConnected).to.equal(true);
  });

  it('removes one that a router kept with a copy of the page', () => {
    document.body.append(document.createElement('svc-consent-placeholder'));
    const box = cover('<iframe></iframe>');
    expect([...document.querySelectorAll('svc-consent-placeholder')]).to.deep.equal([box.host]);
  });

  it('shows only the part that a scrolled container shows of the frame, and does not widen the page', async () => {
    const box = cover(
      '<div style="overflow: hidden; width: 200px; height: 150px"><div style="width: 5000px; display: flex"><p style="flex: none; width: 100px; margin: 0"></p><iframe style="flex: none; width: 300px; height: 200px; border: 0"></iframe></div></div>',
    );
    const part = box.page.firstElementChild as HTMLElement;
    const { left, top } = part.getBoundingClientRect();
    const read = () => JSON.parse(JSON.stringify(box.host.getBoundingClientRect()));
    expect(read()).to.include({ left: left + 100, width: 100, top, height: 150 });
    expect(document.documentElement.scrollWidth).to.be.at.most(document.documentElement.clientWidth);
    part.scrollLeft = 150;
    await waitUntil(() => read().left === left, 'it follows');
    expect(read()).to.include({ width: 200 });
    part.scrollLeft = 450;
    await waitUntil(() => box.host.hidden, 'it is out of sight');
  });

  for (const [name, style] of [
    ['invisible', 'visibility: hidden'],
    ['transparent', 'opacity: 0'],
    ['not rendered', 'display: none'],
  ] as const) {
    it(`is not shown while a part of the page is ${name}`, async () => {
      const box = cover('<div><iframe></iframe></div>');
      const part = box.page.firstElementChild as HTMLElement;
      part.setAttribute('style', style);
      await waitUntil(() => box.host.hidden, 'it goes');
      part.removeAttribute('style');
      await waitUntil(() => !box.host.hidden, 'it comes');
      expectOver(box);
    });
  }

  it('is in the layer of a dialog that the page opens, and at the height of a box above the page', async () => {
    const box = cover('<dialog><iframe></iframe></dialog>');
    const dialog = box.page.querySelector('dialog') as HTMLDialogElement;
    expect(box.host.hidden).to.equal(true);
    dialog.showModal();
    await waitUntil(() => box.host.parentNode === dialog && !box.host.hidden, 'it is in the dialog');
    expectOver(box);
    dialog.close();
    const other = cover(
      '<div style="position: relative; z-index: 7"><iframe style="position: relative; z-index: 3"></iframe></div>',
    );
    expect(getComputedStyle(other.host).zIndex).to.equal('7');
  });

  it('follows a frame that is moved without any event', async () => {
    const { IntersectionObserver } = window;
    const isWatched = new Promise<void>((done) => {
      window.IntersectionObserver = class extends IntersectionObserver {
        override observe(target: Element): void {
          super.observe(target);
          if (target.localName === 'iframe') done();
        }
      };
    });
    const box = cover('<div style="height: 20px"></div><iframe></iframe>');
    const sheet = new CSSStyleSheet();
    await isWatched;
    window.IntersectionObserver = IntersectionObserver;
    await settle();
    document.adoptedStyleSheets.push(sheet);
    sheet.replaceSync('iframe { transform: translateX(40px) }');
    await waitUntil(() => {
      const [frame, host] = [box.frame, box.host].map((one) => one.getBoundingClientRect().left) as [number, number];
      return Math.abs(frame - host) < 1 && frame >= 40;
    }, 'it follows');
    document.adoptedStyleSheets.pop();
  });

  describe('with the Tab key', () => {
    const layout = `<button>A</button><iframe></iframe><img alt="" width="300" height="200" data-svc-purpose="x"><button>B</button>`;

    function coverAll() {
      const box = cover(layout);
      const image = box.page.querySelector('img') as HTMLElement;
      const actions = [{ name: 'preferences', text: 'Preferences', press: () => {} }] as const;
      const remove = showPlaceholder(image, { text: '', actions, language: 'en', direction: 'ltr' }, () => {});
      covered.push({ ...box, page: document.createElement('p'), remove });
      const [a, b] = box.page.querySelectorAll('button') as unknown as [HTMLElement, HTMLElement];
      const name = (): string => {
        const active = document.activeElement;
        return active?.shadowRoot ? `${active.shadowRoot.activeElement?.textContent}` : `${active?.textContent}`;
      };
      return { a, b, name };
    }

    it('is reached where its frame is, in both directions', async () => {
      const { a, b, name } = coverAll();
      const walk = async (): Promise<readonly string[]> => {
        const names: string[] = [];
        for (let step = 0; step < 4; step += 1) {
          await sendKeys({ press: 'Tab' });
          names.push(name());
        }
        return names;
      };
      a.focus();
      expect(await walk()).to.deep.equal(['Show once', 'Preferences', 'Preferences', 'B']);
      expect(document.activeElement).to.equal(b);
      await sendKeys({ down: 'Shift' });
      const back = await walk();
      await sendKeys({ up: 'Shift' });
      expect(back).to.deep.equal(['Preferences', 'Preferences', 'Show once', 'A']);
      expect(document.querySelectorAll('main span')).to.have.length(0);
    });

    it('is reached behind the last element of the page, and once', async () => {
      const { b, name } = coverAll();
      b.remove();
      const last = document.querySelector<HTMLElement>('main button');
      last?.focus();
      await sendKeys({ press: 'Tab' });
      expect(name()).to.equal('Show once');
      for (let step = 0; step < 2; step += 1) await sendKeys({ press: 'Tab' });
      expect(name()).to.equal('Preferences');
    });
  });

  it('is not shown over an invisibly small frame, and is shown when it grows', async () => {
    const box = cover('<iframe width="1" height="1"></iframe>');
    expect(box.host.checkVisibility()).to.equal(false);
    box.frame.width = box.frame.height = '300';
    await waitUntil(() => box.host.checkVisibility(), 'it comes');
    expectOver(box);
  });

  it('is shown when a hidden frame is shown', async () => {
    const box = cover('<div hidden><iframe></iframe></div>');
    expect(box.host.checkVisibility()).to.equal(false);
    (box.page.firstElementChild as HTMLElement).hidden = false;
    await waitUntil(() => box.host.checkVisibility(), 'it comes');
    expectOver(box);
  });

  it('is removed when the page removes the frame', async () => {
    const box = cover('<iframe></iframe>');
    box.frame.remove();
    await waitUntil(() => !box.host.isConnected, 'it goes');
  });

  it('passes axe, with a button of 44 px, in light and dark and forced colors', async () => {
    const box = cover('<iframe title="A film" style="width: 320px; height: 200px"></iframe>');
    for (const colorScheme of ['dark', 'light'] as const) {
      await emulateMedia({ colorScheme });
      await expect(box.host).to.be.accessible();
    }
    await emulateForcedColors(true);
    const { borderTopStyle } = getComputedStyle(box.host.shadowRoot?.querySelector('[role=region]') as Element);
    expect(borderTopStyle).to.equal('solid');
    const button = box.host.shadowRoot?.querySelector('button')?.getBoundingClientRect();
    expect(Math.min(button?.height ?? 0, button?.width ?? 0)).to.be.at.least(44);
  });
});
