import { reportProblem } from '../../page/browser.ts';
import { type RequestGate, replaceMember, type Undo } from './request-gate.ts';

/** The properties that make a tag load something, and the type that decides whether a script runs. */
const PROPERTIES = [
  ['HTMLScriptElement', 'src'],
  ['HTMLScriptElement', 'type'],
  ['HTMLIFrameElement', 'src'],
  ['HTMLImageElement', 'src'],
  ['HTMLImageElement', 'srcset'],
] as const;
const TAGS = 'script[src],iframe[src],img[src],img[srcset]';

/** Rewrites scripts, frames and images of blocked hosts to the form in which the banner blocks tags. */
export function blockTags(gate: RequestGate): readonly Undo[] {
  const form = new BlockedForm(gate);
  return [
    ...PROPERTIES.map(([owner, name]) =>
      replaceMember(window[owner].prototype, name, ({ get, set }) => ({
        get() {
          return form.read(this, name) ?? get.call(this);
        },
        set(value) {
          if (!form.take(this, name, `${value}`)) set.call(this, value);
        },
      })),
    ),
    replaceMember(Element.prototype, 'setAttribute', ({ value: native }) => ({
      value(...args) {
        const name = `${args[0]}`.toLowerCase();
        const isWatched =
          args.length > 1 && PROPERTIES.some(([owner, one]) => one === name && this instanceof window[owner]);
        return isWatched && form.take(this, name, `${args[1]}`) ? undefined : native.apply(this, args);
      },
    })),
    watchPage(form),
  ];
}

/**
 * Blocks tags that come with their address: those of the page's HTML, and of markup that a script inserts. The parser lets
 * observers run before it runs a script (https://html.spec.whatwg.org/multipage/parsing.html#scriptEndTag). The browser may have
 * sent the request by then, which is logged.
 */
function watchPage(form: BlockedForm): Undo {
  const observer = new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue;
      // The controls of a form would take the place of its own method.
      const below = Element.prototype.querySelectorAll.call(node, TAGS);
      for (const tag of [...(Element.prototype.matches.call(node, TAGS) ? [node] : []), ...below]) settle(tag);
    }
  });
  const settle = (tag: Element): void => {
    // A script in markup that a script inserts never runs, and one made by a script has been seen before.
    if (tag.localName === 'script' && document.readyState !== 'loading') return;
    if (!form.blockTag(tag)) return;
    reportProblem(
      `data-requests: <${tag.localName}> of ${form.read(tag, 'src')} is held, but the browser may have requested it before. ` +
        `Write data-svc-purpose="${tag.getAttribute('data-svc-purpose')}" and data-svc-src on it.`,
    );
    // A frame continues to load unless it is inserted again.
    if (tag.localName === 'iframe') tag.parentNode?.insertBefore(tag, tag.nextSibling);
  };
  observer.observe(document, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/**
 * Tags in the banner's form: `data-svc-purpose`, and `type="text/plain"` on a script, which keeps its `src` as Trusted Types
 * allowed it, or `data-svc-src` and `data-svc-srcset` in place of the attributes of a frame or an image.
 */
class BlockedForm {
  /** Each tag that was blocked, with the purposes that the page itself has written on it. */
  readonly #blocked = new WeakMap<Element, string | null>();
  readonly #gate: RequestGate;
  // Not our own replacement, which would look at what is written here.
  readonly #setAttribute = Element.prototype.setAttribute;

  constructor(gate: RequestGate) {
    this.#gate = gate;
  }

  /** Returns the value that the page has set, to be read in place of the browser's; undefined if that is the same. */
  read(tag: Element, name: string): string | undefined {
    if (!this.#blocked.has(tag)) return undefined;
    if (name === 'type') return this.#isWaiting(tag) ? (tag.getAttribute('data-svc-type') ?? '') : undefined;
    const value = tag.getAttribute(name) === null ? tag.getAttribute(`data-svc-${name}`) : null;
    return value === null || name === 'srcset' ? (value ?? undefined) : new URL(value, document.baseURI).href;
  }

  /** Blocks a tag by the addresses that it has. @returns whether it blocked one. */
  blockTag(tag: Element): boolean {
    if (this.#isWaiting(tag)) return false;
    return ['src', 'srcset'].filter((name) => this.#block(tag, name, tag.getAttribute(name) ?? '')).length > 0;
  }

  /** Takes over a value that is being set. @returns whether the browser must not get it. */
  take(tag: Element, name: string, value: string): boolean {
    if (name === 'type') return this.#takeType(tag, value);
    if (this.#block(tag, name, value)) return !isScript(tag);
    if (!this.#blocked.has(tag)) return false;
    // The banner takes it back when the consent is withdrawn.
    if (!isScript(tag) && this.#gate.isListed(value)) this.#write(tag, `data-svc-${name}`, value);
    else this.#forget(tag, name);
    return false;
  }

  /** A type set on a script that waits is the one it will run with. */
  #takeType(script: Element, value: string): boolean {
    if (!this.#isWaiting(script) || !this.#findNeeds('src', script.getAttribute('src') ?? '')) return false;
    // A script that copies the attributes of a waiting tag sets this.
    if (value !== 'text/plain') this.#write(script, 'data-svc-type', value);
    return true;
  }

  #block(tag: Element, name: string, value: string): boolean {
    const needs = this.#findNeeds(name, value);
    if (!needs) return false;
    const own = this.#blocked.has(tag) ? this.#blocked.get(tag) : tag.getAttribute('data-svc-purpose');
    this.#blocked.set(tag, own ?? null);
    if (!isScript(tag)) {
      this.#write(tag, `data-svc-${name}`, value);
      this.#write(tag, name, null);
    } else if (tag.getAttribute('type') !== 'text/plain') {
      const type = tag.getAttribute('type');
      if (type !== null) this.#write(tag, 'data-svc-type', type);
      // True by itself for a script that a script made, and lost when the banner inserts it again.
      if ((tag as HTMLScriptElement).async) this.#write(tag, 'async', '');
      this.#write(tag, 'type', 'text/plain');
    }
    this.#write(tag, 'data-svc-purpose', [...new Set(`${own ?? ''} ${needs}`.match(/[^\s,]+/g))].join(' '));
    return true;
  }

  /** The page has set another address, which may be requested. */
  #forget(tag: Element, name: string): void {
    if (isScript(tag)) this.#write(tag, 'type', tag.getAttribute('data-svc-type'));
    this.#write(tag, isScript(tag) ? 'data-svc-type' : `data-svc-${name}`, null);
    if (tag.getAttribute('data-svc-src') ?? tag.getAttribute('data-svc-srcset')) return;
    this.#write(tag, 'data-svc-purpose', this.#blocked.get(tag) ?? null);
    this.#blocked.delete(tag);
  }

  #findNeeds(name: string, value: string): string {
    const addresses = name === 'srcset' ? value.split(/[\s,]+/) : [value.trim()];
    return addresses.map((one) => this.#gate.findPurposes(one)).find((needs) => needs !== '') ?? '';
  }

  #isWaiting(tag: Element): boolean {
    return isScript(tag) && this.#blocked.has(tag) && tag.getAttribute('type') === 'text/plain';
  }

  /** Null removes it. */
  #write(tag: Element, name: string, value: string | null): void {
    if (value === null) tag.removeAttribute(name);
    // The banner observes it.
    else if (tag.getAttribute(name) !== value) this.#setAttribute.call(tag, name, value);
  }
}

function isScript(tag: Element): boolean {
  return tag instanceof HTMLScriptElement;
}
