import { z } from 'zod';

const shortest = 15;
/** Where a second factor stands beside the password (NIST SP 800-63B-4 section 3.1.1.2). */
const shortestWithSecondFactor = 8;
const mostBytes = 256;
/** How much of a password must be something else than the words that everybody can guess of this person. */
const leastOwnCharacters = 8;

/** A password as somebody types it to sign in: whether it is right is not a question of its form. */
export const TypedPassword = z.string().min(1).max(1024).meta({ description: 'The present password.' });

/** A password that somebody chooses; `findWeakness` tells what is wrong with it. */
export const NewPassword = z
  .string()
  .min(1)
  .max(1024)
  .meta({
    description: `At least ${shortest} characters (${shortestWithSecondFactor} with a second factor on), at most ${mostBytes} bytes; any characters. Passwords that many people use are refused.`,
  });

export interface PasswordContext {
  readonly hasSecondFactor: boolean;
  /** What everybody can guess of this person: address, names, the tenant. */
  readonly words: readonly string[];
}

/**
 * Why a password cannot be taken; null when it can. Length is what counts; there are no rules of composition
 * (NIST SP 800-63B-4 section 3.1.1.2, ASVS 5.0 6.2.1 to 6.2.12).
 */
export async function findWeakness(password: string, context: PasswordContext): Promise<string | null> {
  const text = password.normalize('NFKC');
  const least = context.hasSecondFactor ? shortestWithSecondFactor : shortest;
  if ([...text].length < least) return `must have at least ${least} characters`;
  if (Buffer.byteLength(text) > mostBytes) return `must have at most ${mostBytes} bytes`;
  const plain = text.toLowerCase();
  if (isPattern(plain)) return 'must not be a pattern, such as repeated characters or the keys in their order';
  if (countOwn(plain, context.words) < leastOwnCharacters)
    return 'must not consist of your name, your address or the name of the company';
  if (await isCommon(plain)) return 'is made of passwords that many people use; choose another';
  return null;
}

const orders = ['abcdefghijklmnopqrstuvwxyz', '0123456789', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop'];

/** Whether a text repeats a few characters, or follows an order that everybody knows. */
function isPattern(text: string): boolean {
  if (/^(.{1,4}?)\1+.{0,3}$/su.test(text)) return true;
  return orders.some((order) => {
    const forward = order.repeat(Math.ceil(text.length / order.length) + 1);
    return forward.includes(text) || [...forward].reverse().join('').includes(text);
  });
}

/** How many characters are left when the words are taken out. */
function countOwn(text: string, words: readonly string[]): number {
  const guessable = words
    .flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)])
    .map((word) => word.normalize('NFKC').toLowerCase())
    .filter((word) => word.length >= 3)
    .sort((one, other) => other.length - one.length);
  return [...guessable.reduce((rest, word) => rest.replaceAll(word, ''), text)].length;
}

let common: Promise<ReadonlySet<string>> | null = null;

/**
 * Whether a password is among the 49,000 most common of leaked ones, repeats one of them, or is two of them in a row: few
 * that are common are as long as we ask for, and most people get there by typing on.
 */
async function isCommon(text: string): Promise<boolean> {
  // The list is large and seldom needed: nobody pays for it at the start.
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']));
  const known = await common;
  const [, unit = text] = /^(.+?)\1+$/su.exec(text) ?? [];
  if (known.has(text) || known.has(unit)) return true;
  return Array.from(text).some((_, place) => known.has(text.slice(0, place)) && known.has(text.slice(place)));
}
