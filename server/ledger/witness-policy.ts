import { readWitnessKey, type Signer } from '../../packages/node-sdk/src/ledger/checkpoint.ts';
import { sha256 } from './merkle.ts';

// Policies as in C2SP tlog-policy: the witnesses, and the quorum of cosignatures.

export interface Witness extends Signer {
  /** Its key as text, which identifies it. */
  readonly vkey: string;
  /** Its submission prefix; null if no checkpoint is sent to it. */
  readonly url: string | null;
}

export interface WitnessPolicy {
  readonly witnesses: readonly Witness[];
  /** True if the cosignatures of these witnesses, by their keys as text, are enough. */
  isMet(cosigned: ReadonlySet<string>): boolean;
}

/** A policy that cannot be used; the message names the line. */
export class InvalidPolicy extends Error {
  override readonly name = 'InvalidPolicy';
}

type Rule = (cosigned: ReadonlySet<string>) => boolean;

/** Witnesses, groups and logs, of each kind, as the specification recommends at least. */
const mostNames = 100;

/**
 * Parses a policy. Lines that define logs are ignored: the log is that of the installation.
 * @throws {InvalidPolicy}
 */
export function parsePolicy(text: string): WitnessPolicy {
  const rules = new Map<string, Rule>();
  const grouped = new Set<string>();
  const keys = new Set<string>();
  const witnesses: Witness[] = [];
  let quorum: Rule | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const refuse = (issue: string) => new InvalidPolicy(`line ${index + 1}: ${issue}`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the specification names them.
    if (/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) throw refuse('a control character');
    const [word = '', name = '', ...rest] = line.split(/[ \t]+/).filter((part) => part !== '');
    if (word === '' || word.startsWith('#') || word === 'log') continue;
    const find = (wanted: string) => {
      const rule = rules.get(wanted);
      if (rule === undefined) throw refuse(`${wanted} is not defined on a line before`);
      return rule;
    };
    const define = (rule: Rule) => {
      if (name === '' || name === 'none' || rules.has(name)) throw refuse('a name is missing, or used twice');
      if (rules.size >= mostNames) throw refuse(`more than ${mostNames} witnesses and groups`);
      rules.set(name, rule);
    };
    if (word === 'witness') {
      const [key = '', url = null, ...more] = rest;
      const signer = readWitnessKey(sha256, key);
      if (signer === null) throw refuse('the key is not one for Ed25519 cosignatures (type 4)');
      const bytes = Buffer.from(signer.key).toString('hex');
      if (keys.has(bytes)) throw refuse('the key is already that of another witness');
      if (more.length > 0 || (url !== null && !isAddress(url)))
        throw refuse('the address must be an http or https URL without user name, query and fragment');
      keys.add(bytes);
      witnesses.push({ ...signer, vkey: key, url });
      define((cosigned) => cosigned.has(key));
    } else if (word === 'group') {
      const [least = '', ...members] = rest;
      const count =
        least === 'any' ? 1 : least === 'all' ? members.length : /^[1-9]\d{0,3}$/.test(least) ? Number(least) : 0;
      if (count < 1 || count > members.length)
        throw refuse('the threshold must be any, all, or 1 to the number of members');
      const parts = members.map((member) => {
        if (grouped.has(member)) throw refuse(`${member} is in two groups, or twice in one`);
        grouped.add(member);
        return find(member);
      });
      define((cosigned) => parts.filter((isMet) => isMet(cosigned)).length >= count);
    } else if (word === 'quorum') {
      if (quorum !== undefined || rest.length > 0) throw refuse('there must be one line with one quorum');
      quorum = name === 'none' ? () => true : find(name);
    } else throw refuse(`${JSON.stringify(word.slice(0, 40))} is not log, witness, group or quorum`);
  }
  if (quorum === undefined) throw new InvalidPolicy('the line with the quorum is missing');
  return { witnesses, isMet: quorum };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '';
}
