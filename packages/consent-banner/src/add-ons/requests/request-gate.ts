import { reportProblem } from '../../report-problem.ts';
import { attempt } from '../../stub/attempt.ts';
import type { Mapped } from '../../stub/mapping.ts';
import type { Purposes } from '../../stub/stored-decision.ts';
import { catalogue } from '../inspector/catalogue.ts';
import { listBanners } from '../list-banners.ts';
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
  /** Whether nothing waits: every listed purpose is granted, or the site wants it no more. */
  isOpen = false;
  readonly #hosts = new Map<string, ListedHost>();
  readonly #source: string;
  #purposes: Purposes = {};

  /** @param source the address of the add-on's own script: its host serves the banner. */
  constructor(mapping: readonly Mapped[], source = '') {
    this.#source = readHost(source);
    for (const [key, name] of mapping) this.#list(key, name);
  }

  /** What the visitor decided; nothing, while nothing counts. */
  set purposes(purposes: Purposes) {
    this.#purposes = purposes;
    this.isOpen = [...this.#hosts.values()].every(({ keys }) => this.#isGranted(keys));
  }

  /** The purposes that an address waits for, separated by spaces; empty for what may go. */
  findHold(address: string): string {
    return this.isOpen ? '' : this.findHoldOfHost(readHost(address));
  }

  /** The same by the host, with its port where it has one. */
  findHoldOfHost(host: string): string {
    const needs = this.#findNeeds(host);
    return needs.size > 0 && !this.#isGranted(needs) && this.#isOthers(host) ? [...needs].join(' ') : '';
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

  #isGranted(keys: ReadonlySet<string>): boolean {
    return [...keys].every((key) => this.#purposes[key] === true);
  }

  /** The page's own host, and those that the banner comes from and talks to, are held only by their own name. */
  #isOthers(host: string): boolean {
    if (this.#hosts.get(nameOf(host))?.isLiteral) return true;
    const bases = [...listBanners()].map((banner) => banner.getAttribute('api-base'));
    return ![location.host, this.#source, ...bases.map((base) => readHost(base ?? ''))].includes(host);
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

/** Without its port, and the dot that ends a whole name. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/\.$/, '');
}

/** A host as addresses have it: in lower case, and in ASCII. */
function readName(name: string): string | undefined {
  const url = /[/?#@*\\]/.test(name) ? undefined : attempt(() => new URL(`https://${name}`));
  return url?.hostname;
}

function reportName(name: string): void {
  const kinds = KINDS.map((kind) => `@${kind}`).join(', ');
  reportProblem(
    `data-requests: "${name}" is no host, nor one of ${kinds}. Write plausible.io, which is all below it, too.`,
  );
}
