import { domainToASCII } from 'node:url';
import { canonicalize } from '../ledger/canonical.ts';
import type { Role } from '../types/api.ts';
import { readCatalogue } from './catalogue.ts';
import { requestRules } from './request-rules.ts';
import { platformRole, roleIds } from './roles.ts';

/** Where in a value something is wrong; `issue` where it is not the one that the rule has. */
export interface Told {
  readonly path: readonly (string | number)[];
  readonly issue?: string;
}

const hostname = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const emailForm = /^([^\s@"(),:;<>[\]\\\p{Cc}\p{Cf}\p{Zs}]+)@([\p{L}\p{M}\p{N}.-]+)$/u;
const mailHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;
const longestAddress = 2048;

/** The one form of a site's name: small ASCII letters, no final dot; null for what is no host name. */
export function readDomain(text: string): string | null {
  if (/[/?#\\%\t\n\r]/.test(text.trim())) return null;
  const ascii = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  return hostname.test(ascii) ? ascii : null;
}

/** An e-mail address in the form that is compared; null for what is none. */
export function normalizeEmail(text: string): string | null {
  if (text.length > 320) return null;
  const [, local = '', domain = ''] = emailForm.exec(text.normalize('NFC')) ?? [];
  if (/^$|^\.|\.\.|\.$/.test(local) || !text.isWellFormed()) return null;
  const host = domainToASCII(domain);
  const name = local.toLowerCase().normalize('NFC');
  const isTooLong = Buffer.byteLength(name) > 64 || Buffer.byteLength(`${name}@${host}`) > 254;
  return isTooLong || !mailHost.test(host) ? null : `${name}@${host}`;
}

function readWebAddress(text: string): string | null {
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return url.href.length <= longestAddress ? url.href : null;
}

/** Without the final dot that says that a name is complete (RFC 1034 section 3.1); null where a part of the name is empty. */
function dropFinalDot(address: string): string | null {
  const url = new URL(address);
  const host = url.hostname.replace(/\.$/, '');
  if (host.split('.').includes('')) return null;
  url.hostname = host;
  return url.href;
}

function readLanguage(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

type Read = { readonly value: unknown } | { readonly issue: string };
const orIssue = (value: unknown, issue: string): Read => (value === null ? { issue } : { value });

/** What texts are read into, by the names that the table has for them. */
export const readers: Readonly<Record<string, (text: string) => Read>> = {
  number: (text) => ({ value: Number(text) }),
  time: (text) => ({ value: new Date(text).toISOString() }),
  language: (text) => orIssue(readLanguage(text), 'must be a BCP 47 language tag such as en or pt-BR'),
  email: (text) => orIssue(normalizeEmail(text.trim()), 'must be an e-mail address, such as name@example.com'),
  webAddress: (text) =>
    orIssue(
      readWebAddress(text.trim()),
      'must be a web address that begins with https:// or http://, without a user name',
    ),
  webhookUrl(text) {
    const address = readWebAddress(text.trim());
    const url = address === null ? null : dropFinalDot(address);
    const issue = 'must be an address that begins with https://, without a user name, a password or a # part';
    return orIssue(url?.includes('#') === true ? null : url, issue);
  },
  // The server puts them in an order of its own.
  asItIs: (value) => ({ value }),
  domain(text) {
    const domain = readDomain(text);
    const isSite = domain !== null && (domain.includes('.') || domain === 'localhost');
    return orIssue(isSite ? domain : null, 'must be a host name such as example.com, without scheme, port or path');
  },
};

/** Names each item that repeats an earlier one. */
function findRepeated<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly number[] {
  const keys = items.map(keyOf);
  return [...keys.keys()].filter((index) => keys.indexOf(keys[index]) < index);
}

const whole = [{ path: [] }];
const unless = (isRight: boolean): readonly Told[] => (isRight ? [] : whole);
const codes: readonly string[] = requestRules.frameworks.map(([code]) => code);
const unknownFramework = `is no framework of the catalogue: ${codes.join(', ')}`;

/** Each must be one that the framework has, and stand there once. */
function checkRequirements(code: string, requirements: readonly string[]): readonly Told[] {
  const framework = readCatalogue().frameworks.find((one) => one.code === code);
  const known = new Set(framework?.requirements.map((requirement) => requirement.code));
  const listed = `GET /v1/control-framework/frameworks/${code} lists them`;
  return requirements.flatMap((requirement, index): readonly Told[] => {
    const path = [code, index];
    if (!known.has(requirement)) return [{ path, issue: `is no requirement of ${framework?.name}; ${listed}` }];
    return requirements.indexOf(requirement) < index ? [{ path }] : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;
type Condition = (value: never, path: readonly string[]) => readonly Told[];

/** What values must be besides, by the names that the table has for it. */
export const conditions: Readonly<Record<string, Condition>> = {
  visible: (text: string) => unless(/[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text)),
  year: (time: string) => unless(time.length === '2026-11-21T05:29:00.123Z'.length),
  line: (text: string) => unless(!/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u.test(text)),
  lines: (text: string) => unless(!/[\u202A-\u202E\u2066-\u2069]|[^\P{Cc}\n\t]/u.test(text)),
  anyField: (change: Fields) => unless(Object.keys(change).length > 0),
  atMostKeys: (map: Fields, [most]) => unless(Object.keys(map).length <= Number(most)),
  anyPath: (filter: Fields) => unless(Object.keys(filter).length > 0),
  filterLength: (filter: Fields) => unless(JSON.stringify(filter).length <= 8192),
  ascending: (items: readonly number[]) =>
    items.flatMap((item, index) => (index > 0 && item <= (items[index - 1] as number) ? [{ path: [index] }] : [])),
  distinct: (items: readonly string[]) => unless(new Set(items).size === items.length),
  framework: (code: string) => unless(codes.includes(code)),
  ownCode(code: string, letters) {
    const [, head] = /^([a-z]+)-\d{2,3}$/i.exec(code) ?? [];
    return unless(head === undefined || !letters.includes(head.toUpperCase()));
  },
  reasoned: ({ outcome, reason }: Fields, path) => (outcome === 'fulfilled' || reason !== undefined ? [] : [{ path }]),
  oneName: ({ id, sequence }: Fields, path) => ((id === undefined) !== (sequence === undefined) ? [] : [{ path }]),
  narrowed: ({ webhookId, from }: Fields, path) => (webhookId !== undefined || from !== undefined ? [] : [{ path }]),
  span: ({ from, to }: { readonly from?: string; readonly to?: string }, path) =>
    from === undefined || to === undefined || from < to ? [] : [{ path }],
  distinctBy(items: readonly Fields[], path) {
    const [field] = path;
    const keyOf = (item: Fields) => (field === undefined ? canonicalize(item) : item[field]);
    return findRepeated(items, keyOf).map((index) => ({ path: [index, ...path] }));
  },
  distinctLabels: (items: readonly { readonly label: string }[]) =>
    findRepeated(items, ({ label }) => label.toLowerCase()).map((index) => ({ path: [index, 'label'] })),
  expiry: (items: readonly { readonly achievedAt: string; readonly expiresAt: string | null }[]) =>
    items.flatMap(({ achievedAt, expiresAt }, index) =>
      expiresAt !== null && expiresAt <= achievedAt ? [{ path: [index, 'expiresAt'] }] : [],
    ),
  frameworks: (items: readonly string[]) =>
    items.flatMap((code, index): readonly Told[] => {
      if (!codes.includes(code)) return [{ path: [index], issue: unknownFramework }];
      return items.indexOf(code) < index ? [{ path: [index] }] : [];
    }),
  mappings: (mappings: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(mappings).flatMap(([code, requirements]): readonly Told[] =>
      codes.includes(code) ? checkRequirements(code, requirements) : [{ path: [code], issue: unknownFramework }],
    ),
  // Which of two groups is meant must depend neither on who asks nor on the case in which a provider writes them.
  roleGroups(map: Readonly<Record<string, Role>>) {
    const roles = new Map<string, Role>();
    return Object.entries(map).flatMap(([name, role]): readonly Told[] => {
      const folded = name.toLowerCase();
      const isOtherRole = folded !== role && [...roleIds, platformRole].some((other) => other === folded);
      const isDouble = (roles.get(folded) ?? role) !== role;
      roles.set(folded, role);
      const issue = `is called like another role than ${role}`;
      return [...(isOtherRole ? [{ path: [name], issue }] : []), ...(isDouble ? [{ path: [name] }] : [])];
    });
  },
};
