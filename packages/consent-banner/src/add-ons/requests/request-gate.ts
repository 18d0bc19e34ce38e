import { reportProblem } from '../../report-problem.ts';
import { attempt } from '../../stub/attempt.ts';
import type { Mapped } from '../../stub/mapping.ts';
import { findSvcConsent } from '../follow-consent.ts';
import { catalogue } from '../inspector/catalogue.ts';
import { listOwnHosts } from './list-own-hosts.ts';
import { readHost } from './read-host.ts';

const NOTHING: ReadonlySet<string> = new Set();
const KINDS = ['preferences', 'statistics', 'marketing'] as const;

interface ListedHost {
  readonly keys: Set<string>;
  /** Named by the site itself. */
  isLiteral: boolean;
}

/** Knows which addresses wait, and for what. */
export class RequestGate {
  /** Whether the site wants it no more. */
  isOff = false;
  readonly #hosts = new Map<string, ListedHost>();
  readonly #keys = new Set<string>();
  readonly #sources: readonly string[];

  /** @param sources addresses whose hosts serve the banner: that of the add-on's own script, and the API's. */
  constructor(mapping: readonly Mapped[], sources: readonly string[] = []) {
    this.#sources = sources;
    for (const [key, name] of mapping) this.#list(key, name);
  }

  /** Whether nothing waits: every listed purpose is granted, or the site wants it no more. */
  get isOpen(): boolean {
    return this.isOff || isGranted(this.#keys);
  }

  /** The purposes that an address waits for, separated by spaces; empty for what may go. */
  findHold(address: string): string {
    return this.isOpen ? '' : this.findHoldOfHost(readHost(address));
  }

  /** The same by the host, with its port where it has one. */
  findHoldOfHost(host: string): string {
    const needs = this.#findNeeds(host);
    if (this.isOff || needs.size === 0 || isGranted(needs)) return '';
    return this.#isOthers(host) ? [...needs].join(' ') : '';
  }

  /** Whether an address waits whenever its purposes are not granted. */
  isListed(address: string): boolean {
    const host = readHost(address);
    return this.#findNeeds(host).size > 0 && this.#isOthers(host);
  }

  /** Those of the host, and of every host that it is below. */
  #findNeeds(host: string): ReadonlySet<string> {
    let needs = NOTHING;
    for (let end = nameOf(host); end; end = end.includes('.') ? end.slice(end.indexOf('.') + 1) : '') {
      const listed = this.#hosts.get(end);
      if (listed) needs = new Set([...needs, ...listed.keys]);
    }
    return needs;
  }

  /** The page's own host, and those that the banner comes from and talks to, are held only by their own name. */
  #isOthers(host: string): boolean {
    return this.#hosts.get(nameOf(host))?.isLiteral || !listOwnHosts(this.#sources).includes(host);
  }

  #list(key: string, name: string): void {
    const kind = KINDS.find((one) => `@${one}` === name);
    const host = kind ? undefined : readName(name);
    if (!kind && !host) reportName(name);
    const hosts = kind ? catalogue[kind].flatMap(([, , ends]) => ends.match(/\S+/g) ?? []) : host ? [host] : [];
    for (const one of hosts) {
      this.#keys.add(key);
      const listed = this.#hosts.get(one) ?? { keys: new Set(), isLiteral: false };
      listed.keys.add(key);
      listed.isLiteral ||= !kind;
      this.#hosts.set(one, listed);
    }
  }
}

/**
 * Asks the banner each time: between a decision and its event a page may already act on it, and nothing may leave by then that
 * has been taken back. What goes wrong here grants nothing.
 */
function isGranted(keys: ReadonlySet<string>): boolean {
  const purposes = attempt(() => findSvcConsent()?.get()?.purposes) ?? {};
  return [...keys].every((key) => attempt(() => purposes[key]) === true);
}

/** Without its port, and the dot that ends a whole name. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/\.$/, '');
}

/** A host as addresses have it: in lower case, in ASCII, and without the dot that ends a whole name. */
function readName(name: string): string | undefined {
  const url = /[/?#@*\\]/.test(name) ? undefined : attempt(() => new URL(`https://${name}`));
  const host = url?.hostname.replace(/\.$/, '');
  return host && !/^\.|\.\./.test(host) ? host : undefined;
}

function reportName(name: string): void {
  const kinds = KINDS.map((kind) => `@${kind}`).join(', ');
  reportProblem(
    `data-requests: "${name}" is no host, nor one of ${kinds}. Write plausible.io, which is all below it, too.`,
  );
}
