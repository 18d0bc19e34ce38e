import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock, Database } from '../../storage/database.ts';
import type { FaultLog } from '../../storage/fault-log.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import { stepRedeliveries } from '../deliveries/redelivery.ts';
import type { EndpointKey } from '../endpoints/store.ts';
import type { WebhookSender } from './sender.ts';

export interface RunSenderOptions {
  readonly sender: WebhookSender;
  readonly database: Database;
  readonly clock: Clock;
  readonly faults: FaultLog;
}

/**
 * Lets a sender work: at once when this process commits something to be sent, and every half second for what became due
 * or was committed by another process.
 */
export function runSender({ sender, database, clock, faults }: RunSenderOptions): Repeated {
  const watch = createSenderWatch(sender.id);
  const logCount = createCountLog(sender, faults.log);
  let isStopping = false;
  const notice = (endpoints: readonly EndpointKey[]) => sender.notice(endpoints);
  const forget = () => sender.forgetSent();
  database.signals.on('deliveries', notice);
  database.signals.on('erased', forget);
  const tasks = [
    repeat({ every: 500, pause: 10, task: 'looking for deliveries', faults }, () => sender.look()),
    repeat({ every: 500, pause: 10, task: 'redelivering', faults }, () => stepRedeliveries(database, clock())),
    repeat({ every: 2000, task: 'the beat of the sender', faults }, async () => {
      const ended = watch(await sender.beat(), performance.now());
      // After the heartbeat, so that a failure to release the claims of senders that ended stops none.
      if (ended.length > 0) await sender.reclaim(ended);
      return false;
    }),
    repeat({ every: 60_000, task: 'counting deliveries', faults }, async () => logCount()),
  ];
  const hasStarted = async () => {
    try {
      const senders = await sender.beat();
      // On SQLite every other one on the list has ended, because a file has one server.
      if (database.dialect === 'sqlite') await sender.reclaim([...senders.keys()].filter((id) => id !== sender.id));
      await sender.look();
      return true;
    } catch (error) {
      faults.logTask(error, 'the sender could not start');
      return false;
    }
  };
  const work = async () => {
    // Only a process on the list may claim: the claims of others are released.
    while (!isStopping && !(await hasStarted())) await wait(1000, undefined, { ref: false });
    while (!isStopping) {
      await sender.waitForWork();
      while (!isStopping && sender.hasWork) {
        await sender.gather();
        await sender.turn().catch(async (error: unknown) => {
          faults.logTask(error, 'sending failed');
          await wait(1000, undefined, { ref: false });
        });
      }
    }
  };
  const working = work();
  return {
    stop: async () => {
      database.signals.off('deliveries', notice);
      database.signals.off('erased', forget);
      await Promise.all(tasks.map((task) => task.stop()));
      isStopping = true;
      // If the write fails, the next process sends the deliveries again.
      await sender.stop(graceMilliseconds).catch((error: unknown) => faults.logTask(error, 'the sender stopped badly'));
      logCount();
      await working;
    },
  };
}

const graceMilliseconds = 10_000;

/** Logs what was sent since the last time, if anything was. */
function createCountLog(sender: WebhookSender, log: Logger): () => false {
  const { counts } = sender;
  let before = { ...counts };
  return () => {
    const since = (name: keyof typeof counts) => counts[name] - before[name];
    const [delivered, failed] = [since('delivered'), since('failed')];
    const connections = { opened: since('opened'), reused: since('reused') };
    before = { ...counts };
    if (delivered + failed > 0)
      log.info({ delivered, failed, connections, inFlight: sender.inFlight }, 'sent webhooks');
    return false;
  };
}

/**
 * Finds senders that have ended: those without a heartbeat for ten seconds of this process's clock; no two clocks are compared.
 * Silence counts only while this process itself looks: after it was suspended, or after an outage of the database, the others
 * get the whole time again.
 * @param id the process that watches, which does not count itself as ended.
 * @returns notes the beats of all, at milliseconds on a clock that never goes back, and returns those that have ended.
 */
export function createSenderWatch(id: string) {
  let notedAt = Number.NEGATIVE_INFINITY;
  let seen = new Map<string, { readonly count: number; readonly since: number }>();
  return (beats: ReadonlyMap<string, number>, now: number): readonly string[] => {
    const before = now - notedAt < longestPause ? seen : new Map();
    notedAt = now;
    seen = new Map();
    for (const [other, count] of beats) {
      const known = before.get(other);
      seen.set(other, known?.count === count ? known : { count, since: now });
    }
    return [...seen].filter(([other, { since }]) => other !== id && now - since >= silence).map(([other]) => other);
  };
}

const silence = 10_000;
/** Between two looks of this process; they come every two seconds. */
const longestPause = 5000;
