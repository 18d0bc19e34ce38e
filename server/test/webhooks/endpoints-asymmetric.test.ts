import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { secretPurpose, signingKeyPurpose } from '../../webhooks/endpoints/endpoint.ts';
import { watch } from '../accounts/members/membership-helpers.ts';
import { createFreshTenant, describeServer, payload } from '../consent/helpers.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { allowPrivate, createTestSender, type ReceivedDelivery, startScriptedReceiver } from './sending.ts';
import { WebhookClient } from './webhook-client.ts';

/** True if a delivery has a signature that a public key verifies. */
function isSignedFor({ headers, body }: ReceivedDelivery, publicKey: string): boolean {
  const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body]);
  const [signature] = listSignatures(headers, 'v1a');
  return signature !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64'));
}

function listSignatures(headers: ReceivedDelivery['headers'], version: string): readonly string[] {
  const signatures = String(headers['webhook-signature']).split(' ');
  return signatures.filter((one) => one.startsWith(`${version},`)).map((one) => one.slice(version.length + 1));
}

describeServer(
  'a webhook that signs with a private key',
  (server) => {
    const createClient = async () => new WebhookClient(server, await createFreshTenant(server));

    test('has deliveries that its public key verifies, beside the signatures by its secrets', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const client = await createClient();
      const { id, publicKey, asymmetric } = await client.created({ url: receiver.url, asymmetric: true });
      assert.match(publicKey, /^whpk_[A-Za-z0-9+/]{43}=$/);
      assert.equal(asymmetric, true);
      await client.happen();
      payload(await client.rotate(id), 200);
      await sending.deliver();
      const [sent] = receiver.received as [ReceivedDelivery];
      assert.ok(isSignedFor(sent, publicKey));
      assert.equal(listSignatures(sent.headers, 'v1').length, 2);
      assert.match(String(sent.headers['svc-signature']), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
      assert.equal((await client.read(id)).publicKey, publicKey);
    });

    test('signs only by its secrets once that is switched off, and with a new key pair once it is on again', async () => {
      await using receiver = await startScriptedReceiver();
      await using sending = createTestSender(server);
      const client = await createClient();
      const { id, publicKey: none } = await client.created({ url: receiver.url });
      assert.equal(none, null);
      const keys: (string | null)[] = [];
      for (const asymmetric of [true, false, true]) {
        const edited = payload(await client.edit(id, { asymmetric }), 200);
        assert.equal(edited.asymmetric, asymmetric);
        assert.deepEqual(await client.read(id), edited);
        keys.push(edited.publicKey);
        // Other edits leave the key pair unchanged.
        assert.equal(
          payload(await client.edit(id, { description: String(asymmetric) }), 200).publicKey,
          edited.publicKey,
        );
        await client.happen();
        await sending.deliver();
      }
      const [first, second, third] = keys as [string, null, string];
      assert.equal(second, null);
      assert.notEqual(first, third);
      assert.deepEqual(
        receiver.received.map((sent) => [isSignedFor(sent, first), isSignedFor(sent, third)]),
        [
          [true, false],
          [false, false],
          [false, true],
        ],
      );
      assert.deepEqual(
        receiver.received.map(({ headers }) => [
          listSignatures(headers, 'v1').length,
          listSignatures(headers, 'v1a').length,
        ]),
        [
          [1, 1],
          [1, 0],
          [1, 1],
        ],
      );
    });

    test('keeps the private key sealed to this webhook, and returns it to no client', async () => {
      const client = await createClient();
      const { result, events } = await watch(server, client.tenant.id, () => client.created({ asymmetric: true }));
      const { id } = result;
      const { signing_key: signingKey } = await client.sending(id);
      const { box, database } = server.installation;
      const privateKey = box.open(signingKey as string, signingKeyPurpose(id));
      assert.throws(() => box.open(signingKey as string, secretPurpose(id)));
      const seed = Buffer.from(privateKey, 'base64').subarray(-32);
      const hidden = [privateKey, ...(['hex', 'base64', 'base64url'] as const).map((form) => seed.toString(form))];
      const stored = await readAllRows(database);
      for (const text of hidden)
        for (const place of [stored, JSON.stringify(events), JSON.stringify(result)]) assert.ok(!place.includes(text));
    });
  },
  allowPrivate,
);
