import type { Mapped } from '../../page/attributes.ts';
import { attempt, reportProblem } from '../../page/browser.ts';
import { queryAll } from '../../page/document.ts';
import { catalogue } from '../catalogue.ts';
import { findPage } from '../follow-consent.ts';

const KINDS = ['preferences', 'statistics', 'marketing'] as const;
const OWN_TAGS = 'svc-consent[api-base], script[src*="/svc-consent"]:not([type="text/plain"])';
const OWN_SCRIPT = /^[^?#]*\/svc-consent(-[a-z]+)?\.js([?#]|$)/;

interface ListedHost {
  readonly keys: Set<string>;
  /** Named by the site itself, not by a kind of the catalog. */
  isLiteral: boolean;
}

/** Knows which addresses are blocked, and for which purposes. */
export class RequestGate {
  /** True if the site has stopped the add-on. */
  isOff = false;
  readonly #hosts = new Map<string, ListedHost>();
  readonly #sources: readonly string[];

  /** @param sources addresses whose hosts serve the banner: that of the add-on's own script, and the API's. */
  constructor(mapping: readonly Mapped[], sources: readonly string[]) {
    this.#sources = sources;
    for (const [key, name] of mapping) this.#list(key, name);
  }

  /** The purposes that an address waits for, separated by spaces; empty if it may be requested. */
  findPurposes(address: string): string {
    const needs = this.isOff ? [] : this.#findNeeds(address);
    return needs.length > 0 && !isGranted(needs) ? needs.join(' ') : '';
  }

  /** Checks whether an address is blocked whenever its purposes are not granted. */
  isListed(address: string): boolean {
    return this.#findNeeds(address).length > 0;
  }

  /** The purposes of the host and of every host that it is below. */
  #findNeeds(address: string): readonly string[] {
    const host = readHost(address);
    const labels = host.split('.');
    const found = labels.flatMap((_, at) => this.#hosts.get(labels.slice(at).join('.')) ?? []);
    // The page and the banner's API would stop working if a host above theirs blocked them.
    if (found.length === 0 || (!this.#hosts.get(host)?.isLiteral && this.#listOwnHosts().includes(host))) return [];
    return [...new Set(found.flatMap(({ keys }) => [...keys]))];
  }

  /** The hosts of the page, of the banner's scripts and of its API. */
  #listOwnHosts(): readonly string[] {
    const tags = queryAll(OWN_TAGS);
    const addresses = [...tags].map((tag) => tag.getAttribute('api-base') ?? readOwnScript(tag));
    return [location.href, ...this.#sources, ...addresses].filter((one) => one !== '').map(readHost);
  }

  #list(key: string, name: string): void {
    const kind = KINDS.find((one) => `@${one}` === name);
    const host = kind ? undefined : readName(name);
    if (!kind && !host) reportName(name);
    const hosts = kind ? catalogue[kind].flatMap(([, , ends]) => ends.match(/\S+/g) ?? []) : host ? [host] : [];
    for (const one of hosts) {
      const listed = this.#hosts.get(one) ?? { keys: new Set(), isLiteral: false };
      listed.keys.add(key);
      listed.isLiteral ||= !kind;
      this.#hosts.set(one, listed);
    }
  }
}

/** Asks the banner each time, because a page may act on a decision before the event of it. An error grants nothing. */
function isGranted(keys: readonly string[]): boolean {
  const purposes = attempt(() => findPage()?.view.allowed) ?? {};
  return keys.every((key) => attempt(() => purposes[key]) === true);
}

/** The host of an address as the page resolves it, without the dot that ends a full name; empty if there is none. */
function readHost(address: string): string {
  return (attempt(() => new URL(address, document.baseURI).hostname) ?? '').replace(/\.$/, '');
}

function readOwnScript(script: Element): string {
  const address = script.getAttribute('src') ?? '';
  return OWN_SCRIPT.test(address) ? address : '';
}

function readName(name: string): string {
  const host = /[/?#@*\\]/.test(name) ? '' : readHost(`https://${name}`);
  return /^\.|\.\./.test(host) ? '' : host;
}

function reportName(name: string): void {
  const kinds = KINDS.map((kind) => `@${kind}`).join(', ');
  reportProblem(
    `data-requests: "${name}" is neither a host nor one of ${kinds}. Write plausible.io, which includes every host below it.`,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: members of any object, called as the page calls them.
type Member = (this: any, ...args: any[]) => any;
type Members = { readonly value: Member; readonly get: Member; readonly set: Member };

/** Restores a member, unless another script has replaced it since. */
export type Undo = () => void;

/** Replaces a method or the accessors of a property; does nothing if the browser does not have it, or does not allow it. */
export function replaceMember(owner: object, name: string, write: (native: Members) => Partial<Members>): Undo {
  const native = Object.getOwnPropertyDescriptor(owner, name);
  if (!native?.configurable) return () => {};
  const own = write(native as Members);
  for (const [key, member] of Object.entries(own)) imitate(native[key as keyof Members], member);
  Object.defineProperty(owner, name, { ...native, ...own });
  return () => {
    const current = Object.getOwnPropertyDescriptor(owner, name);
    const isOwn = Object.entries(own).every(([key, member]) => current?.[key as keyof Members] === member);
    if (isOwn) Object.defineProperty(owner, name, native);
  };
}

/** Some libraries get another `fetch` from a frame if this one does not read as native. */
function imitate(native: Member, own: Member): void {
  for (const [key, value] of Object.entries({ name: native.name, length: native.length, toString: () => `${native}` }))
    Object.defineProperty(own, key, { value, configurable: true });
}
