import { expect } from '@open-wc/testing';
import { holdRequests } from '../src/add-ons/requests/index.ts';
import { listenToConsole, restorePage } from './network.ts';
import { countRequests, createAddress, nameHost, settleRequests } from './requests-network.ts';

const held = nameHost('tracker');

/** The ways in which a tag gets a listed address without a property or a plain setAttribute. */
const ways: Readonly<Record<string, (address: string, holder: HTMLElement) => unknown>> = {
  'a frame, out of a template': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<iframe src="${address}"></iframe>`;
    holder.append(document.importNode(template.content, true));
  },
  'an image, out of a template': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<p><img alt="" src="${address}"></p>`;
    holder.append((template.content.firstElementChild as Element).cloneNode(true));
  },
  'an image, in a shadow tree': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<img alt="" src="${address}">`;
    const host = holder.appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'closed' }).append(document.importNode(template.content, true));
  },
  'a frame, of a template that is emptied': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<iframe src="${address}"></iframe>`;
    holder.append(template.content);
  },
  'a style sheet, of a template that is emptied': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<link rel="stylesheet" href="${address}">`;
    holder.insertBefore(template.content.firstChild as Node, null);
  },
  'an image, of a template within what a parser has made': (address, holder) => {
    const parsed = new DOMParser().parseFromString(`<template><img alt="" src="${address}"></template>`, 'text/html');
    const image = parsed.querySelector('template')?.content.firstChild as Node;
    document.createElement('p').appendChild(image);
    holder.append(image);
  },
  'a frame, of a template, in the place of another tag': (address, holder) => {
    const template = document.createElement('template');
    template.innerHTML = `<p><iframe src="${address}"></iframe></p>`;
    holder.append(document.createElement('i'));
    holder.firstElementChild?.replaceWith(template.content);
  },
  'a frame, of an answer to XMLHttpRequest': async (address, holder) => {
    const xhr = new XMLHttpRequest();
    const loaded = new Promise((resolve) => xhr.addEventListener('load', resolve));
    xhr.open('GET', URL.createObjectURL(new Blob([`<iframe src="${address}"></iframe>`], { type: 'text/html' })));
    xhr.responseType = 'document';
    xhr.send();
    await loaded;
    holder.insertAdjacentElement('beforeend', xhr.response.querySelector('iframe'));
  },
  'an image, of another document': (address, holder) => {
    const parsed = new DOMParser().parseFromString(`<img alt="" src="${address}">`, 'text/html');
    holder.append(...parsed.body.childNodes);
  },
  'an image, by setHTMLUnsafe': (address, holder) => holder.setHTMLUnsafe(`<img alt="" src="${address}">`),
  'an image, by setHTML': (address, holder) => {
    const { setHTML } = holder as unknown as { setHTML?(markup: string, options: object): void };
    setHTML?.call(holder, `<img src="${address}">`, { sanitizer: { elements: ['img'], attributes: ['src'] } });
  },
  'an image, by outerHTML within a fragment': (address, holder) => {
    const fragment = new DocumentFragment();
    fragment.append(document.createElement('i'));
    (fragment.firstElementChild as Element).outerHTML = `<img alt="" src="${address}">`;
    holder.append(fragment);
  },
  'a script, by setAttributeNode': (address, holder) => {
    const script = document.createElement('script');
    const node = document.createAttribute('src');
    node.value = address;
    script.setAttributeNode(node);
    holder.append(script);
  },
  'a script whose type is removed': (address, holder) => {
    const script = Object.assign(document.createElement('script'), { src: address });
    script.removeAttribute('type');
    holder.append(script);
  },
  'a script whose type is toggled': (address, holder) => {
    const script = Object.assign(document.createElement('script'), { src: address });
    script.toggleAttribute('type');
    holder.append(script);
  },
  'a script of another type, which becomes one that runs': (address, holder) => {
    const script = Object.assign(document.createElement('script'), { type: 'text/x-later', src: address });
    script.type = 'text/javascript';
    holder.append(script);
  },
  'a link that becomes a style sheet': (address, holder) => {
    const link = Object.assign(document.createElement('link'), { rel: 'canonical', href: address });
    holder.append(link);
    link.rel = 'stylesheet';
  },
  'a preload of several images': (address, holder) => {
    const link = Object.assign(document.createElement('link'), { rel: 'preload', as: 'image' });
    link.imageSrcset = `${address} 1x`;
    holder.append(link);
  },
  'a script of SVG': (address, holder) => {
    const script = document.createElementNS('http://www.w3.org/2000/svg', 'script');
    script.setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', address);
    holder.append(script);
  },
};

describe('the tags of the requests add-on', () => {
  let holder: HTMLElement;
  let stop: () => void;

  beforeEach(() => {
    holder = document.body.appendChild(document.createElement('div'));
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(1000);
    stop = holdRequests({ requests: `statistics: ${held}` });
  });

  afterEach(() => {
    stop();
    restorePage();
    holder.remove();
  });

  for (const [name, put] of Object.entries(ways)) {
    it(`block requests by ${name}`, async () => {
      const [before, free] = [createAddress(held), createAddress(nameHost('free'))];
      await put(before, holder);
      await put(free, holder);
      await settleRequests();
      expect(countRequests(before)).to.equal(0);
    });
  }

  it('keep the meaning of markup where it is inserted', () => {
    const root = document.documentElement.cloneNode() as HTMLElement;
    const image = `<img alt="" src="${createAddress(held)}">`;
    root.innerHTML = `<head><title>One</title></head><body>${image}</body>`;
    expect([...root.children].map(({ localName }) => localName)).to.deep.equal(['head', 'body']);
    root.insertAdjacentHTML('beforeend', `<p>Two</p>${image}`);
    expect([...root.children].map(({ localName }) => localName)).to.deep.equal(['head', 'body', 'p', 'img']);
    expect(root.querySelectorAll('[data-svc-purpose]')).to.have.length(2);
    const table = holder.appendChild(document.createElement('table'));
    table.innerHTML = `<tr><td>${image}</td></tr>`;
    expect(table.querySelectorAll('tbody > tr > td > [data-svc-purpose]')).to.have.length(1);
  });

  it('keep the content of noscript text, as a page with scripts sees it', () => {
    const text = `<img alt="" src="${createAddress(held)}">`;
    holder.innerHTML = `<noscript>${text}</noscript><img alt="" src="${createAddress(held)}">`;
    expect([holder.firstElementChild?.textContent, holder.firstElementChild?.children.length]).to.deep.equal([text, 0]);
    const noscript = holder.firstElementChild as Element;
    noscript.innerHTML = text;
    expect([noscript.textContent, noscript.children.length]).to.deep.equal([text, 0]);
  });

  it('ignore scripts that never run, so that none waits for them', () => {
    holder.innerHTML = `<script src="${createAddress(held)}"></script><img alt="" src="${createAddress(held)}">`;
    const [script, image] = holder.children;
    expect([script?.hasAttribute('data-svc-purpose'), image?.hasAttribute('data-svc-purpose')]).to.deep.equal([
      false,
      true,
    ]);
    holder.innerHTML = '<script></script>';
    const later = holder.firstChild as HTMLScriptElement;
    later.setAttribute('src', createAddress(held));
    expect(later.attributes).to.have.length(1);
    const template = document.createElement('template');
    template.innerHTML = `<script src="${createAddress(held)}"></script>`;
    const copy = document.importNode(template.content, true).firstChild as HTMLScriptElement;
    expect(copy.attributes).to.have.length(1);
  });

  it('ignore what loads nothing until it is inserted into the page, as the output of a sanitizer', () => {
    const markup = `<img alt="" src="${createAddress(held)}">`;
    const { body } = new DOMParser().parseFromString(markup, 'text/html');
    expect(body.innerHTML).to.equal(markup);
    holder.append(...body.childNodes);
    expect(holder.innerHTML).to.contain('data-svc-purpose="statistics"').and.not.contain(' src');
  });

  it('block a body that replaces the page’s', () => {
    const markup = `<body><img alt="" src="${createAddress(held)}"></body>`;
    const before = document.body;
    const { body } = new DOMParser().parseFromString(markup, 'text/html');
    document.body = body;
    expect(body.innerHTML).to.contain('data-svc-purpose="statistics"').and.not.contain(' src');
    document.body = before;
  });

  it('block a script created from a blocked one, whatever the order of its attributes', () => {
    const old = document.createElement('script');
    old.src = createAddress(held);
    old.type = 'module';
    for (const attributes of [[...old.attributes], [...old.attributes].reverse()]) {
      const copy = document.createElement('script');
      for (const { name, value } of attributes) copy.setAttribute(name, value);
      const found = ['type', 'data-type', 'data-svc-purpose', 'src'].map((name) => copy.getAttribute(name));
      expect(found).to.deep.equal(['text/plain', 'module', 'statistics', old.src]);
    }
  });

  it('release a script that the page itself disables by a type, as jQuery does, and do not block it again in the page', async () => {
    const script = document.createElement('script');
    script.src = createAddress(held);
    script.type = `true/${script.type}`;
    expect([script.getAttribute('type'), script.hasAttribute('data-svc-purpose')]).to.deep.equal(['true/', false]);
    holder.append(script);
    script.type = script.type.slice(5);
    await settleRequests();
    expect([script.getAttribute('type'), script.hasAttribute('data-svc-purpose')]).to.deep.equal(['', false]);
    expect(countRequests(script.src)).to.equal(0);
  });

  it('keep their written attributes for routers that compare the scripts of two pages, as Turbo does', () => {
    const written = `<script type="module" src="${createAddress(held)}" defer=""></script>`;
    const { head } = new DOMParser().parseFromString(written, 'text/html');
    const script = document.createElement('script');
    for (const { name, value } of head.firstElementChild?.attributes ?? []) script.setAttribute(name, value);
    script.async = false;
    expect(script.getAttribute('type')).to.equal('text/plain');
    expect([script, head.firstElementChild].map((one) => one?.outerHTML)).to.deep.equal([written, written]);
    expect((script.cloneNode() as Element).outerHTML).to.equal(written);
    expect(script.getAttribute('type'), 'it waits as before').to.equal('text/plain');
  });

  it('stay known when the page removes the attributes, as a lazy loader and a comparison with new markup do', async () => {
    const address = createAddress(held);
    holder.innerHTML = `<img alt="" data-src="${address}">`.repeat(3);
    const images = [...holder.querySelectorAll('img')];
    const ways: readonly ((image: HTMLImageElement) => void)[] = [
      (image) => image.removeAttribute('data-src'),
      (image) => delete image.dataset.src,
      (image) => ['data-svc-purpose', 'data-src'].map((name) => image.removeAttribute(name)),
    ];
    for (const [at, image] of images.entries()) {
      image.src = image.dataset.src ?? '';
      ways[at]?.(image);
    }
    await settleRequests();
    for (const image of images) {
      expect([image.getAttribute('data-src'), image.dataset.svcPurpose]).to.deep.equal([address, 'statistics']);
      image.src = 'data:,';
    }
    await settleRequests();
    expect(holder.querySelector('[data-svc-purpose]'), 'what the page replaces is forgotten').to.equal(null);
  });

  it('do not write an unchanged value, because a lazy loader that observes its data-src starts again', () => {
    const image = holder.appendChild(new Image());
    image.dataset.src = createAddress(held);
    const observer = new MutationObserver(() => {});
    observer.observe(image, { attributes: true });
    image.src = image.dataset.src;
    image.src = image.dataset.src;
    expect(observer.takeRecords().map(({ attributeName }) => attributeName)).to.deep.equal(['data-svc-purpose']);
  });

  it('dispatch an error for a blocked style sheet, so that no script waits for it', async () => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: createAddress(held) });
    const failed = new Promise((resolve) => link.addEventListener('error', resolve));
    holder.append(link);
    await failed;
    expect(link.dataset.svcPurpose).to.equal('statistics');
  });

  it('recognise a copy of a blocked tag', () => {
    const address = createAddress(held);
    const copy = Object.assign(new Image(), { src: address }).cloneNode() as HTMLImageElement;
    expect(copy.src).to.equal(address);
    copy.src = 'data:,';
    expect(copy.outerHTML).to.equal('<img src="data:,">');
    const script = Object.assign(document.createElement('script'), { src: address }).cloneNode() as HTMLScriptElement;
    expect(script.type).to.equal('');
    script.src = 'data:,';
    expect(script.outerHTML).to.contain('src="data:,"').and.not.contain('text/plain').and.not.contain('purpose');
  });

  it('restore the data-src of the page', () => {
    const image = new Image();
    image.dataset.src = '/full.jpg';
    image.src = createAddress(held);
    image.src = 'data:,';
    expect([image.dataset.src, image.getAttribute('src')]).to.deep.equal(['/full.jpg', 'data:,']);
  });

  it('forget an address that the page removes', () => {
    for (const remove of [
      (image: Element) => image.removeAttribute('src'),
      (image: Element) => image.toggleAttribute('src'),
    ]) {
      const image = Object.assign(new Image(), { src: createAddress(held) });
      remove(image);
      expect(image.outerHTML).to.equal('<img>');
    }
    const link = Object.assign(document.createElement('link'), { href: createAddress(held) });
    const address = link.href;
    link.rel = 'canonical';
    expect(link.outerHTML).to.equal(`<link href="${address}" rel="canonical">`);
  });

  it('block a tag with many siblings', () => {
    holder.innerHTML = `<img alt="" src="${createAddress(held)}">${'<i></i>'.repeat(150_000)}`;
    expect([holder.childNodes.length, holder.querySelectorAll('[data-svc-purpose]').length]).to.deep.equal([
      150_001, 1,
    ]);
  });

  it('ignore tags of any other name', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const tag = document.createElement(name);
      tag.setAttribute('src', createAddress(held));
      expect(tag.attributes).to.have.length(1);
    }
  });

  it('log a tag in a shadow tree that comes with its address', async () => {
    const errors = listenToConsole();
    const address = createAddress(held);
    stop();
    const frame = holder.appendChild(Object.assign(document.createElement('iframe'), { src: address }));
    stop = holdRequests({ requests: `statistics: ${held}` });
    const host = holder.appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'open' }).append(frame);
    await settleRequests();
    expect(frame.dataset.src).to.equal(address);
    expect(errors.filter((one) => one.includes(address))).to.have.length(1);
  });
});
