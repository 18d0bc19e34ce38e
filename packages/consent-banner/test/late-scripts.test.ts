import { expect } from '@open-wc/testing';
import { accept, addBlocked, clearTags, page, serve } from './blocked-tags.ts';
import { meetBanner, press } from './visitor.ts';
import { waitUntil, whenReleased } from './wait-until.ts';

// Scripts that are released after the page has loaded, and were written for a page that is being parsed.

function holdScripts(...scripts: readonly (readonly [code: string, more?: string])[]): HTMLElement {
  const tags = scripts.map(
    ([code, more = '']) => `<script type="text/plain" data-svc-purpose="statistics" ${more}>${code}</script>`,
  );
  return addBlocked(`<p>Before</p>${tags.join('')}<p>After</p>`);
}

const read = (holder: HTMLElement): string => holder.innerHTML.replace(/<script.*?<\/script>/gs, '|');

async function release(): Promise<void> {
  await press(await meetBanner(), accept);
}

describe('a script that is released late', () => {
  clearTags();

  it('writes behind itself with document.write, and the page stays', async () => {
    const holder = holdScripts(
      [`document.open(); document.write('<b>', 'one'); document.writeln('</b>'); document.close(); ran.push('one')`],
      [`document.write('<i id="ad"></i>'); document.getElementById('ad').textContent = 'two'; ran.push('two')`],
    );
    await release();
    await waitUntil(() => page.ran.length === 2, 'both run');
    expect(read(holder)).to.equal('<p>Before</p>|<b>one</b>\n|<i id="ad">two</i><p>After</p>');
  });

  it('writes what is complete at once, and the rest when it ends', async () => {
    const holder = holdScripts([
      `document.write('<em title="a'); document.write('b">x'); ran.push(document.querySelectorAll('.held em').length); document.write('</em><p>y')`,
    ]);
    await release();
    await waitUntil(() => page.ran.length, 'it runs');
    expect(page.ran).to.deep.equal([0]);
    expect(read(holder)).to.equal('<p>Before</p>|<em title="ab">x</em><p>y</p><p>After</p>');
  });

  it('runs the scripts that it writes in order, also fetched ones, before the next script', async () => {
    const [one, three, five] = ['one', 'three', 'five'].map((name) =>
      serve(`ran.push('${name}'); document.write('<u>${name}</u>')`),
    );
    const holder = holdScripts(
      [
        `document.write('<script src="${one}"><\\/script><script>ran.push("two"); document.write("<u>two</u>")<\\/script>');
         document.write('<script src="${three}"><\\/script>'); ran.push('first')`,
      ],
      [`ran.push('four')`],
      ['', `data-svc-src="${five}"`],
    );
    await release();
    await waitUntil(() => page.ran.length === 6, 'all run');
    expect(page.ran).to.deep.equal(['first', 'one', 'two', 'three', 'four', 'five']);
    await waitUntil(() => holder.querySelectorAll('u').length === 4, 'all is written');
    expect([...holder.querySelectorAll('u')].map(({ textContent }) => textContent)).to.deep.equal([
      'one',
      'two',
      'three',
      'five',
    ]);
  });

  it('writes from an async script as well', async () => {
    const holder = holdScripts(['', `async data-svc-src="${serve(`document.write('<b>late</b>')`)}"`]);
    await release();
    await waitUntil(() => holder.querySelector('b'), 'it is written');
    expect(read(holder)).to.equal('<p>Before</p>|<b>late</b><p>After</p>');
  });

  it('gets no call of other scripts: the page may write, and the methods are its own again', async () => {
    holdScripts([`ran.push(Object.hasOwn(document, 'write'))`]);
    await release();
    await waitUntil(() => page.ran.length, 'it runs');
    await waitUntil(() => !Object.hasOwn(document, 'write'), 'it is restored');
    for (const name of ['writeln', 'open', 'close', 'addEventListener'])
      expect(Object.hasOwn(document, name)).to.equal(false);
    expect(Object.getOwnPropertyDescriptor(window, 'addEventListener')).to.equal(undefined);
  });

  it('has the listeners called that wait for the page to load, after the last script, in the order of the events', async () => {
    holdScripts(
      [
        `window.addEventListener('load', (event) => ran.push('load ' + event.type));
         document.addEventListener('DOMContentLoaded', { handleEvent() { ran.push('ready ' + (window.later ?? '')) } });
         document.addEventListener('readystatechange', function () { ran.push(this === document && document.readyState) });
         addEventListener('DOMContentLoaded', () => addEventListener('pageshow', () => ran.push('shown')));
         document.addEventListener('DOMContentLoaded', () => { throw new Error('expected') })`,
      ],
      ['', `data-svc-src="${serve(`window.later = 'later'`)}"`],
      [`window.onload = () => ran.push('onload')`],
    );
    const { onerror } = window;
    window.onerror = () => true;
    await release();
    await waitUntil(() => page.ran.length === 5, 'all run');
    window.onerror = onerror;
    window.onload = null;
    expect(page.ran).to.deep.equal(['complete', 'ready later', 'load load', 'onload', 'shown']);
  });

  it('has the listeners of a module called', async () => {
    holdScripts(
      [`addEventListener('load', () => ran.push('inline'))`, 'data-svc-type="module"'],
      ['', `data-svc-type="module" data-svc-src="${serve(`addEventListener('load', () => ran.push('fetched'))`)}"`],
    );
    await release();
    await waitUntil(() => page.ran.length === 2, 'both run');
    expect(page.ran).to.have.members(['inline', 'fetched']);
  });

  it('has no listener of another script called', async () => {
    const other = (): unknown => page.ran.push('other');
    await waitUntil(() => !Object.hasOwn(document, 'write'), 'no script of another test runs');
    holdScripts(
      [`dispatchEvent(new Event('held-runs'))`],
      ['', `data-svc-src="${serve(`addEventListener('load', () => ran.push('own'))`)}"`],
    );
    addEventListener('held-runs', () => setTimeout(() => addEventListener('load', other)), { once: true });
    await release();
    await whenReleased();
    await waitUntil(() => page.ran.length, 'its listener is called');
    removeEventListener('load', other);
    expect(page.ran).to.deep.equal(['own']);
  });

  it('stays as the page wrote it, so that a router finds it again', async () => {
    const tag = `<script type="text/plain" data-svc-purpose="statistics" data-svc-src="${serve(`ran.push('head')`)}"></script>`;
    document.head.append(document.createRange().createContextualFragment(tag));
    const script = document.head.lastElementChild as HTMLScriptElement;
    await release();
    await waitUntil(() => page.ran.length, 'it runs');
    await waitUntil(() => script.outerHTML === tag, 'it is as it was');
    // A router that replaces the head inserts it again.
    script.remove();
    document.head.append(document.createRange().createContextualFragment(tag));
    const again = document.head.lastElementChild as HTMLScriptElement;
    await whenReleased();
    expect(page.ran).to.deep.equal(['head']);
    again.remove();
  });
});
