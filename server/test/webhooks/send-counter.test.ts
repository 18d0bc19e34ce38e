import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { FaultLog } from '../../storage/fault-log.ts';
import { runSender } from '../../webhooks/sender/run-sender.ts';
import { WebhookSender } from '../../webhooks/sender/sender.ts';
import { Receivers } from '../../webhooks/transport/receivers.ts';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import { allowPrivate, createSubscriber, readDeliveries, startScriptedReceiver } from './sending.ts';

describeServerOnEachDatabase(
  'the log of a sender',
  (server) => {
    test('logs the counts every minute, and when it stops', async (context) => {
      await using receiver = await startScriptedReceiver();
      const { database, clock, box } = server.installation;
      const lines: string[] = [];
      const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
      const receivers = new Receivers({ policy: { allowPrivate: true } });
      const faults = new FaultLog(database, log);
      const sender = new WebhookSender({ database, clock, box, receivers, faults });
      const counted = () =>
        lines
          .map((line) => JSON.parse(line))
          .filter(({ msg }) => msg === 'sent webhooks')
          .map(({ delivered, failed, inFlight, connections }) => ({ delivered, failed, inFlight, connections }));
      const { tenant } = await createSubscriber(server, receiver.url);
      context.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
      const running = runSender({ sender, database, clock, faults });
      const send = async (count: number) => {
        for (const event of eventsOf('a', count)) {
          await happen(server, tenant, [event]);
          while ((await readDeliveries(server, tenant)).some(({ status }) => status !== 'delivered')) await turn();
        }
      };
      await send(3);
      context.mock.timers.tick(60_000);
      for (let times = 0; times < 10; times += 1) await turn();
      const first = { delivered: 3, failed: 0, inFlight: 0, connections: { opened: 1, reused: 2 } };
      assert.deepEqual(counted(), [first]);
      context.mock.timers.tick(60_000);
      for (let times = 0; times < 10; times += 1) await turn();
      assert.equal(counted().length, 1);
      await send(2);
      receiver.reply = { status: 500 };
      await happen(server, tenant, eventsOf('a', 1));
      while ((await readDeliveries(server, tenant)).every(({ reason }) => reason === null)) await turn();
      await running.stop();
      // A connection is not kept for two minutes.
      const last = { delivered: 2, failed: 1, inFlight: 0, connections: { opened: 1, reused: 2 } };
      assert.deepEqual(counted(), [first, last]);
    });
  },
  allowPrivate,
);
