import { attempt } from '../state/attempt.ts';

/** The allowed URL schemes of a tag; images may be of any type. */
const ADDRESS = /^(https?|blob|data:image)[:/]/;

/** The attributes that make a tag load. */
const LOADING = ['src', 'srcset', 'poster', 'href'];

/** The purposes that a tag needs: `data-svc-purpose="statistics marketing"` needs both. Without any it never loads. */
export function readNeeds(tag: HTMLElement): readonly string[] {
  return tag.dataset.svcPurpose?.match(/[^\s,]+/g) ?? [''];
}

/**
 * Releases the tags that are allowed, in document order and each in its own task, and blocks those that no longer are. A script that has run cannot be undone.
 * @param nonce of the banner's script tag: on a page with nonces, a script without it was not written by the page.
 * @returns the blocked frames, images and videos with a place in the page.
 */
export function releaseTags(
  released: WeakSet<Element>,
  isAllowed: (tag: HTMLElement) => boolean,
  nonce: string | undefined,
): readonly HTMLElement[] {
  const waiting: HTMLElement[] = [];
  for (const tag of Document.prototype.querySelectorAll.call(
    document,
    '[data-svc-purpose]:not(form)', // Form controls shadow the methods of the form.
  ) as NodeListOf<HTMLElement>) {
    const isGranted = isAllowed(tag);
    const isScript = tag.localName === 'script';
    // Copies of the page, as kept by client routers, contain the released attributes, which may have been withdrawn since.
    const isOn =
      released.has(tag) ||
      (!isScript && LOADING.some((name) => tag.dataset[name] && tag.dataset[name] === tag.getAttribute(name)));
    if (isGranted !== isOn && !(isScript && (!isGranted || (nonce && tag.nonce !== nonce)))) {
      if (isGranted) {
        released.add(tag);
        // Consent may be withdrawn while it waits for its turn.
        const release = (): unknown => (isAllowed(tag) ? setAddresses(tag, true, isScript) : released.delete(tag));
        if (isScript) takeTurn(tag as HTMLScriptElement, release);
        else setTimeout(release);
      } else {
        released.delete(tag);
        setAddresses(tag, isGranted, true);
      }
    }
    // A tag that also loads something by itself is not held back. Frames leave a gap in the page, and so do tags with a size,
    // except images of one or two pixels.
    if (
      !isGranted &&
      !tag.matches('object,source,[src]:not([src^="about:"]):not([src=""]),[srcset],:has(>source[src])') &&
      (tag.matches('iframe') || ['width', 'height'].every((name) => Number(tag.getAttribute(name)) > 2))
    )
      waiting.push(tag);
  }
  return waiting;
}

let turn = /* @__PURE__ */ Promise.resolve<unknown>(0);

/** Scripts run in document order: the next waits until this one has loaded, unless it is `async` or times out. */
function takeTurn(script: HTMLScriptElement, release: () => unknown): void {
  const run = (done: (_: unknown) => void): void => {
    script.addEventListener('load', done);
    script.addEventListener('error', done);
    script.async = script.hasAttribute('async'); // Script-inserted tags are async by default.
    release();
    // It is loading; a copy of it waits.
    script.type = 'text/plain';
    // After the timeout, it no longer delays the others.
    setTimeout(done, script.src && script.isConnected && !script.async ? 10_000 : 0);
  };
  turn = turn.then(() => new Promise((done) => setTimeout(run, 0, done)));
}

/** Sets the attributes of a tag from `data-src`, `data-srcset`, `data-poster`, `data-href` and `data-type`, or removes them. */
function setAddresses(tag: HTMLElement, isGranted: boolean, isRenewed: boolean): void {
  if (isGranted && isRenewed) tag.removeAttribute('type');
  for (const name of ['type', ...LOADING]) {
    const value = tag.dataset[name];
    if (!value) continue;
    if (!isGranted) tag.removeAttribute(name);
    // Rejects URLs that run code, which would pass a sanitizer that allows `data-` attributes.
    else if (/^(src|href)$/.test(name) && !attempt(() => ADDRESS.test(new URL(value, tag.baseURI).href))) {
      console.error(`<svc-consent>: data-${name}="${value}" must be http(s).`);
    }
    // Two copies of the script on a page load nothing twice.
    else if (tag.getAttribute(name) !== value) tag.setAttribute(name, value);
  }
  // A script runs when it is inserted, a frame forgets. It is the same element, so the nonce, the integrity, and under
  // Trusted Types what the parser wrote into it, stay as the page gave them.
  if (isRenewed) tag.parentNode?.insertBefore(tag, tag.nextSibling);
  // A player re-reads its sources only on `load()`, and continues to play what was removed. One that has found a source is
  // not interrupted for another one, and not for the fallback content.
  const player = (tag.localName === 'source' ? tag.parentNode : tag) as HTMLMediaElement;
  if (!(isGranted && player.networkState % 3)) player.load?.();
}
