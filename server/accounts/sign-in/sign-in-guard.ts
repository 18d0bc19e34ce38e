import { Problem } from '../../http/problem.ts';
import type { LimitRule, RateLimiter } from '../../http/rate-limit.ts';
import { type Client, clientBucket, limitAddress } from '../../http/request.ts';
import type { Installation } from '../../installation/installation.ts';
import { addTime, runTransaction, type Transaction } from '../../storage/database.ts';
import { updateRow } from '../../storage/rows.ts';
import type { AccountRow } from '../members/account-store.ts';
import type { HashCaller } from './password-queue.ts';
import type { HostCookie } from './session-store.ts';

/** Consecutive failures from one place that start no wait. */
const freeFailures = 10;
/** Failures a day from all unknown places together. NIST SP 800-63B-4 section 3.2.2 has this limit for consecutive failures. */
const freeFailuresOfAccount = 100;
const firstWait = 60_000;
const longestWait = 60 * 60 * 1000;

/** The wait after a number of failures, in milliseconds: a minute after the free ones, doubling up to an hour. */
export function waitAfter(failures: number, free = freeFailures): number {
  return failures < free ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(failures - free, 10));
}

interface Counter {
  /** A keyed hash, so that no user or address is stored. */
  readonly subject: string;
  readonly free: number;
  /** Completes "Too many failed attempts ". */
  readonly where: string;
}

/** An admitted attempt: it was counted, and may compute a hash. */
export interface Attempt extends HashCaller {
  /** First that of the place, then that of the account if the place is unknown. */
  readonly counters: readonly [Counter, ...Counter[]];
}

/** The account of a device or attempt. A new password makes known devices unknown and resets all counters. */
type DeviceOwner = Pick<AccountRow, 'email' | 'password_changed_at'>;

export interface GuardOptions extends Installation {
  readonly limiter: RateLimiter;
  /** Attempts a minute, for each client address, and for each account from one place. */
  readonly limit: number;
  /** Marks a device on which a user signed in. */
  readonly deviceCookie: HostCookie;
}

/**
 * Slows down guessing without letting attackers lock a user out (OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies").
 * - Attempts are counted by account and place: the client's network, or the known device, session or invitation. After
 *   ten consecutive failures the place waits, from a minute up to an hour. Only a success in the same place resets it.
 * - Attempts from all unknown places together are counted by account and day (UTC). After a hundred failures every
 *   unknown place waits in the same way: at most about 130 guesses a day, of passwords and codes together, and one more
 *   for each successful sign-in. Known devices are not affected.
 * An attempt counts before the hash is computed, so parallel attempts do not exceed a limit; a right one is given back.
 */
export class SignInGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Limits the attempts of an address and of an IPv6 site, for all accounts together. */
  limitAddress(client: Client): readonly LimitRule[] {
    return limitAddress(client, { policy: 'sign_in_address', sitePolicy: 'sign_in_site', limit: this.#options.limit });
  }

  /**
   * Admits an attempt to sign in to an account.
   * @param email normalized; an account need not exist.
   * @throws {Problem} `rate_limited` with Retry-After.
   */
  admit(email: string, account: DeviceOwner | undefined, client: Client): Promise<Attempt> {
    const { clock, deviceCookie } = this.#options;
    const owner = account ?? { email, password_changed_at: null };
    const device = deviceCookie.read(client.cookie);
    if (device !== undefined && account !== undefined && this.#isDeviceOf(account, device))
      return this.#admitKnown(owner, `device ${device}`, 'on this device');
    // By /48: an attacker with a site must not count as 65,536 networks.
    const site = clientBucket(client, 48);
    const network = this.#count(owner, `network ${site}`, 'from this address');
    const day = clock().slice(0, 10);
    const elsewhere = this.#count(owner, `anywhere on ${day}`, 'from unknown devices', freeFailuresOfAccount);
    return this.#admit({ bucket: site, isKnown: false, counters: [network, elsewhere] });
  }

  /** Admits an attempt of a signed-in user, with an invitation, or with a link that resets a password. @throws {Problem} `rate_limited` with Retry-After. */
  admitHolder(email: string, kind: 'session' | 'invitation' | 'link', id: string): Promise<Attempt> {
    const where = `${kind === 'session' ? 'in' : 'with'} this ${kind}`;
    return this.#admitKnown({ email, password_changed_at: null }, `${kind} ${id}`, where);
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
    const bucket = `sign-in of ${attempt.counters[0].subject}`;
    limiter.take([{ policy: 'sign_in_account', bucket, limit }]);
    await runTransaction(database, clock(), async (tx) => {
      for (const counter of attempt.counters) {
        const until = await countAttempt(tx, counter);
        if (until === null) continue;
        // Reported by address: an attack on many accounts is one line.
        const reported = `sign_in_failures ${attempt.bucket}`;
        limiter.report({ policy: 'sign_in_failures', bucket: reported, limit: counter.free });
        throw refuse(attempt, counter.where, Date.parse(until) - Date.parse(tx.now));
      }
    });
    return attempt;
  }

  /**
   * Runs an admitted attempt. Only a wrong secret counts as a failure, for which `compute` returns; when it throws, as in
   * an overload or while the database is unavailable, the attempt is given back.
   */
  async check<Result>(attempt: Attempt, compute: () => Promise<Result>): Promise<Result> {
    try {
      return await compute();
    } catch (error) {
      const { database, clock } = this.#options;
      await runTransaction(database, clock(), (tx) => this.giveBack(tx, attempt));
      throw error;
    }
  }

  /** Takes back an attempt that neither failed nor completed. */
  async giveBack(tx: Transaction, { counters }: Attempt): Promise<void> {
    for (const counter of counters) await takeBack(tx, counter);
  }

  /** Clears the failures in the place of a completed attempt. */
  async succeed(tx: Transaction, { counters: [place, ...others] }: Attempt): Promise<void> {
    await tx.queries.deleteFrom('sign_in_failures').where('subject', '=', place.subject).execute();
    for (const counter of others) await takeBack(tx, counter);
  }

  /** The Set-Cookie header that makes a device known after a completed sign-in. */
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
/** As long as browsers keep a cookie. */
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

/** Counts an attempt as a failure, until `takeBack`. @returns until when its subject is blocked; null when it was counted. */
async function countAttempt(tx: Transaction, { subject, free }: Counter): Promise<string | null> {
  const longestBlock = addTime(tx.now, longestWait);
  const counted = await tx.queries
    .insertInto('sign_in_failures')
    .values({ subject, failures: 1, last_failed_at: tx.now, blocked_until: null })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((row) => ({
          failures: row('sign_in_failures.failures', '+', 1),
          last_failed_at: tx.now,
          blocked_until: null,
        }))
        .where((row) =>
          row.or([
            row('sign_in_failures.blocked_until', 'is', null),
            row('sign_in_failures.blocked_until', '<=', tx.now),
            // A wait that was set by a clock in the future must not last longer.
            row('sign_in_failures.blocked_until', '>', longestBlock),
          ]),
        ),
    )
    .returning('failures')
    .executeTakeFirst();
  if (counted === undefined) {
    const waiting = tx.queries.selectFrom('sign_in_failures').select('blocked_until');
    return (await waiting.where('subject', '=', subject).executeTakeFirstOrThrow()).blocked_until;
  }
  const wait = waitAfter(counted.failures, free);
  if (wait > 0) await updateRow(tx.queries, 'sign_in_failures', { subject }, { blocked_until: addTime(tx.now, wait) });
  return null;
}

/** Takes back an attempt, and the wait that it started. */
async function takeBack(tx: Transaction, { subject }: Counter): Promise<void> {
  await tx.queries
    .updateTable('sign_in_failures')
    .set((row) => ({ failures: row('failures', '-', 1), blocked_until: null }))
    .where('subject', '=', subject)
    .where('failures', '>', 0)
    .execute();
}
