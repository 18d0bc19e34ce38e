import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsymmetricVerifier } from '@svc/webhook-verify/asymmetric';
import { checkEventData } from '@svc/webhook-verify/schemas';
import { describeServer, payload } from '../consent/helpers.ts';
import {
  allowPrivate,
  createSubscriber,
  createTestSender,
  openRequest,
  type ReceivedDelivery,
  startScriptedReceiver,
} from './sending.ts';

describeServer(
  'a receiver that verifies by the public key of its endpoint',
  (server) => {
    test('takes what the server sends, of that pair and of no other', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const { tenant, endpoint } = await createSubscriber(server, receiver.url);
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
