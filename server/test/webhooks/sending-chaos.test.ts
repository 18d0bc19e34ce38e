import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import type { TestServer } from '../harness.ts';
import { happen, type NumberedEvent, readEvent } from './numbered-events.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  expireLeases,
  readDeliveries,
  startScriptedReceiver,
  type TestSender,
} from './sending.ts';

/** Random steps: two servers send, alternately or at once, and may be killed in between. */
type Step =
  | { readonly do: 'happen' | 'happen while they send'; readonly subjects: readonly string[] }
  | { readonly do: 'refuse'; readonly times: number }
  | { readonly do: 'send'; readonly who: 0 | 1 }
  | { readonly do: 'send at once' }
  | { readonly do: 'end after it was taken' | 'end before an answer'; readonly who: 0 | 1 }
  | { readonly do: 'wait'; readonly seconds: number };

const subjects = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 });
const who = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('happen' as const), subjects }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('happen while they send' as const), subjects }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), times: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send at once' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('end after it was taken' as const, 'end before an answer' as const),
      who,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 8 }) }) },
);

async function play(server: TestServer, steps: readonly Step[]): Promise<void> {
  await using receiver = await startScriptedReceiver();
  await using stack = new AsyncDisposableStack();
  const start = () => stack.use(createTestSender(server));
  const senders: [TestSender, TestSender] = [start(), start()];
  const { tenant } = await createSubscriber(server, receiver.url, { retrySchedule: [1, 2, 4] });
  const taken: NumberedEvent[] = [];
  const counts = new Map<string, number>();
  let refusals = 0;
  let isSilent = false;
  receiver.reply = (delivery) => {
    if (isSilent) return null;
    if (refusals > 0) {
      refusals -= 1;
      return { status: 503 };
    }
    taken.push(readEvent(delivery));
    return { status: 204 };
  };
  const number = (subject: string): NumberedEvent => {
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
    return { subject, number: counts.get(subject) as number };
  };
  const turn = async ({ sender }: TestSender) => {
    await sender.poll();
    await sender.tick();
    await sender.drain();
  };
  /** The process is gone, and its leases have expired; what it still does comes to nothing. */
  const end = async (who: 0 | 1, isSilentEnd: boolean) => {
    const { sender } = senders[who];
    await sender.poll();
    isSilent = isSilentEnd;
    const before = receiver.received.length;
    await sender.tick();
    if (!isSilentEnd) await sender.drain();
    else while (receiver.received.length < before + sender.inFlight) await new Promise(setImmediate);
    isSilent = false;
    await expireLeases(server);
    senders[who] = start();
  };
  for (const one of steps) {
    if ('subjects' in one) {
      const happening = happen(server, tenant, one.subjects.map(number));
      await Promise.all([happening, ...(one.do === 'happen' ? [] : senders.map(turn))]);
    } else if (one.do === 'refuse') refusals += one.times;
    else if (one.do === 'send') await turn(senders[one.who]);
    else if (one.do === 'send at once') await Promise.all(senders.map(turn));
    else if (one.do === 'wait') server.clock.advance(one.seconds * 1000);
    else await end(one.who, one.do === 'end before an answer');
  }
  refusals = 0;
  const isOpen = async () => (await readDeliveries(server, tenant)).some(({ due_at }) => due_at !== null);
  for (let rest = 0; rest < 60 && (await isOpen()); rest += 1) {
    await Promise.all(senders.map(({ deliver }) => deliver()));
    server.clock.advance(2000);
  }
  assert.equal(await isOpen(), false, 'something is held back');
  const deliveries = await readDeliveries(server, tenant);
  assert.ok(
    deliveries.every(({ status, claimed_until }) => /^(delivered|dead)$/.test(status) && claimed_until === null),
  );
  const arrived = new Set(taken.map(({ subject, number }) => `${subject} ${number}`));
  const delivered = deliveries.filter(({ status }) => status === 'delivered');
  assert.ok(delivered.length <= arrived.size && deliveries.length >= arrived.size);
}

describeServerOnEachDatabase(
  'two senders whose processes and receivers fail',
  (server) => {
    test('bring every delivery to its end, and lose none', async () => {
      const steps = fc.array(step, { minLength: 5, maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(steps, (some) => play(server, some)),
        { numRuns: 20 },
      );
    });
  },
  allowPrivate,
);
