import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type Client, clientBucket, readClient } from '../../http/request.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();
const address = fc.oneof(ipv4, ipv6);
/** Values of X-Forwarded-For that a client may send by itself. */
const madeUp = fc.array(
  fc.oneof(address, fc.constantFrom('', 'unknown', '_hidden', '1.2.3.4:80', '::1%lo', 'x'.repeat(300))),
);

function read(peer: string, trustedProxies: number, forwarded?: readonly string[]): Client {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded.join(', ') };
  return readClient({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage, trustedProxies);
}

function bucket(text: string): string {
  return clientBucket({ address: text } as Client);
}

describe('the address of a client', () => {
  test('is that of the connection, whatever X-Forwarded-For says, when no proxy is trusted', () => {
    fc.assert(
      fc.property(ipv4, madeUp, (peer, forwarded) => {
        assert.equal(read(peer, 0, forwarded).address, peer);
      }),
    );
  });

  test('is the one that the outermost trusted proxy saw, whatever the client sent', () => {
    fc.assert(
      fc.property(ipv4, madeUp, fc.array(ipv4, { minLength: 1, maxLength: 5 }), (peer, forwarded, added) => {
        assert.equal(read(peer, added.length, [...forwarded, ...added]).address, added[0]);
      }),
    );
  });

  test('is never one that the client sent, even if a proxy adds no address', () => {
    for (const added of ['unknown', '_hidden', '198.51.100.7:http', '[unknown]:4711', '[198.51.100.7', '']) {
      assert.equal(read('10.0.0.1', 1, ['203.0.113.9', added]).address, '10.0.0.1');
    }
  });

  test('is the same with the port and the brackets that some proxies add', () => {
    fc.assert(
      fc.property(ipv4, fc.nat(65_535), (plain, port) => {
        assert.equal(read('10.0.0.1', 1, [`${plain}:${port}`]).address, plain);
      }),
    );
    fc.assert(
      fc.property(ipv6, fc.nat(65_535), (plain, port) => {
        const { address } = read('10.0.0.1', 1, [plain]);
        for (const written of [`[${plain}]`, `[${plain}]:${port}`])
          assert.equal(read('10.0.0.1', 1, [written]).address, address);
      }),
    );
  });

  test('is that of the connection if the proxies added fewer than configured', () => {
    assert.equal(read('10.0.0.1', 1).address, '10.0.0.1');
    assert.equal(read('10.0.0.1', 3, ['203.0.113.9', '10.0.0.2']).address, '10.0.0.1');
  });

  test('is the IPv4 address of an IPv4-mapped IPv6 socket', () => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom('::ffff:', '::FFFF:'), (plain, prefix) => {
        assert.equal(read(prefix + plain, 0).address, plain);
        assert.equal(read('10.0.0.1', 1, [prefix + plain]).address, plain);
      }),
    );
  });
});

describe('the bucket of a client', () => {
  const group = fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, fc.integer({ min: 0, max: 0xffff }));
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });

  test('is the address for IPv4', () => {
    fc.assert(fc.property(ipv4, (text) => assert.equal(bucket(text), text)));
  });

  test('is the /64 network for IPv6, however the address is written', () => {
    fc.assert(
      fc.property(groups, fc.nat(7), fc.integer({ min: 1, max: 8 }), fc.boolean(), (numbers, start, length, long) => {
        const network = numbers.slice(0, 4).map((number) => number.toString(16));
        const texts = numbers.map((number) => number.toString(16).padStart(long ? 4 : 1, '0'));
        const written = [texts.join(':'), texts.join(':').toUpperCase()];
        const left = numbers.slice(start, start + length);
        if (left.every((number) => number === 0)) {
          written.push(`${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`);
        }
        for (const text of written.filter((one) => isIP(one) === 6)) {
          assert.equal(bucket(text), `${network.join(':')}::/64`, text);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('distinguishes neighbouring networks', () => {
    assert.notEqual(bucket('2001::5:1:2:3:4'), bucket('2001::6:1:2:3:4'));
    assert.equal(bucket('2001:db8::1'), bucket('2001:db8::ffff:1'));
    assert.equal(bucket('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64');
  });

  test('is shared by all clients with an unknown address', () => {
    assert.equal(clientBucket({ address: null } as Client), 'unknown');
  });
});

describe('a client behind a trusted proxy', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite', { SVC_TRUSTED_PROXIES: '1', SVC_LIMIT_CAPTURE_CLIENT: '1' });
  });
  after(() => server[Symbol.asyncDispose]());

  test('cannot bypass its limit with a forged X-Forwarded-For', async () => {
    const notice = await server.createNotice();
    const visit = async (forwarded: string) => {
      const response = await server.request('POST', `/v1/public/consent/${notice}/records`, {
        key: null,
        headers: { Origin: 'https://example.com', 'X-Forwarded-For': forwarded },
        body: { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: true } },
      });
      return response.status;
    };
    assert.equal(await visit('203.0.113.1'), 201);
    assert.equal(await visit('203.0.113.2, 203.0.113.1'), 429);
    assert.equal(await visit('203.0.113.3,, 203.0.113.1'), 429);
    assert.equal(await visit('203.0.113.1, 203.0.113.2'), 201);
  });
});
