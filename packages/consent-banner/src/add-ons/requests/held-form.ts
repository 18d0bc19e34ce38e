import type { RequestGate } from './request-gate.ts';

/** The tags that load something, and the attributes that say what. */
export const addressNames: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  iframe: ['src'],
  img: ['src', 'srcset'],
  link: ['href'],
  audio: ['src'],
  video: ['src', 'poster'],
  source: ['src', 'srcset'],
  embed: ['src'],
  track: ['src'],
  input: ['src'],
};

/** Links that load nothing, such as `canonical`, are none of ours. */
const LOADING =
  /(^|\s)(stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|prefetch|prerender|preconnect|dns-prefetch|manifest)(\s|$)/i;

// As they are before anybody replaces them, and without what a form's controls would put in their place.
const prototype = globalThis.Element?.prototype ?? {};
const { getAttribute, setAttribute, removeAttribute } = prototype;
export const readAttribute = (tag: Element, name: string): string | null => getAttribute.call(tag, name);
const write = (tag: Element, name: string, value: string): void => setAttribute.call(tag, name, value);
const clear = (tag: Element, name: string): void => removeAttribute.call(tag, name);

/** Writes tags in the form in which the banner holds them back, and out of it. */
export class HeldForm {
  /** What stands in it by us, and the purposes that it had before. */
  readonly #held = new WeakMap<Element, string | null>();
  readonly #gate: RequestGate;

  constructor(gate: RequestGate) {
    this.#gate = gate;
  }

  has(tag: Element): boolean {
    return this.#held.has(tag);
  }

  /** Whether it waits: a script that was released has its type again. */
  isWaitingScript(tag: Element): boolean {
    return this.#held.has(tag) && tag.localName === 'script' && readAttribute(tag, 'type') === 'text/plain';
  }

  /** The purposes that a tag waits for with an address; empty for one that may load. */
  findHold(tag: Element, name: string, value: string): string {
    if (!addressNames[tag.localName]?.includes(name)) return '';
    const rel = tag.localName === 'link' ? readAttribute(tag, 'rel') : null;
    if (rel && !LOADING.test(rel)) return '';
    for (const address of name === 'srcset' ? value.split(/[\s,]+/) : [value.trim()]) {
      const needs = this.#gate.findHold(address);
      if (needs) return needs;
    }
    return '';
  }

  /**
   * Takes over an address that is being set.
   * @returns whether the browser must not have it. A script keeps its address, for its type alone holds it: so it is whatever
   *   Trusted Types have let pass, and reads as it was written.
   */
  take(tag: Element, name: string, value: string): boolean {
    const needs = this.findHold(tag, name, value);
    if (needs) {
      this.hold(tag, name, value, needs);
      return tag.localName !== 'script';
    }
    if (this.#held.has(tag)) this.#follow(tag, name, value);
    return false;
  }

  hold(tag: Element, name: string, value: string, needs: string): void {
    const before = readAttribute(tag, 'data-svc-purpose');
    if (!this.#held.has(tag)) this.#held.set(tag, before);
    const keys = new Set(`${before ?? ''} ${needs}`.match(/[^\s,]+/g));
    if (tag.localName === 'script') holdType(tag as HTMLScriptElement, before !== null);
    else {
      write(tag, `data-${name}`, value);
      clear(tag, name);
    }
    write(tag, 'data-svc-purpose', [...keys].join(' '));
  }

  /** Another address has come in the place of one that waited, or was let go. */
  #follow(tag: Element, name: string, value: string): void {
    if (this.isWaitingScript(tag)) {
      const type = readAttribute(tag, 'data-type');
      if (type === null) clear(tag, 'type');
      else write(tag, 'type', type);
    } else if (readAttribute(tag, `data-${name}`) === null) return;
    else if (this.#gate.isListed(value)) {
      // The banner takes that back when a consent is withdrawn, and gives it again.
      write(tag, `data-${name}`, value);
      return;
    }
    clear(tag, `data-${name}`);
    if (addressNames[tag.localName]?.some((one) => readAttribute(tag, `data-${one}`) !== null)) return;
    const before = this.#held.get(tag);
    if (typeof before === 'string') write(tag, 'data-svc-purpose', before);
    else clear(tag, 'data-svc-purpose');
    this.#held.delete(tag);
  }
}

/** `async` is true by itself for a script that a script has made, and lasts only as an attribute. */
function holdType(script: HTMLScriptElement, isMarked: boolean): void {
  const type = readAttribute(script, 'type');
  if (type === 'text/plain' && isMarked) return;
  if (type !== null) write(script, 'data-type', type);
  if ((Reflect.get(HTMLScriptElement.prototype, 'async', script) as boolean) === true) write(script, 'async', '');
  write(script, 'type', 'text/plain');
}
