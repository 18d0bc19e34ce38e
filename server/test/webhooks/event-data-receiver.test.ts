import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFetchHandler } from '@svc/webhook-verify/fetch';
import { createReplayGuard } from '@svc/webhook-verify/replay';
import { createSignedRequest } from '@svc/webhook-verify/testing';
import { describeServer, payload } from '../consent/helpers.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  openRequest,
  type ReceivedDelivery,
  startScriptedReceiver,
} from './sending.ts';

/** Headers that the connection has, and not the delivery. */
const ofConnection = ['host', 'connection', 'content-length', 'accept-encoding'];

function headersOf(delivery: ReceivedDelivery): Record<string, string> {
  const headers = Object.entries(delivery.headers).filter(([name]) => !ofConnection.includes(name));
  return Object.fromEntries(headers) as Record<string, string>;
}

describeServer(
  'a receiver with the package and its guard',
  (server) => {
    test('handles each delivery of the server once, and what is sent again on purpose again', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url);
      payload(await server.request('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`, { key: tenant.key }), 200);
      const handled: (string | null)[] = [];
      const now = () => server.clock.milliseconds();
      const handle = createFetchHandler({
        // The old one, which signs along for some hours.
        secrets: endpoint.secret,
        now,
        replay: createReplayGuard({ now }),
        handler: ({ type }, { deliveryId }) => handled.push(`${type} ${deliveryId}`),
      });
      const pass = async (delivery: ReceivedDelivery) => {
        const request = { method: 'POST', headers: headersOf(delivery), body: new Uint8Array(delivery.body) };
        const response = await handle(new Request('https://example.com', request));
        return [response.status, (await response.json()).duplicate ?? false];
      };
      receiver.reply = { status: 500 };
      await openRequest(server, tenant);
      await sending.deliver();
      server.clock.advance(60_000);
      receiver.reply = { status: 204 };
      await sending.deliver();
      const [first, second] = receiver.received as [ReceivedDelivery, ReceivedDelivery];
      const id = String(first.headers['svc-delivery']);
      assert.deepEqual(
        [await pass(first), await pass(second)],
        [
          [200, false],
          [200, true],
        ],
      );
      payload(await server.request('POST', `/v1/webhooks/deliveries/${id}/redeliver`, { key: tenant.key }));
      await sending.deliver();
      const again = receiver.received[2] as ReceivedDelivery;
      assert.deepEqual(again.body, first.body);
      assert.deepEqual(await pass(again), [200, false]);
      assert.deepEqual(handled, [`dsr.created ${id}`, `dsr.created ${again.headers['svc-delivery']}`]);
    });

    test('is tested with the very headers that the server sends', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url);
      await openRequest(server, tenant);
      await sending.deliver();
      const [delivery] = receiver.received as [ReceivedDelivery];
      const made = await createSignedRequest({
        event: JSON.parse(String(delivery.body)),
        deliveryId: String(delivery.headers['svc-delivery']),
        secrets: endpoint.secret,
        now: () => server.clock.milliseconds(),
      });
      assert.deepEqual(made.headers, headersOf(delivery));
      assert.deepEqual(Buffer.from(made.body), delivery.body);
    });
  },
  allowPrivate,
);
