import type { PrivateHasher } from '../access/private-hash.ts';
import { type Client, clientBucket } from '../http/client.ts';
import { Problem } from '../http/problem.ts';
import type { LimitRule, RateLimiter } from '../http/rate-limit.ts';
import type { Installation } from '../installation.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import { countFailure, findBlock, forgetFailures } from './sign-in-store.ts';

/** Failures in a row that cost nothing but the limit a minute. */
const freeFailures = 10;
const firstWait = 60_000;
const longestWait = 60 * 60 * 1000;

/** How long to wait after so many failures in a row: a minute after ten, then twice as long each time, an hour at most. */
export function waitAfter(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(failures - freeFailures, 10));
}

/** Who tries, as failures are counted: an account from anywhere, or from one device on which it signed in before. */
export interface Attempt {
  /** A keyed hash: what is stored tells no address of anybody. */
  readonly subject: string;
}

/** Whose device it is. One that was known before another password was set is known no more. */
export type DeviceOwner = Pick<AccountRow, 'email' | 'password_changed_at'>;

function describeOwner({ email, password_changed_at }: DeviceOwner): string {
  return `${email} ${password_changed_at}`;
}

/** What the guard works with. */
export interface GuardOptions extends Pick<Installation, 'database' | 'clock' | 'hasher' | 'box'> {
  readonly limiter: RateLimiter;
  /** Tries a minute, for each account and each client address. */
  readonly limit: number;
}

/**
 * Slows guessing down without locking anybody out for good: ten tries a minute for each account and each address, and after
 * ten failures in a row a wait that grows up to an hour. A device on which a person signed in before is counted by
 * itself, so that strangers who fail do not keep the person out (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies"). Only a success of the same account from the same place forgets failures.
 */
export class SignInGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** What every try counts for, whatever account it is about: its address. */
  limitAddress(client: Client): LimitRule {
    return { policy: 'sign_in_address', bucket: `sign-in from ${clientBucket(client)}`, limit: this.#options.limit };
  }

  /**
   * Takes a try of an account.
   * @param email normalized; it need not belong to anybody.
   * @param account whose address it is, if anybody's.
   * @param device the value of the device cookie.
   * @throws {Problem} `rate_limited` with Retry-After.
   */
  admit(email: string, account: DeviceOwner | undefined, device: string | undefined): Promise<Attempt> {
    const isKnown = device !== undefined && account !== undefined && this.#isDeviceOf(account, device);
    return this.#admitFrom(email, isKnown ? `device ${device}` : anywhere);
  }

  /** Takes a try of somebody who is signed in. @throws {Problem} `rate_limited` with Retry-After. */
  admitSession(email: string, sessionId: string): Promise<Attempt> {
    return this.#admitFrom(email, `session ${sessionId}`);
  }

  /** Takes a try of somebody with an invitation. @throws {Problem} `rate_limited` with Retry-After. */
  admitInvitation(email: string, invitationId: string): Promise<Attempt> {
    return this.#admitFrom(email, `invitation ${invitationId}`);
  }

  async #admitFrom(email: string, place: string): Promise<Attempt> {
    const { database, clock, hasher, limiter, limit } = this.#options;
    const subject = nameSubject(hasher, email, place);
    limiter.take([{ policy: 'sign_in_account', bucket: `sign-in of ${subject}`, limit }]);
    const now = clock();
    const until = await findBlock(database.kysely, subject, now);
    if (until === null) return { subject };
    const seconds = Math.ceil((Date.parse(until) - Date.parse(now)) / 1000);
    throw new Problem('rate_limited', `Too many failures in a row; try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }

  /** Counts a failure of a try. @returns how many there were in a row. */
  fail(work: UnitOfWork, { subject }: Attempt): Promise<number> {
    return countFailure(work, subject, waitAfter);
  }

  /** Forgets the failures of a try that went through to the end. */
  succeed(work: UnitOfWork, { subject }: Attempt): Promise<void> {
    return forgetFailures(work, subject);
  }

  /** The value of a device cookie for a person who has just signed in. */
  nameDevice(owner: DeviceOwner): string {
    return this.#options.box.seal(describeOwner(owner), devicePurpose);
  }

  #isDeviceOf(owner: DeviceOwner, device: string): boolean {
    try {
      return this.#options.box.open(device, devicePurpose) === describeOwner(owner);
    } catch {
      return false;
    }
  }
}

/** Forgets what strangers failed with, when the operator gives a person a new password. */
export function forgetStrangers(work: UnitOfWork, hasher: PrivateHasher, email: string): Promise<void> {
  return forgetFailures(work, nameSubject(hasher, email, anywhere));
}

function nameSubject(hasher: PrivateHasher, email: string, place: string): string {
  return hasher.hash('sign-in', `${email} ${place}`) as string;
}

/** Where a try comes from of which nothing is known. */
const anywhere = 'anywhere';
const devicePurpose = 'device of a person';
