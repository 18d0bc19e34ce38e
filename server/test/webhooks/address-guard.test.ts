import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  classifyAddress,
  forbiddenRanges,
  isAllowedAddress,
  privateRanges,
  readHost,
} from '../../webhooks/endpoints/receiver-address.ts';
import { publicHosts, refusedHosts } from './refused-hosts.ts';

const strict = { allowPrivate: false };
const local = { allowPrivate: true };

/** The address that a URL with this host stands for. */
function readAddress(host: string): string {
  return readHost(new URL(`https://${host}/`).hostname);
}

function readRange(range: string) {
  const [network = '', prefix] = range.split('/');
  return { network, prefix: Number(prefix) };
}

/** An address as a number, by other means than the server's. */
function readNumber(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((number, part) => number * 256n + BigInt(part), 0n);
  const [head = '', tail] = readAddress(`[${address}]`).split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((number, group) => number * 65_536n + BigInt(`0x${group}`), 0n);
}

function writeV4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
}

function writeV6(number: bigint): string {
  return Array.from({ length: 8 }, (_, at) => ((number >> BigInt(112 - 16 * at)) & 65_535n).toString(16)).join(':');
}

function contains(network: string, prefix: number, number: bigint): boolean {
  const shift = BigInt((isIPv4(network) ? 32 : 128) - prefix);
  return readNumber(network) >> shift === number >> shift;
}

describe('the guard of addresses', () => {
  test('refuses more than 120 ways to write what is not public', () => {
    assert.ok(refusedHosts.length >= 120, `${refusedHosts.length} hosts`);
    assert.equal(new Set(refusedHosts).size, refusedHosts.length);
    const passed = refusedHosts.filter((host) => isAllowedAddress(readAddress(host), strict));
    assert.deepEqual(passed, []);
  });

  test('lets the addresses of the public internet pass, also right beside what is not', () => {
    const refused = publicHosts.filter((host) => !isAllowedAddress(readAddress(host), strict));
    assert.deepEqual(refused, []);
    assert.deepEqual(
      publicHosts.filter((host) => !isAllowedAddress(readAddress(host), local)),
      [],
    );
  });

  test('lets networks of one’s own pass where the settings allow it, but nothing else', () => {
    const allowed = [
      ...[
        '127.0.0.1',
        '127.0.0.53',
        '10.0.0.1',
        '172.16.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '::1',
        'fc00::1',
        'fd12::1',
      ],
    ];
    for (const address of allowed) assert.equal(classifyAddress(address), 'private', address);
    for (const address of allowed) assert.deepEqual(isAllowedAddress(address, local), true, address);
    const never = [
      ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'],
      ...['0.0.0.0', '224.0.0.1', '255.255.255.255', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'ff02::1'],
      ...['64:ff9b::7f00:1', '64:ff9b::a00:1', '2002:a00:1::1', '2001:0:7f00:1::', '::127.0.0.1'],
    ];
    for (const address of never) assert.equal(isAllowedAddress(address, local), false, address);
  });

  test('refuses what is no address, and an address of one link', () => {
    const texts = [
      ...['', ' ', 'localhost', 'example.com', '127.1', '0x7f.0.0.1', '010.0.0.1', '1.1.1.1 ', ' 1.1.1.1', '1.1.1.1/0'],
      ...[
        '[2606:4700::1]',
        '2606:4700::1%eth0',
        'fe80::1%1',
        '2606:4700::1/64',
        '1.1.1',
        '1.1.1.1.1',
        '1.1.1.256',
        '::g',
      ],
    ];
    for (const text of texts) assert.equal(classifyAddress(text), 'forbidden', text);
  });

  test('agrees with arithmetic on any IPv4 address', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0xffff_ffffn }), (number) => {
        const within = (ranges: typeof privateRanges) =>
          ranges.map(readRange).some(({ network, prefix }) => isIPv4(network) && contains(network, prefix, number));
        const kind = within(forbiddenRanges) ? 'forbidden' : within(privateRanges) ? 'private' : 'public';
        assert.equal(classifyAddress(writeV4(number)), kind);
      }),
      { numRuns: 2000 },
    );
  });

  test('takes both ends of every range for what the range is, and what lies beyond for something else', () => {
    for (const [kind, ranges] of [
      ['private', privateRanges],
      ['forbidden', forbiddenRanges],
    ] as const) {
      for (const { network, prefix } of ranges.map(readRange)) {
        const [bits, write] = isIPv4(network) ? [32, writeV4] : [128, writeV6];
        const first = readNumber(network);
        const last = first + (1n << BigInt(bits - prefix)) - 1n;
        assert.equal(first & (last - first), 0n, `${network} begins at its prefix`);
        for (const number of [first, last]) assert.equal(classifyAddress(write(number)), kind, write(number));
      }
    }
  });

  test('finds no public address outside of 2000::/3 but those that stand for public IPv4', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (number) => {
        const isPublic = classifyAddress(writeV6(number)) === 'public';
        if (number >> 125n !== 1n) assert.equal(isPublic, false);
      }),
      { numRuns: 2000 },
    );
    const translated = readNumber('64:ff9b::');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0xffff_ffffn }), (number) => {
        const isPublic = classifyAddress(writeV4(number)) === 'public';
        assert.equal(classifyAddress(writeV6(translated + number)), isPublic ? 'public' : 'forbidden');
        assert.equal(classifyAddress(`64:ff9b::${writeV4(number)}`), isPublic ? 'public' : 'forbidden');
        assert.equal(classifyAddress(`::ffff:${writeV4(number)}`), 'forbidden');
        assert.equal(classifyAddress(`::${writeV4(number)}`) === 'public', false);
        assert.equal(classifyAddress(writeV6((0x2002n << 112n) + (number << 80n))), 'forbidden');
      }),
      { numRuns: 1000 },
    );
  });
});
