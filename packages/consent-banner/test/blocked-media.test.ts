import { expect } from '@open-wc/testing';
import { accept, addBlocked, clearTags, listBoxes } from './blocked-tags.ts';
import { listenToConsole } from './network.ts';
import { isBannerShown, meetBanner, openPanel, press } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** A tenth of a second of silence. */
function createSound(): string {
  const samples = 800;
  const view = new DataView(new ArrayBuffer(44 + samples));
  const write = (at: number, text: string): void => {
    for (const [index, char] of [...text].entries()) view.setUint8(at + index, char.charCodeAt(0));
  };
  write(0, 'RIFF');
  view.setUint32(4, 36 + samples, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, 'data');
  view.setUint32(40, samples, true);
  for (let at = 44; at < 44 + samples; at++) view.setUint8(at, 128);
  return URL.createObjectURL(new Blob([view], { type: 'audio/wav' }));
}

describe('blocked images', () => {
  clearTags();

  it('have a placeholder of their final size, which names them, and offers to show them once', async () => {
    const holder = addBlocked(
      `<p>Before <img data-svc-purpose="marketing" data-svc-src="${pixel}" width="300" height="200" alt="A <b>map</b>"> after</p>`,
    );
    const image = holder.querySelector('img') as HTMLImageElement;
    const visit = await meetBanner();
    await waitUntil(() => listBoxes().length, 'the box is there');
    const [box] = listBoxes() as [HTMLElement];
    const [wanted, shown] = [image.getBoundingClientRect(), box.getBoundingClientRect()];
    expect([shown.width, shown.height]).to.deep.equal([300, 200]);
    expect([shown.x, shown.y]).to.deep.equal([wanted.x, wanted.y]);
    const root = box.shadowRoot as ShadowRoot;
    expect(root.querySelector('p')).to.have.text('A <b>map</b>');
    expect(root.textContent).to.contain('Marketing');
    await expect(box).to.be.accessible();
    const before = holder.getBoundingClientRect().height;
    root.querySelector('button')?.click();
    await waitUntil(() => image.getAttribute('src') === pixel, 'the image comes');
    expect(listBoxes()).to.be.empty;
    expect(image.style.length).to.equal(0);
    expect(image.inert).to.equal(false);
    await waitUntil(() => image.complete && image.naturalWidth, 'it is drawn');
    expect(holder.getBoundingClientRect().height, 'nothing moves').to.be.closeTo(before, 1);
    expect(window.SvcConsent.get(), 'nothing is decided').to.equal(null);
    expect(isBannerShown(visit), 'and the visitor is still asked').to.equal(true);
    expect(visit.network.records).to.be.empty;
  });

  it('keep their shape if the page makes images as narrow as its columns', async () => {
    addBlocked(
      `<style>.held img { max-width: 100%; height: auto }</style><div style="width: 150px">
        <img data-svc-purpose="marketing" data-svc-src="${pixel}" width="300" height="200" alt="A map"></div>`,
    );
    await meetBanner();
    await waitUntil(() => listBoxes().length, 'the box is there');
    const { width, height } = (listBoxes()[0] as Element).getBoundingClientRect();
    expect([width, height]).to.deep.equal([150, 100]);
  });

  it('have no placeholder if they are tracking pixels, or have no size', async () => {
    const image = (size: string): string => `<img alt="" data-svc-purpose="marketing" data-svc-src="${pixel}" ${size}>`;
    addBlocked(
      image('width="1" height="1"') +
        image('width="2" height="2"') +
        image('width="0" height="0"') +
        image('') +
        image('width="300"') +
        image('style="width: 300px; height: 200px"') +
        '<iframe title="A map" data-svc-purpose="marketing" data-svc-src="/visitor-page/blank"></iframe>',
    );
    await meetBanner();
    await waitUntil(() => listBoxes().length, 'the box of the frame is there');
    expect(document.querySelectorAll('svc-consent-placeholder')).to.have.length(1);
    expect(document.querySelectorAll('.held img[style*=inline-block]')).to.be.empty;
  });

  it('wait together with the sources of a picture', async () => {
    const holder = addBlocked(`<picture><source data-svc-purpose="marketing" data-svc-srcset="${pixel} 1x">
      <img alt="A map" data-svc-purpose="marketing" data-svc-src="${pixel}#one" data-svc-srcset="${pixel}#two 2x"></picture>`);
    const visit = await meetBanner();
    expect(holder.querySelectorAll('[src], [srcset]')).to.be.empty;
    await press(visit, accept);
    await waitUntil(() => holder.querySelectorAll('[srcset]').length === 2, 'both come');
    expect(holder.querySelector('img')?.currentSrc).to.equal(pixel);
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    await waitUntil(() => !holder.querySelector('[src], [srcset]'), 'both go');
  });
});

describe('blocked sound and video', () => {
  clearTags();

  for (const [name, markup] of [
    ['a video', (source: string) => `<video data-svc-purpose="marketing" data-svc-src="${source}"></video>`],
    ['a sound', (source: string) => `<audio data-svc-purpose="marketing" data-svc-src="${source}"></audio>`],
    [
      'the source of a sound',
      (source: string) =>
        `<audio><source type="audio/wav" data-svc-purpose="marketing" data-svc-src="${source}"></audio>`,
    ],
  ] as const) {
    it(`${name} loads with its purpose, and is silent when that is withdrawn`, async () => {
      const holder = addBlocked(markup(createSound()));
      const player = holder.firstElementChild as HTMLMediaElement;
      addBlocked(`<img alt="" width="300" height="200" data-svc-purpose="marketing" data-svc-src="${pixel}">`);
      const visit = await meetBanner();
      await waitUntil(() => listBoxes().length, 'all are blocked');
      expect(player.currentSrc).to.equal('');
      await press(visit, accept);
      await waitUntil(() => player.readyState > 0, 'it is there');
      await openPanel(visit);
      await press(visit, 'footer [data-choice=reject]');
      await waitUntil(() => player.readyState === 0, 'nothing of it is left');
      expect(holder.querySelector('[src]')).to.equal(null);
      await whenReleased();
      expect(player.readyState).to.equal(0);
    });
  }

  it('a video with a size has a placeholder, and its poster waits as well', async () => {
    const holder = addBlocked(
      `<video title="A film" width="320" height="180" data-svc-purpose="marketing" data-svc-poster="${pixel}" data-svc-src="${createSound()}"></video>`,
    );
    const visit = await meetBanner();
    await waitUntil(() => listBoxes().length, 'the box is there');
    expect(holder.querySelector('video')?.hasAttribute('poster')).to.equal(false);
    const [box] = listBoxes() as [HTMLElement];
    expect(box.shadowRoot?.querySelector('p')).to.have.text('A film');
    expect(box.getBoundingClientRect().width).to.equal(320);
    await press(visit, accept);
    await waitUntil(() => holder.querySelector('video')?.getAttribute('poster') === pixel, 'it comes');
    await waitUntil(() => !listBoxes().length, 'the box goes');
  });

  it('a player does not restart for a blocked child, nor for a second source', async () => {
    const sound = createSound();
    const held = 'data-svc-purpose="marketing"';
    const holder = addBlocked(`<audio id="own" src="${sound}"><img alt="" ${held} data-svc-src="${pixel}"></audio>
      <audio id="held"><source ${held} data-svc-src="${sound}"><source ${held} data-svc-src="${sound}#2"></audio>`);
    const [own, other] = holder.querySelectorAll('audio') as unknown as [HTMLAudioElement, HTMLAudioElement];
    await waitUntil(() => own.readyState > 0, 'it is there');
    const starts = { own: 0, held: 0 };
    own.addEventListener('emptied', () => starts.own++);
    other.addEventListener('loadstart', () => starts.held++);
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => other.readyState > 0 && holder.querySelector('img')?.src, 'all is there');
    await whenReleased();
    expect(starts).to.deep.equal({ own: 0, held: 1 });
  });

  it('no placeholder covers a tag that shows or plays by itself, whatever it names', async () => {
    listenToConsole();
    const size = 'width="320" height="180" data-svc-purpose="marketing"';
    addBlocked(`<object ${size} data="${pixel}"></object><img alt="" ${size} srcset="${pixel} 1x">
      <video ${size}><source src="${createSound()}"></video>
      <picture><source ${size} data-svc-srcset="${pixel} 1x"><img alt=""></picture>
      <iframe title="A map" src="" ${size} data-svc-src="/visitor-page/blank"></iframe>`);
    await meetBanner();
    await waitUntil(() => listBoxes().length, 'the box of the frame is there');
    expect(document.querySelectorAll('svc-consent-placeholder')).to.have.length(1);
  });
});
