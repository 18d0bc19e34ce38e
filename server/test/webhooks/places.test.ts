import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createFreshTenant, describeServer } from '../consent/helpers.ts';
import { eventsOf, happen } from './numbered-events.ts';
import { allowPrivate, createEndpoint, createTestSender, readDeliveries, startScriptedReceiver } from './sending.ts';

describeServer(
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
      await sender.look();
      let turns = 0;
      for (; sender.hasWork && turns < 20; turns += 1) await sender.turn();
      assert.ok(turns <= 3, `${turns} turns`);
      assert.ok(sender.inFlight >= 256 && sender.inFlight < 300);
      isReleased = true;
      for (const response of held) response.writeHead(204).end();
      while (sender.inFlight > 0 || sender.hasWork) {
        if (sender.hasWork) await sender.turn();
        else await sender.waitForWork();
      }
      // On a slow machine some of the held deliveries may have timed out; each was attempted in any case.
      const untried = (await readDeliveries(server, tenant)).filter(({ attempts }) => attempts === 0);
      assert.deepEqual(untried, []);
      holding.closeAllConnections();
      await new Promise((resolve) => holding.close(resolve));
    });

    test('of a process that was removed from the list while alive are freed with its later claims', async () => {
      await using receiver = await startScriptedReceiver();
      await using slow = createTestSender(server);
      await using other = createTestSender(server);
      receiver.reply = null;
      const tenant = await createFreshTenant(server);
      await createEndpoint(server, tenant, receiver.url);
      for (const { sender } of [slow, other]) await sender.beat();
      await other.sender.reclaim([slow.sender.id]);
      await happen(server, tenant, eventsOf('a', 1));
      await slow.sender.look();
      await slow.sender.turn();
      const [claimed] = await readDeliveries(server, tenant);
      assert.equal(claimed?.claimed_by, slow.sender.id);
      if (server.installation.database.dialect === 'sqlite') return;
      // A process that claims is on the list, so there is an expired one to remove.
      assert.ok((await other.sender.beat()).has(slow.sender.id));
      await other.sender.reclaim([slow.sender.id]);
      assert.equal((await readDeliveries(server, tenant))[0]?.claimed_by, null);
    });

    test('do not change a delivery that another process has taken over and delivered', async (context) => {
      const { promise: held, resolve: hold } = Promise.withResolvers<ServerResponse>();
      let requests = 0;
      const holding = createServer((request, response) => {
        request.resume();
        requests += 1;
        if (requests === 1) hold(response);
        else response.writeHead(204).end();
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
      await slow.sender.look();
      await slow.sender.turn();
      const response = await held;
      await other.sender.reclaim([slow.sender.id]);
      await other.deliver();
      const [delivered] = await readDeliveries(server, tenant);
      assert.deepEqual([delivered?.status, delivered?.attempts], ['delivered', 1]);
      response.writeHead(500).end();
      await slow.sender.settle();
      await slow.sender.turn();
      assert.deepEqual(await readDeliveries(server, tenant), [delivered]);
    });
  },
  allowPrivate,
);
