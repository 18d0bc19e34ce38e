import { expect } from '@open-wc/testing';
import { holdRequests } from '../src/add-ons/requests/index.ts';
import { restorePage } from './network.ts';
import { countRequests, createAddress, nameHost } from './requests-network.ts';
import { leavePage, meetBanner, openPanel, press } from './visitor.ts';
import { waitUntil } from './wait-until.ts';

const held = nameHost('tracker');
const accept = '.banner [data-choice=accept]';

describe('what the requests add-on has held, with the banner', () => {
  let holder: HTMLElement;
  let stop: () => void;

  beforeEach(async () => {
    await leavePage();
    holder = document.body.appendChild(document.createElement('div'));
    stop = holdRequests({ requests: `statistics: ${held}` });
  });

  afterEach(() => {
    stop();
    restorePage();
    holder.remove();
  });

  function addScript(name: string): HTMLScriptElement {
    const script = document.createElement('script');
    script.src = createAddress(held, `/visitor-page/held.js`);
    script.async = false;
    script.onload = () => ran.push(name);
    return holder.appendChild(script);
  }
  const ran: string[] = [];

  it('runs in order with the consent, with its listeners, and is known to the banner as waiting', async () => {
    const scripts = ['one', 'two'].map(addScript);
    const frame = Object.assign(document.createElement('iframe'), { src: createAddress(held), title: 'A map' });
    holder.append(frame);
    const visit = await meetBanner();
    await waitUntil(() => document.querySelector('svc-consent-placeholder'), 'the frame is covered');
    expect(scripts.map(({ src }) => countRequests(src))).to.deep.equal([0, 0]);
    const addresses = scripts.map(({ src }) => src);
    await press(visit, accept);
    await waitUntil(() => ran.length === 2, 'both run');
    expect(ran).to.deep.equal(['one', 'two']);
    expect(addresses.map(countRequests)).to.deep.equal([1, 1]);
    expect(scripts.map(({ type }) => type)).to.deep.equal(['', '']);
    await waitUntil(() => countRequests(frame.src) > 0, 'the frame comes');
  });

  it('is taken back with the consent, also what the page has set since', async () => {
    const image = Object.assign(new Image(), { src: createAddress(held) });
    holder.append(image);
    const visit = await meetBanner();
    await press(visit, accept);
    await waitUntil(() => image.hasAttribute('src'), 'the image comes');
    const next = createAddress(held);
    image.src = next;
    await openPanel(visit);
    await press(visit, 'footer [data-choice=reject]');
    await waitUntil(() => !image.hasAttribute('src'), 'the image goes');
    await openPanel(visit);
    await press(visit, 'footer [data-choice=accept]');
    await waitUntil(() => image.getAttribute('src') === next, 'the latest comes again');
  });
});
