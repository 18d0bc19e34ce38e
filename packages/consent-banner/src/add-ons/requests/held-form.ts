import type { RequestGate } from './request-gate.ts';
import {
  isAsync,
  isLoadingRelation,
  isRunnable,
  isScript,
  listAddressNames,
  readAttribute,
  writeAttribute,
} from './tag-addresses.ts';

/** What stood where the held form has its own. */
interface Before {
  readonly purposes: string | null;
  /** By address that is held: the page's own `data-src` and its like. */
  readonly data: Map<string, string | null>;
}

/** Writes tags in the form in which the banner holds them back, and out of it. */
export class HeldForm {
  readonly #held = new WeakMap<Element, Before>();
  /** Scripts that never run: an HTML parser made them where nothing runs, and so they stay. */
  readonly #spent = new WeakSet<Element>();
  /** Scripts that came into the page with a type that does not run; changing only the type does not run them. */
  readonly #idle = new WeakSet<Element>();
  readonly #gate: RequestGate;

  constructor(gate: RequestGate) {
    this.#gate = gate;
  }

  /** Whether it has that form: set by us, or copied from such a tag. */
  has(tag: Element): boolean {
    return this.#held.has(tag) || this.#isCopy(tag);
  }

  /** Whether it waits, or has run: then it has the type again that does not run, so that no copy of it does. */
  isWaitingScript(tag: Element): boolean {
    return isScript(tag) && readAttribute(tag, 'type') === 'text/plain' && this.has(tag);
  }

  /** Leaves a script as it is: whatever is set on it, it does not run. */
  spend(script: Element): void {
    this.#spent.add(script);
  }

  isSpent(script: Element): boolean {
    return this.#spent.has(script);
  }

  /** The purposes that a tag waits for with an address; empty for one that may load. */
  findHold(tag: Element, name: string, value: string): string {
    if (!listAddressNames(tag).includes(name)) return '';
    if (tag.localName === 'link' && !isLoadingRelation(readAttribute(tag, 'rel'))) return '';
    // A type that does not run holds a script by itself, but for the one that the banner takes off.
    if (isScript(tag) && (this.#spent.has(tag) || !(isRunnable(readAttribute(tag, 'type')) || isMarked(tag))))
      return '';
    return this.#findNeeds(name, value);
  }

  /** Holds a tag whose addresses wait. @returns whether the browser had one of them. */
  holdTag(tag: Element): boolean {
    let isHeld = false;
    for (const name of this.#idle.has(tag) ? [] : listAddressNames(tag)) {
      const value = readAttribute(tag, name);
      const needs = value && !(this.#held.has(tag) && this.isWaitingScript(tag)) ? this.findHold(tag, name, value) : '';
      isHeld ||= needs !== '' && !(isScript(tag) && isMarked(tag));
      if (value && needs) this.#hold(tag, name, value, needs);
    }
    return isHeld;
  }

  /**
   * Takes over an address that is being set.
   * @returns whether the browser must not have it. A script keeps its address, because its type is enough to hold it: so it is whatever
   *   Trusted Types have let pass, and reads as it was written.
   */
  take(tag: Element, name: string, value: string): boolean {
    this.#idle.delete(tag);
    const needs = this.findHold(tag, name, value);
    if (needs) {
      this.#hold(tag, name, value, needs);
      return !isScript(tag);
    }
    if (this.has(tag)) this.#follow(tag, name, value);
    return false;
  }

  /** Takes over a type that is being set, null for none, likewise. */
  takeType(script: Element, value: string | null): boolean {
    if (!isScript(script) || this.#spent.has(script)) return false;
    if (this.isWaitingScript(script)) {
      // A script that copies the attributes of a waiting tag has this from there.
      if (value === 'text/plain') return true;
      if (!isRunnable(value)) this.#release(script);
      else if (value === null && !this.#isClosed(script))
        return false; // The banner lets it go.
      else writeAttribute(script, 'data-type', value);
      return isRunnable(value);
    }
    if (!isRunnable(value) || isRunnable(readAttribute(script, 'type'))) return false;
    if (script.isConnected) this.#idle.add(script);
    writeAttribute(script, 'type', value);
    this.holdTag(script);
    return true;
  }

  /** Re-checks a link whose relation is about to change. */
  takeRelation(link: Element, rel: string): void {
    if (link.localName !== 'link') return;
    const name = 'href';
    const [address, waiting] = [readAttribute(link, name), readAttribute(link, `data-${name}`)];
    if (isLoadingRelation(rel)) {
      const needs = address ? this.#findNeeds(name, address) : '';
      if (address && needs) this.#hold(link, name, address, needs);
    } else if (address === null && waiting !== null && this.has(link)) {
      this.#follow(link, name, null);
      writeAttribute(link, name, waiting);
    }
  }

  /** An address is about to be removed. What the banner takes back stands as an attribute, and stays known. */
  drop(tag: Element, name: string): void {
    if (!listAddressNames(tag).includes(name) || !this.has(tag)) return;
    if (isScript(tag) || readAttribute(tag, name) === null) this.#follow(tag, name, null);
  }

  /** Restores what the page removes: a loader its `data-src` that it has read, a script that compares with new markup all of it. */
  keep(tag: Element, attribute: string, value: string | null): void {
    const before = this.#held.get(tag);
    const isOfForm = before && (attribute === 'data-svc-purpose' || before.data.has(attribute.slice(5)));
    if (isOfForm && readAttribute(tag, attribute) === null) writeAttribute(tag, attribute, value);
  }

  /** A script of that form as the page wrote it: a copy. Any other tag is itself. */
  findWritten(tag: Element): Element {
    if (!isScript(tag) || !this.has(tag)) return tag;
    const copy = tag.cloneNode(true) as Element;
    this.#release(copy);
    return copy;
  }

  #findNeeds(name: string, value: string): string {
    for (const address of name.endsWith('srcset') ? value.split(/[\s,]+/) : [value.trim()]) {
      const needs = this.#gate.findHold(address);
      if (needs) return needs;
    }
    return '';
  }

  #isClosed(tag: Element): boolean {
    return listAddressNames(tag).some((name) => this.findHold(tag, name, readAttribute(tag, name) ?? '') !== '');
  }

  #isCopy(tag: Element): boolean {
    return readAttribute(tag, 'data-svc-purpose') !== null && this.#listCopied(tag).length > 0;
  }

  /** The addresses of listed hosts by which a tag that was not held here has that form. */
  #listCopied(tag: Element): readonly string[] {
    return listAddressNames(tag).filter((name) => {
      const [own, data] = [readAttribute(tag, name), readAttribute(tag, `data-${name}`)];
      const value = isScript(tag) ? isMarked(tag) && own : own === null && data;
      return value && this.#gate.isListed(value);
    });
  }

  #hold(tag: Element, name: string, value: string, needs: string): void {
    const purposes = readAttribute(tag, 'data-svc-purpose');
    const before = this.#held.get(tag) ?? { purposes, data: new Map<string, string | null>() };
    this.#held.set(tag, before);
    if (!before.data.has(name)) before.data.set(name, readAttribute(tag, `data-${name}`));
    if (isScript(tag)) holdType(tag);
    else {
      writeAttribute(tag, `data-${name}`, value);
      writeAttribute(tag, name, null);
    }
    const keys = new Set(`${purposes ?? ''} ${needs}`.match(/[^\s,]+/g));
    writeAttribute(tag, 'data-svc-purpose', [...keys].join(' '));
  }

  /** Another address has come in the place of one that waited, or was let go; null is none. */
  #follow(tag: Element, name: string, value: string | null): void {
    const before = this.#held.get(tag) ?? {
      purposes: null,
      data: new Map(this.#listCopied(tag).map((one) => [one, null])),
    };
    if (!before.data.has(name)) return;
    this.#held.set(tag, before);
    if (isScript(tag)) {
      if (this.isWaitingScript(tag)) this.#release(tag);
      return;
    }
    if (value !== null && this.#gate.isListed(value)) {
      // The banner takes that back when a consent is withdrawn, and gives it again.
      writeAttribute(tag, `data-${name}`, value);
      return;
    }
    writeAttribute(tag, `data-${name}`, before.data.get(name) ?? null);
    before.data.delete(name);
    if (before.data.size === 0) this.#forget(tag);
  }

  #release(script: Element): void {
    writeAttribute(script, 'type', readAttribute(script, 'data-type'));
    writeAttribute(script, 'data-type', null);
    this.#forget(script);
  }

  #forget(tag: Element): void {
    writeAttribute(tag, 'data-svc-purpose', this.#held.get(tag)?.purposes ?? null);
    this.#held.delete(tag);
  }
}

/** Whether a script already has the form of the banner. */
function isMarked(script: Element): boolean {
  return readAttribute(script, 'type') === 'text/plain' && readAttribute(script, 'data-svc-purpose') !== null;
}

function holdType(script: Element): void {
  if (isMarked(script)) return;
  const type = readAttribute(script, 'type');
  if (type !== null) writeAttribute(script, 'data-type', type);
  if (isAsync(script)) writeAttribute(script, 'async', '');
  writeAttribute(script, 'type', 'text/plain');
}
