import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createFreshTenant, describeServerOnEachDatabase } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import {
  allowPrivate,
  createEndpoint,
  createTestSender,
  expireLeases,
  readDeliveries,
  type TestSender,
} from './sending.ts';

describeServerOnEachDatabase(
  'the places of a tenant',
  (server) => {
    test('hand a freed slot to the next waiter, at no cost while all are taken', async () => {
      const held: ServerResponse[] = [];
      let isReleased = false;
      const holding = createServer((request, response) => {
        request.resume();
        if (isReleased) response.writeHead(204).end();
        else held.push(response);
      });
      await new Promise<void>((resolve) => holding.listen(0, '127.0.0.1', resolve));
      const { port } = holding.address() as AddressInfo;
      await using sending = createTestSender(server);
      const { sender } = sending;
      const tenant = await createFreshTenant(server);
      for (let count = 0; count < 34; count += 1)
        await createEndpoint(server, tenant, `http://127.0.0.1:${port}/${count}`);
      await happen(server, tenant, eventsOf('a', 10));
      await sender.poll();
      let turns = 0;
      for (; sender.hasWork && turns < 20; turns += 1) await sender.tick();
      assert.ok(turns <= 3, `${turns} turns`);
      assert.ok(sender.inFlight >= 256 && sender.inFlight < 300);
      isReleased = true;
      for (const response of held) response.writeHead(204).end();
      while (sender.inFlight > 0 || sender.hasWork) {
        if (sender.hasWork) await sender.tick();
        else await sender.waitForWork();
      }
      // On a slow machine some of the held deliveries may have timed out; each was attempted in any case.
      const untried = (await readDeliveries(server, tenant)).filter(({ attempts }) => attempts === 0);
      assert.deepEqual(untried, []);
      holding.closeAllConnections();
      await new Promise((resolve) => holding.close(resolve));
    });

    test('write no result of an attempt whose lease has expired once another server has claimed the delivery', async (context) => {
      const held: ServerResponse[] = [];
      const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = createServer((request, response) => {
        request.resume();
        arrivals[held.push(response) - 1]?.resolve();
      });
      await new Promise<void>((resolve) => holding.listen(0, '127.0.0.1', resolve));
      context.after(() => {
        holding.closeAllConnections();
        holding.close();
      });
      const { port } = holding.address() as AddressInfo;
      await using slow = createTestSender(server);
      await using other = createTestSender(server);
      const tenant = await createFreshTenant(server);
      await createEndpoint(server, tenant, `http://127.0.0.1:${port}/`);
      await happen(server, tenant, eventsOf('a', 1));
      const begin = async ({ sender }: TestSender, attempt: number) => {
        await sender.poll();
        await sender.tick();
        await arrivals[attempt]?.promise;
      };
      const end = async ({ sender }: TestSender, attempt: number, status: number) => {
        held[attempt]?.writeHead(status).end();
        await sender.drain();
        await sender.tick();
      };
      await begin(slow, 0);
      await expireLeases(server);
      await begin(other, 1);
      const [claimed] = await readDeliveries(server, tenant);
      assert.deepEqual([claimed?.status, claimed?.attempts], ['pending', 0]);
      await end(slow, 0, 500);
      assert.deepEqual(await readDeliveries(server, tenant), [claimed]);
      await end(other, 1, 204);
      const [delivered] = await readDeliveries(server, tenant);
      assert.deepEqual(
        [delivered?.status, delivered?.attempts, delivered?.response_status, delivered?.claimed_until],
        ['delivered', 1, 204, null],
      );
    });
  },
  allowPrivate,
);
