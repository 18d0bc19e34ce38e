import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import type { Lookup } from '../../webhooks/transport/connection.ts';
import { makeCertificate } from './make-certificate.ts';
import { openReceivers, startReceiver, stopTime, withoutTiming, writeAnswer } from './receiver-helpers.ts';

const delivery = { headers: {}, body: Buffer.from('{}') };
const name = 'receiver.example.com';
const lookup: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];
const authority = makeCertificate({ name: 'Some Authority', isAuthority: true });
const trusted = { lookup, authorities: authority.cert };

function failed(code: string) {
  const message = `The TLS handshake with the receiver failed (${code}).`;
  return { outcome: 'failed', reason: 'tls', message, reused: false };
}

describe('a delivery over TLS', () => {
  test('reaches a receiver whose certificate is valid for its name, and keeps the connection', async (context) => {
    const certificate = makeCertificate({ name, issuer: authority });
    const names: unknown[] = [];
    const answer = (socket: Socket) => {
      names.push(socket instanceof TLSSocket && socket.servername);
      socket.write(writeAnswer(200));
    };
    const receiver = await startReceiver(context, answer, certificate);
    const receivers = openReceivers(context, trusted);
    for (const reused of [false, true]) {
      const outcome = await receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
      assert.deepEqual([outcome.outcome, outcome.reused], ['answered', reused]);
    }
    assert.equal(receiver.connections.length, 1);
    assert.deepEqual(names, [name, name]);
  });

  test('reaches a receiver by its address, when its certificate is for the address', async (context) => {
    const certificate = makeCertificate({ name: '127.0.0.1', issuer: authority });
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)), certificate);
    const receivers = openReceivers(context, trusted);
    assert.equal((await receivers.post({ ...delivery, url: receiver.url })).outcome, 'answered');
  });

  const bad = [
    ['has expired', { name, issuer: authority, notAfter: '20210101000000Z' }, 'CERT_HAS_EXPIRED'],
    ['is not valid yet', { name, issuer: authority, notBefore: '20980101000000Z' }, 'CERT_NOT_YET_VALID'],
    ['is for another name', { name: 'other.example.com', issuer: authority }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is for a name below', { name: `a.${name}`, issuer: authority }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is signed by itself', { name }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ] as const;
  for (const [how, options, code] of bad) {
    test(`does not begin when the certificate ${how}`, async (context) => {
      const certificate = makeCertificate(options);
      const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)), certificate);
      const receivers = openReceivers(context, trusted);
      const outcome = await receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
      assert.deepEqual(withoutTiming(outcome), failed(code));
      assert.equal(receiver.requests.length, 0);
      await receiver.allClosed();
    });
  }

  test('does not begin when the authority is unknown', async (context) => {
    const certificate = makeCertificate({ name, issuer: authority });
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)), certificate);
    const receivers = openReceivers(context, { lookup });
    const outcome = await receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
    assert.deepEqual(withoutTiming(outcome), failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
    assert.equal(receiver.requests.length, 0);
  });

  test('does not begin with the certificate of one name for another one at the same address', async (context) => {
    const certificate = makeCertificate({ name, issuer: authority });
    const receiver = await startReceiver(context, (socket) => socket.write(writeAnswer(200)), certificate);
    const receivers = openReceivers(context, trusted);
    assert.equal((await receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` })).outcome, 'answered');
    const outcome = await receivers.post({ ...delivery, url: `https://hooks.example.com:${receiver.port}/` });
    assert.deepEqual(withoutTiming(outcome), failed('ERR_TLS_CERT_ALTNAME_INVALID'));
  });

  test('fails at a receiver that speaks no TLS', async (context) => {
    // A receiver that parses no request does not answer: the bytes of the handshake contain no end of a head.
    const receiver = await startReceiver(context, () => {});
    const { pass } = stopTime(context);
    const receivers = openReceivers(context, trusted);
    const running = receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
    await receiver.connected(1);
    receiver.connections[0]?.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    assert.deepEqual(withoutTiming(await running), failed('ERR_SSL_WRONG_VERSION_NUMBER'));
    const silent = receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
    await receiver.connected(2);
    await once(receiver.connections[1] as Socket, 'data');
    pass(15_000);
    const outcome = await silent;
    assert.equal(outcome.outcome === 'failed' && outcome.reason, 'timeout');
    await receiver.allClosed();
  });

  test('fails when the receiver closes inside the handshake', async (context) => {
    const receiver = await startReceiver(context, () => {});
    const receivers = openReceivers(context, trusted);
    const running = receivers.post({ ...delivery, url: `https://${name}:${receiver.port}/` });
    await receiver.connected(1);
    receiver.connections[0]?.destroy();
    assert.deepEqual(withoutTiming(await running), failed('ECONNRESET'));
  });
});
