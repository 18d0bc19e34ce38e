import type { HostCookie } from '../access/host-cookie.ts';
import { type Client, clientBucket } from '../http/client.ts';
import { Problem } from '../http/problem.ts';
import type { LimitRule, RateLimiter } from '../http/rate-limit.ts';
import type { Installation } from '../installation/installation.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import type { AccountRow } from './account-store.ts';
import type { HashCaller } from './password-queue.ts';
import { countTry, forgetTries, returnTry } from './sign-in-store.ts';

/** Failures in a row from one place that cost nothing but the limit a minute. */
const freeFailures = 10;
/** Failures a day from all unknown places together. NIST SP 800-63B-4 section 3.2.2 has the same number, of failures in a row. */
const freeFailuresOfAccount = 100;
/** How many times the limit of an address an IPv6 site (/48) has. */
const addressesOfSite = 10;
const firstWait = 60_000;
const longestWait = 60 * 60 * 1000;

/** How long to wait after so many failures: a minute once the free ones are used up, then twice as long each time, an hour at most. */
export function waitAfter(failures: number, free = freeFailures): number {
  return failures < free ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(failures - free, 10));
}

/** One counter that a try counts in. */
interface Counter {
  /** A keyed hash: nothing that is stored names a person or an address. */
  readonly subject: string;
  readonly free: number;
  /** Completes "Too many failed attempts ". */
  readonly where: string;
}

/** A try that was admitted: it has been counted, and may take a hash. */
export interface Attempt extends HashCaller {
  /** First that of the place, then that of the account where the place is unknown. */
  readonly counters: readonly Counter[];
}

/** Whose device it is, or whose account is tried. A new password makes known devices unknown and starts all counts again. */
export type DeviceOwner = Pick<AccountRow, 'email' | 'password_changed_at'>;

/** What the guard works with. */
export interface GuardOptions extends Pick<Installation, 'database' | 'clock' | 'hasher' | 'box'> {
  readonly limiter: RateLimiter;
  /** Tries a minute, for each client address, and for each account from one place. */
  readonly limit: number;
  /** Marks a device on which a person signed in. */
  readonly deviceCookie: HostCookie;
}

/**
 * Slows guessing down and keeps strangers from locking a person out (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies").
 * - Tries are counted by account and place: the client's network, or the known device, session or invitation. After ten
 *   failures in a row the place waits, from a minute up to an hour. Only a success in the same place forgets them.
 * - Tries from all unknown places together are counted by account and day (UTC). After a hundred failures every unknown
 *   place waits in the same way: at most about 130 guesses
 *   a day, of passwords and codes together, and one more for each sign-in that succeeds. Known devices are not affected.
 * A try counts before the hash is computed, so parallel tries do not get past a limit; a try that is right is given back.
 */
export class SignInGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Limits the tries of an address, and of an IPv6 site, whichever accounts they are about. */
  limitAddress(client: Client): readonly LimitRule[] {
    const { limit } = this.#options;
    const [address, site] = [clientBucket(client), clientBucket(client, 48)];
    const rule = { policy: 'sign_in_address', bucket: `sign-in from ${address}`, limit };
    if (site === address) return [rule];
    // Some providers give the customers of a region one /64 each out of the same /48.
    return [rule, { policy: 'sign_in_site', bucket: `sign-in from ${site}`, limit: limit * addressesOfSite }];
  }

  /**
   * Admits a try of an account.
   * @param email normalized; no account needs to have it.
   * @param account that has the address, if any.
   * @throws {Problem} `rate_limited` with Retry-After.
   */
  admit(email: string, account: DeviceOwner | undefined, client: Client): Promise<Attempt> {
    const { clock, deviceCookie } = this.#options;
    const owner = account ?? { email, password_changed_at: null };
    const device = deviceCookie.read(client.cookie);
    if (device !== undefined && account !== undefined && this.#isDeviceOf(account, device))
      return this.#admitKnown(owner, `device ${device}`, 'on this device');
    // A site has a /48, and a guesser with one must not count as 65,536 strangers.
    const site = clientBucket(client, 48);
    const network = this.#count(owner, `network ${site}`, 'from this address');
    const day = clock().slice(0, 10);
    const elsewhere = this.#count(owner, `anywhere on ${day}`, 'from unknown devices', freeFailuresOfAccount);
    return this.#admit({ bucket: site, isKnown: false, counters: [network, elsewhere] });
  }

  /** Admits a try of a signed-in user. @throws {Problem} `rate_limited` with Retry-After. */
  admitSession(email: string, sessionId: string): Promise<Attempt> {
    return this.#admitKnown({ email, password_changed_at: null }, `session ${sessionId}`, 'in this session');
  }

  /** Admits a try of a person with an invitation. @throws {Problem} `rate_limited` with Retry-After. */
  admitInvitation(email: string, invitationId: string): Promise<Attempt> {
    const owner = { email, password_changed_at: null };
    return this.#admitKnown(owner, `invitation ${invitationId}`, 'with this invitation');
  }

  #admitKnown(owner: DeviceOwner, place: string, where: string): Promise<Attempt> {
    const counter = this.#count(owner, place, where);
    return this.#admit({ bucket: counter.subject, isKnown: true, counters: [counter] });
  }

  #count(owner: DeviceOwner, place: string, where: string, free = freeFailures): Counter {
    const subject = this.#options.hasher.hash('sign-in', `${describeOwner(owner)} ${place}`) as string;
    return { subject, free, where };
  }

  async #admit(attempt: Attempt): Promise<Attempt> {
    const { database, clock, limiter, limit } = this.#options;
    const bucket = `sign-in of ${attempt.counters[0]?.subject}`;
    limiter.take([{ policy: 'sign_in_account', bucket, limit }]);
    await runUnitOfWork(database, clock(), async (work) => {
      for (const { subject, free, where } of attempt.counters) {
        const until = await countTry(work, subject, (failures) => waitAfter(failures, free), longestWait);
        if (until !== null) throw refuse(attempt, where, Date.parse(until) - Date.parse(work.now));
      }
    });
    return attempt;
  }

  /**
   * Checks a secret in an admitted try, and does what the right one is for. Only a wrong secret counts as a failure, and
   * `compute` returns for it: if it throws, as in an overload or when the database is away, the try is given back.
   */
  async check<Result>(attempt: Attempt, compute: () => Promise<Result>): Promise<Result> {
    try {
      return await compute();
    } catch (error) {
      const { database, clock } = this.#options;
      await runUnitOfWork(database, clock(), (work) => this.giveBack(work, attempt));
      throw error;
    }
  }

  /** Takes a try back that was neither a failure nor went through to the end. */
  async giveBack(work: UnitOfWork, { counters }: Attempt): Promise<void> {
    for (const { subject } of counters) await returnTry(work, subject);
  }

  /** Forgets the failures in the place of a try that went through to the end. */
  async succeed(work: UnitOfWork, { counters }: Attempt): Promise<void> {
    const [place, ...others] = counters;
    if (place !== undefined) await forgetTries(work, place.subject);
    for (const { subject } of others) await returnTry(work, subject);
  }

  /** The cookie of a device on which a person has just proven who they are. */
  rememberDevice(owner: DeviceOwner): string {
    const { box, deviceCookie } = this.#options;
    return deviceCookie.write(box.seal(describeOwner(owner), devicePurpose), deviceSeconds);
  }

  #isDeviceOf(owner: DeviceOwner, device: string): boolean {
    try {
      return this.#options.box.open(device, devicePurpose) === describeOwner(owner);
    } catch {
      return false;
    }
  }
}

const devicePurpose = 'device of a person';
/** A device is remembered for as long as browsers keep a cookie. */
const deviceSeconds = 400 * 24 * 60 * 60;

function describeOwner({ email, password_changed_at }: DeviceOwner): string {
  return `${email} ${password_changed_at}`;
}

function refuse({ isKnown }: Attempt, where: string, milliseconds: number): Problem {
  const seconds = Math.ceil(milliseconds / 1000);
  const orElse = isKnown ? '' : ', or on a device on which you signed in before';
  const message = `Too many failed attempts ${where}; try again in ${seconds} s${orElse}.`;
  return new Problem('rate_limited', message, { headers: { 'Retry-After': String(seconds) } });
}
