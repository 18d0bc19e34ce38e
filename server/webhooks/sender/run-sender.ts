import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../storage/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { FaultLog } from '../../storage/fault-log.ts';
import { type Repeated, repeat } from '../../storage/repeat.ts';
import { stepRedeliveries } from '../deliveries/redelivery.ts';
import type { EndpointKey } from '../endpoints/store.ts';
import type { WebhookSender } from './sender.ts';
import { releaseAll } from './store.ts';

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
  const logCount = createCountLog(sender, faults.log);
  let isStopping = false;
  const wake = (endpoints: readonly EndpointKey[]) => sender.wake(endpoints);
  const forget = () => sender.forgetSent();
  database.signals.on('deliveries', wake);
  database.signals.on('erased', forget);
  const tasks = [
    repeat({ every: 500, pause: 10, task: 'looking for deliveries', faults }, () => sender.poll()),
    repeat({ every: 500, pause: 10, task: 'redelivering', faults }, () => stepRedeliveries(database, clock())),
  ];
  const counting = setInterval(logCount, 60_000).unref();
  const start = async () => {
    // A SQLite file has one server: every lease is of one that crashed.
    if (database.dialect === 'sqlite') await releaseAll(database.kysely);
    await sender.poll();
  };
  const work = async () => {
    await start().catch((error: unknown) => faults.logTask(error, 'the sender started badly'));
    while (!isStopping) {
      await sender.waitForWork();
      while (!isStopping && sender.hasWork) {
        await sender.gather();
        await sender.tick().catch(async (error: unknown) => {
          faults.logTask(error, 'sending failed');
          await wait(1000, undefined, { ref: false });
        });
      }
    }
  };
  const working = work();
  return {
    stop: async () => {
      database.signals.off('deliveries', wake);
      database.signals.off('erased', forget);
      clearInterval(counting);
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
function createCountLog(sender: WebhookSender, log: Logger): () => void {
  const { counts } = sender;
  let before = { ...counts };
  return () => {
    const since = (name: keyof typeof counts) => counts[name] - before[name];
    const [delivered, failed] = [since('delivered'), since('failed')];
    const connections = { opened: since('opened'), reused: since('reused') };
    before = { ...counts };
    if (delivered + failed > 0)
      log.info({ delivered, failed, connections, inFlight: sender.inFlight }, 'sent webhooks');
  };
}
