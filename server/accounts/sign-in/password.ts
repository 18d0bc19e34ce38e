import { readFile } from 'node:fs/promises';
import { invalidValues } from '../../http/problem.ts';
import { text } from '../../http/schemas.ts';
import type { Queries } from '../../storage/queries.ts';
import { findMember } from '../members/membership-store.ts';
import { isSecondFactorEnabled } from '../mfa/second-factor.ts';
import { findTenant } from '../tenants/store.ts';

const shortest = 15;
/** For users with a second factor (NIST SP 800-63B-4 section 3.1.1.2). */
const shortestWithSecondFactor = 8;
const mostBytes = 256;
/** The fewest characters of a password outside of words that describe the user. */
const leastOwnCharacters = 8;

/** An existing password; its form is not validated. */
export const TypedPassword = text(1024).min(1).meta({ description: 'The current password.' });

/** A new password; `findWeakness` validates it. */
export const NewPassword = text(1024)
  .min(1)
  .meta({
    description: `At least ${shortest} characters (${shortestWithSecondFactor} with an enabled second factor), at most ${mostBytes} bytes; any characters. Passwords that are easy to guess are rejected.`,
  });

/**
 * Why a new password is rejected, as the end of a sentence about it; null when it is accepted. Length and guessability
 * count; there are no composition rules (NIST SP 800-63B-4 section 3.1.1.2, ASVS 5.0 6.2.1 to 6.2.12). Loads dictionaries.
 * @param user.words words that describe the user: address, names, the tenant.
 */
export async function findWeakness(
  password: string,
  user: { readonly hasSecondFactor: boolean; readonly words: readonly string[] },
): Promise<string | null> {
  const text = password.normalize('NFKC');
  const least = user.hasSecondFactor ? shortestWithSecondFactor : shortest;
  if ([...text].length < least) return `must have at least ${least} characters`;
  if (Buffer.byteLength(text) > mostBytes) return `must have at most ${mostBytes} bytes`;
  const plain = text.toLowerCase();
  const words = listGuessable(user.words);
  if (countRest(plain, words) < leastOwnCharacters)
    return 'must not consist of your name, your address or the name of the company';
  const letters = plain.replace(/[^\p{L}\p{N}]/gu, '');
  if (famousPhrases.some((phrase) => letters.includes(phrase) && letters.length - phrase.length < leastOwnCharacters))
    return `is a phrase that many people know; ${advice}`;
  strength ??= loadStrength().catch((error: unknown) => {
    // Retry on the next call, for example after a lack of file handles.
    strength = null;
    throw error;
  });
  const { common, estimate } = await strength;
  if (common.has(plain)) return `is one of the passwords that many people use; ${advice}`;
  const fewest = user.hasSecondFactor ? fewestGuessesWithSecondFactor : fewestGuesses;
  const guesses = Math.min(estimate(text, words), estimate(dropRepeats(text), words));
  return guesses < fewest ? `is too easy to guess; ${advice}` : null;
}

/**
 * Rejects a new password that is easy to guess, also from what is known of the user: address, names, the tenant.
 * @param userId null for an address without an account.
 * @param field the field of the body that the error names.
 * @throws {Problem} `validation_failed`.
 */
export async function requireStrongPassword(
  queries: Queries,
  { tenantId, userId, email }: { readonly tenantId: string; readonly userId: string | null; readonly email: string },
  field: string,
  password: string,
): Promise<void> {
  const hasSecondFactor = userId !== null && (await isSecondFactorEnabled(queries, userId));
  const tenant = await findTenant(queries, tenantId);
  const member = userId === null ? undefined : await findMember(queries, tenantId, userId);
  const names = [email, tenant?.slug, tenant?.name, member?.given_name, member?.family_name, 'svc'];
  const words = names.filter((word) => typeof word === 'string');
  const weakness = await findWeakness(password, { hasSecondFactor, words });
  if (weakness !== null) throw invalidValues([{ path: `body.${field}`, issue: weakness }]);
}

const advice = 'choose four or more unrelated words, or let a password manager make one';

/** "Very unguessable" in the scale of zxcvbn: withstands an offline attack on stolen hashes. */
const fewestGuesses = 1e10;
/** With a second factor; eight random characters have more. */
const fewestGuessesWithSecondFactor = 1e6;

/** Well-known phrases that an estimator takes for good passphrases, reduced to letters and digits. */
const famousPhrases = [
  'correcthorsebatterystaple',
  'thequickbrownfoxjumpsoverthelazydog',
  'thequickbrownfoxjumps',
  'tobeornottobethatisthequestion',
  'itwasthebestoftimesitwastheworstoftimes',
  'loremipsumdolorsitamet',
  'maytheforcebewithyou',
  'allyourbasearebelongtous',
  'houstonwehaveaproblem',
  'inthebeginningwastheword',
  'franklymydearidontgiveadamn',
  'twinkletwinklelittlestar',
  'maryhadalittlelamb',
  'happybirthdaytoyou',
  'onceuponatime',
  'winteriscoming',
];

/** The words and their parts that someone who knows the user would try, longest first. */
function listGuessable(words: readonly string[]): readonly string[] {
  return words
    .flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)])
    .map((word) => word.normalize('NFKC').toLowerCase())
    .filter((word) => word.length >= 3)
    .sort((one, other) => other.length - one.length);
}

/** The number of characters without the words. */
function countRest(text: string, words: readonly string[]): number {
  return [...words.reduce((rest, word) => rest.replaceAll(word, ''), text)].length;
}

const shortestRepeat = 4;

/**
 * A text without repeated parts, ignoring case. The estimator recognizes only adjacent repetitions, not
 * `Welcome2026!Welcome`.
 */
function dropRepeats(text: string): string {
  let [kept, rest] = ['', text];
  while (rest !== '') {
    const repeated = countRepeated(kept, rest);
    const [next, dropped] = repeated < shortestRepeat ? [rest.slice(0, 1), 1] : ['', repeated];
    kept += next;
    rest = rest.slice(dropped);
  }
  return kept;
}

/** The number of characters at the start of `rest` that occur in `before` in the same order. */
function countRepeated(before: string, rest: string): number {
  const [known, wanted] = [before.toLowerCase(), rest.toLowerCase()];
  let length = 0;
  while (length < wanted.length && known.includes(wanted.slice(0, length + 1))) length += 1;
  return length;
}

interface Strength {
  /** The 49,000 most common passwords of leaks. */
  readonly common: ReadonlySet<string>;
  /** The estimated number of guesses to find a password. */
  estimate(text: string, words: readonly string[]): number;
}

let strength: Promise<Strength> | null = null;

/** Loads dictionaries of about 25 MB, with the first password that is set. */
async function loadStrength(): Promise<Strength> {
  const [{ ZxcvbnFactory }, { dictionary: common, adjacencyGraphs }, words] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    loadWords(),
  ]);
  const dictionary = { ...common, words };
  // The time grows faster than linearly in both: bounded.
  const bounds = { maxLength: 64, l33tMaxSubstitutions: 16 };
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, ...bounds });
  return {
    common: new Set(dictionary['passwords-common']),
    estimate: (text, words) => zxcvbn.check(text, [...words]).guesses,
  };
}

/** Reads 56,000 English words, the most common first, from the file: the package would also load 100,000 names. */
async function loadWords(): Promise<string[]> {
  const file = new URL(import.meta.resolve('@zxcvbn-ts/language-en/src/commonWords.json'));
  return JSON.parse(await readFile(file, 'utf8'));
}
