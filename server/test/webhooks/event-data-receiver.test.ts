import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsymmetricVerifier } from '@svc/webhook-verify/asymmetric';
import { createFetchHandler } from '@svc/webhook-verify/fetch';
import { createReplayGuard } from '@svc/webhook-verify/replay';
import { checkEventData } from '@svc/webhook-verify/schemas';
import { createSignedRequest } from '@svc/webhook-verify/testing';
import { describeServer, payload } from '../consent/helpers.ts';
import { allowPrivate, openRequest, openScene, type ReceivedDelivery } from './sending.ts';

/** Headers that the connection has, and not the delivery. */
const ofConnection = ['host', 'connection', 'content-length', 'accept-encoding'];

function headersOf(delivery: ReceivedDelivery): Record<string, string> {
  const headers = Object.entries(delivery.headers).filter(([name]) => !ofConnection.includes(name));
  return Object.fromEntries(headers) as Record<string, string>;
}

describeServer(
  'a receiver with the package',
  (server) => {
    test('handles each delivery of the server once, and what is sent again on purpose again', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
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

    test('is tested with the very headers that the server sends', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
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

    test('verifies by the public key of its endpoint what the server sends, of that pair and of no other', async (context) => {
      const { receiver, sending, tenant, endpoint } = await openScene(context, server);
      const { key } = tenant;
      const edit = async (asymmetric: boolean) =>
        payload(await server.request('PATCH', `/v1/webhooks/${endpoint.id}`, { key, body: { asymmetric } }), 200);
      const receive = async () => {
        await openRequest(server, tenant);
        await sending.deliver();
        const { body, headers } = receiver.received.at(-1) as ReceivedDelivery;
        return { body, header: (name: string) => headers[name] as string | undefined, request: undefined };
      };
      const now = () => server.clock.milliseconds();
      const create = (publicKeys: string) => createAsymmetricVerifier({ publicKeys, now, validate: checkEventData });

      const { publicKey } = await edit(true);
      const verifier = create(publicKey);
      const first = await receive();
      const { event, deliveryId } = await verifier.constructEvent(first);
      assert.deepEqual([event.type, deliveryId], ['dsr.created', first.header('svc-delivery')]);

      await edit(false);
      await assert.rejects(verifier.verifySignature(await receive()), { code: 'signature_malformed' });
      const { publicKey: another } = await edit(true);
      const later = await receive();
      await create(another).verifySignature(later);
      await assert.rejects(verifier.verifySignature(later), { code: 'signature_mismatch' });
    });
  },
  allowPrivate,
);
