import { expect, nextFrame } from '@open-wc/testing';
import { emulateMedia } from '@web/test-runner-commands';
import { showPlaceholder } from '../src/panel/show-placeholder.ts';
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
  const host = page.querySelector('svc-consent-placeholder') as HTMLElement;
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
    const read = () => getComputedStyle(host.shadowRoot?.querySelector('[role=group]') as Element).borderTopLeftRadius;
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
      expect(shown?.closest('[role=group]')).to.not.equal(null);
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

  it('makes the frame inert while it is shown, and restores it', () => {
    const box = cover('<iframe inert></iframe>');
    box.remove();
    expect(box.frame.inert).to.equal(true);
    const other = cover('<iframe></iframe>');
    expect(other.frame.inert).to.equal(true);
    other.remove();
    expect(other.frame.inert).to.equal(false);
    expect(other.page.querySelector('svc-consent-placeholder')).to.equal(null);
  });

  it('is restored, with the frame inert, when a morph writes the first markup of the page over both', async () => {
    const box = cover('<p>Before</p><iframe></iframe><p>After</p>');
    box.host.remove();
    box.frame.inert = false;
    await waitUntil(() => box.host.isConnected, 'it is there');
    expect(box.frame.inert).to.equal(true);
    expectOver(box);
    box.remove();
    await settle();
    expect(box.host.isConnected, 'and it goes for good').to.equal(false);
  });

  it('replaces one that a router kept with a copy of the page, and releases the frame', () => {
    const first = cover('<iframe></iframe>');
    const box = cover(first.page.innerHTML);
    expect(box.page.querySelectorAll('svc-consent-placeholder')).to.have.length(1);
    expectOver({ ...box, host: box.page.querySelector('svc-consent-placeholder') as HTMLElement });
    box.remove();
    expect(box.frame.inert).to.equal(false);
    expect(box.page.querySelector('svc-consent-placeholder')).to.equal(null);
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
    const { borderTopStyle } = getComputedStyle(box.host.shadowRoot?.querySelector('[role=group]') as Element);
    expect(borderTopStyle).to.equal('solid');
    const button = box.host.shadowRoot?.querySelector('button')?.getBoundingClientRect();
    expect(Math.min(button?.height ?? 0, button?.width ?? 0)).to.be.at.least(44);
  });
});
