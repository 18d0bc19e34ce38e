/**
 * Hosts that no delivery may go to, in spellings of URLs. Written by hand, independent of the ranges that the
 * server knows.
 */
export const refusedHosts: readonly string[] = [
  // Loopback in every notation of URLs.
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '017700000001', '0x7f000001'],
  ...[
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0177.0.0.01',
    '0x7f.1',
    '127.0x1',
    '0x7F.0x0.0x0.0x1',
    '127.000.000.001',
    '%3127.0.0.1',
  ],
  ...[
    '１２７.０.０.１',
    '127。0。0。1',
    '127．0．0．1',
    '①②⑦.0.0.1',
    '0x7f.0.1',
    '0177.1',
    '00000177.0.0.1',
    '127.0.0.0x1',
  ],
  // "This host", which many systems treat as loopback.
  ...['0.0.0.0', '0', '0x0', '00', '0.1', '0.0.0.1', '0.255.255.255', '000000000000.0.0.0'],
  // Private networks.
  ...['10.0.0.0', '10.0.0.1', '10.255.255.255', '10.1', '167772161', '0xa000001', '012.0.0.1', '0xa.0.0.1'],
  ...['172.16.0.1', '172.31.255.255', '2886729729', '0xac.0x10.0.1', '0254.020.0.1', '172.16.1', '172.20.10.2'],
  ...['192.168.0.1', '192.168.255.255', '3232235521', '0xc0a80001', '0300.0250.0.1', '192.168.1', '192.11010049'],
  ...['100.64.0.0', '100.64.0.1', '100.127.255.255', '1681915905', '100.100.100.200', '100.4194305'],
  // Link-local, and the services of clouds.
  ...['169.254.0.1', '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518'],
  ...['169.16689662', '0xa9.0xfe.0xa9.0xfe', '169.254.170.2', '169.254.255.255', '168.63.129.16', '2822734096'],
  // Protocol assignments, documentation, benchmarks, 6to4 relays.
  ...[
    '192.0.0.0',
    '192.0.0.8',
    '192.0.0.170',
    '192.0.0.192',
    '192.0.0.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
  ],
  ...['198.18.0.0', '198.19.255.255', '192.88.99.1', '3325256705'],
  // Multicast, reserved, broadcast.
  ...[
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '250.1.2.3',
    '255.255.255.255',
    '4294967295',
    '0xffffffff',
    '0xe0000001',
  ],
  // IPv6: unspecified, loopback, IPv4 inside.
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]', '[0::1]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[::10.0.0.1]', '[::a9fe:a9fe]', '[::8.8.8.8]', '[::2]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'],
  ...[
    '[::ffff:8.8.8.8]',
    '[0:0:0:0:0:ffff:c0a8:1]',
    '[::FFFF:192.168.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::ffff:0:8.8.8.8]',
  ],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::169.254.169.254]', '[64:ff9b::c0a8:101]', '[64:ff9b::]'],
  ...['[64:ff9b::6440:1]', '[64:ff9b::ffff:ffff]', '[64:ff9b:1::1]', '[64:ff9b:1::8.8.8.8]', '[64:ff9b::1:0:0:808]'],
  ...['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:a9fe:a9fe::]', '[2002:808:808::1]', '[2002:c0a8:101::c0a8:101]'],
  ...['[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2001:0:7f00:1::]', '[2001:2::1]', '[2001:10::1]'],
  ...['[2001:20::1]', '[2001:1ff:ffff::1]', '[2001:db8::1]', '[2001:db8:ffff::1]', '[3fff::1]', '[3fff:fff:ffff::1]'],
  // IPv6: unique local, link-local, multicast, unassigned.
  ...[
    '[fc00::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[fd00:c1::a9fe:a9fe]',
    '[fd00:42::42]',
    '[fdff::]',
  ],
  ...['[fe80::1]', '[febf::1]', '[fe80::a9fe:a9fe]', '[fec0::1]', '[feff::1]', '[ff02::1]', '[ff05::2]', '[ff0e::1]'],
  ...['[100::1]', '[100:0:0:1::1]', '[5f00::1]', '[4000::1]', '[1::1]', '[200::1]', '[e000::1]', '[1fff:ffff::]'],
];

/** Names that are rejected without a look-up. */
export const refusedNames: readonly string[] = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'a.b.localhost', 'localhost.localdomain', 'ｌocalhost'],
  ...['intranet', 'db', 'redis', 'kubernetes', 'metadata', 'hooks', 'printer.local', 'nas.local.', 'printer.LOCAL'],
  ...['metadata.google.internal', 'instance-data.ec2.internal', 'svc.internal', 'api.default.svc.cluster.local'],
  ...['wiki.intranet', 'mail.corp', 'router.home', 'router.lan', 'nas.home.arpa', 'db.private', 'ci.test', 'x.invalid'],
  ...['duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion', 'printer%2elocal', 'printer。local'],
];

/** Hosts of the public internet, some of them next to a range of the others. */
export const publicHosts: readonly string[] = [
  ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.215.14', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0'],
  ...['172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '134744072', '0x08080808', '010.8.8.8'],
  ...['[2000::]', '[2001:200::1]', '[2001:4860:4860::8888]', '[2001:db7:ffff::1]', '[2001:db9::1]', '[2003::1]'],
  ...['[2606:4700:4700::1111]', '[2a00:1450:4001::1]', '[3ffe:ffff::1]', '[3fff:1000::1]', '[2001:ffff::1]'],
  ...['[64:ff9b::8.8.8.8]', '[64:ff9b::808:808]', '[64:ff9b::5db8:d70e]', '[64:ff9b::100:0]'],
];

/** Names that only a look-up can judge. */
export const publicNames: readonly string[] = [
  ...[
    'example.com',
    'hooks.example.com',
    'example.com.',
    'bücher.example.com',
    'my_host.example.com',
    'a.b.c.d.example',
  ],
  ...[
    'localhost.example.com',
    'local.example',
    'internal.example.com',
    'notlocalhost.com',
    'mylan.org',
    '127.0.0.1.nip.io',
  ],
  ...['example.localhosts', 'xn--bcher-kva.example', '1.2.3.4.5.example.com'],
];
