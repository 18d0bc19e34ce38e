import { attempt, reportProblem } from '../page/browser.ts';
import { queryAll } from '../page/document.ts';
import { BLOCKED, type BlockedContent, readBlocked, readNeeds } from './blocked-content.ts';
import { runInTurn } from './run-scripts.ts';

/** Blocks and releases the tags of a page. @returns does so again, after the page or what it allows has changed. */
export function mountContent(content: BlockedContent): () => void {
  const { once, roots, nonce } = content;
  const released = new WeakMap<Element, Release>();
  const observers = new Map<WeakRef<ParentNode & Node>, MutationObserver>();

  const isAllowed = (tag: HTMLElement): boolean =>
    once.has(tag) ||
    once.has(tag.parentNode as Node) || // The sources of a player.
    readNeeds(tag).every((key) => content.readAllowed()[key] === true);

  const update = (): void => {
    for (const [reference, observer] of observers) {
      if (roots.has(reference) && reference.deref()) continue;
      observer.disconnect();
      observers.delete(reference);
      roots.delete(reference);
    }
    const frames = [...roots].flatMap((reference) => {
      const root = reference.deref();
      if (!root) return [];
      if (!observers.has(reference)) {
        const observer = new MutationObserver(update);
        observer.observe(root, OBSERVED);
        observers.set(reference, observer);
      }
      return releaseTags(root, released, isAllowed, nonce);
    });
    content.onRelease(frames);
  };
  update();
  return update;
}

// The page changes with us: lazy loaders fill the plain attributes, so blocked ones have names of their own; libraries that morph
// the page to markup of the server take the released attributes away; routers put copies back, whose attributes are of then.
// So the attributes are compared with what is allowed, and a release that is undone each time comes ever later.

/** The allowed URL schemes of a tag; images may be of any type. */
const ADDRESS = /^(https?|blob|data:image)[:/]/;

/** The attributes that make a tag load. */
const LOADING = ['src', 'srcset', 'poster', 'href'];

/** Changes that may need a tag to be blocked or released: libraries that morph the page remove attributes. */
const OBSERVED: MutationObserverInit = {
  childList: true,
  subtree: true,
  attributeFilter: ['data-svc-purpose', ...LOADING.flatMap((name) => [name, `data-svc-${name}`, `data-${name}`])],
};

/** A release of a tag: with which addresses, when, and after how long. */
interface Release {
  readonly addresses: string;
  at: number;
  readonly wait: number;
}

/** The same without URLs that run code, which would pass a sanitizer that allows `data-` attributes. */
function readAllowed(tag: Element, name: string): string | null {
  const value = readBlocked(tag, name);
  if (!value || !/^(src|href)$/.test(name) || attempt(() => ADDRESS.test(new URL(value, tag.baseURI).href)))
    return value;
  reportProblem(`data-svc-${name}="${value}" must be http(s).`);
  return null;
}

/**
 * Releases the tags that are allowed, in document order and each in its own task, and blocks those that no longer are. A script that has run cannot be undone.
 * @param nonce of the banner's script tag: on a page with nonces, a script without it was not written by the page.
 * @returns the blocked frames, images and videos with a place in the page.
 */
function releaseTags(
  root: ParentNode,
  released: WeakMap<Element, Release>,
  isAllowed: (tag: HTMLElement) => boolean,
  nonce: string | undefined,
): readonly HTMLElement[] {
  const waiting: HTMLElement[] = [];
  for (const tag of queryAll(BLOCKED, root)) {
    const isScript = tag.localName === 'script';
    // A shadow tree may be out of the page.
    const isGranted = tag.isConnected && isAllowed(tag);
    const last = released.get(tag);
    const find = (isMeant: (value: string, blocked: string) => boolean): boolean =>
      !isScript &&
      LOADING.some((name) => {
        const blocked = readAllowed(tag, name);
        return blocked && isMeant(tag.getAttribute(name) ?? '', blocked);
      });
    const addresses = `${isScript || LOADING.map((name) => readBlocked(tag, name))}`;
    const isSame = last?.addresses === addresses;
    const isOn = isGranted
      ? // A morph removes the attributes; another address is the page's own choice.
        last?.at === Infinity || (isSame && !find((value) => /^(about:|$)/.test(value)))
      : // Copies of the page, as kept by client routers, contain the released attributes, which may have been withdrawn since.
        last || find((value, blocked) => value === blocked);
    if (isGranted !== !!isOn && !(isScript && (!isGranted || (nonce && tag.nonce !== nonce)))) {
      if (isGranted) {
        const { at = 0, wait = 0 } = (isSame && last) || {};
        // A library that undoes each release gets ever more time.
        const next = {
          addresses,
          at: Infinity,
          wait: performance.now() - at < 1_000 + 2 * wait && at ? 2 * wait || 50 : 0,
        };
        released.set(tag, next);
        const release = (): boolean => {
          if (released.get(tag) !== next) return false;
          // Consent may be withdrawn while it waits for its turn.
          if (!isAllowed(tag)) return !released.delete(tag);
          next.at = performance.now();
          setAddresses(tag, true, isScript);
          return true;
        };
        if (isScript) runInTurn(tag as HTMLScriptElement, release);
        else setTimeout(release, next.wait);
      } else {
        released.delete(tag);
        setAddresses(tag, isGranted, true);
      }
    }
    // A tag that also loads something by itself is not blocked. Frames leave a gap in the page, and so do tags with a size,
    // except images of one or two pixels.
    if (
      !isGranted &&
      tag.isConnected &&
      !tag.matches('object,source,[src]:not([src^="about:"]):not([src=""]),[srcset],:has(>source[src])') &&
      (tag.matches('iframe') || ['width', 'height'].every((name) => Number(tag.getAttribute(name)) > 2))
    )
      waiting.push(tag);
  }
  return waiting;
}

/** Sets the attributes of a tag from `data-svc-src`, `-srcset`, `-poster`, `-href` and `-type`, or removes them. */
function setAddresses(tag: HTMLElement, isGranted: boolean, isRenewed: boolean): void {
  if (isGranted && isRenewed) tag.setAttribute('type', ''); // Removed, it would be written back in another order.
  for (const name of ['type', ...LOADING]) {
    const value = readAllowed(tag, name);
    if (!value) continue;
    if (!isGranted) tag.removeAttribute(name);
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
