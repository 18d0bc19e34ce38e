/**
 * Blocks of addresses that no receiver on the public internet has. Source: the IANA registries of special-purpose addresses
 * (RFC 6890 and its updates; IPv4 and IPv6) where they say "not globally reachable", RFC 5771 and RFC 4291 for multicast.
 */
export interface AddressRange {
  readonly network: string;
  readonly prefix: number;
}

/** Where a receiver inside one's own network may stand, if the settings allow such receivers. */
export const privateRanges: readonly AddressRange[] = [
  { network: '10.0.0.0', prefix: 8 },
  { network: '100.64.0.0', prefix: 10 },
  { network: '127.0.0.0', prefix: 8 },
  { network: '172.16.0.0', prefix: 12 },
  { network: '192.168.0.0', prefix: 16 },
  { network: '::1', prefix: 128 },
  { network: 'fc00::', prefix: 7 },
];

/** Where no receiver ever stands: what only means "this host", many hosts, none, or the machine's own cloud. */
export const forbiddenRanges: readonly AddressRange[] = [
  { network: '0.0.0.0', prefix: 8 },
  // Link-local; the services of clouds that hand out credentials answer here.
  { network: '169.254.0.0', prefix: 16 },
  { network: '192.0.0.0', prefix: 24 },
  { network: '192.0.2.0', prefix: 24 },
  { network: '192.88.99.0', prefix: 24 },
  { network: '198.18.0.0', prefix: 15 },
  { network: '198.51.100.0', prefix: 24 },
  { network: '203.0.113.0', prefix: 24 },
  { network: '224.0.0.0', prefix: 4 },
  { network: '240.0.0.0', prefix: 4 },
  // Services of the same kind outside link-local: Azure, Alibaba; AWS, Google, Oracle and Scaleway over IPv6.
  { network: '168.63.129.16', prefix: 32 },
  { network: '100.100.100.200', prefix: 32 },
  { network: 'fd00:ec2::', prefix: 32 },
  { network: 'fd20:ce::254', prefix: 128 },
  { network: 'fd00:c1::a9fe:a9fe', prefix: 128 },
  { network: 'fd00:42::42', prefix: 128 },
  // Inside of what is assigned for unicast: protocol blocks with Teredo and ORCHID, documentation, 6to4.
  { network: '2001::', prefix: 23 },
  { network: '2001:db8::', prefix: 32 },
  { network: '2002::', prefix: 16 },
  { network: '3fff::', prefix: 20 },
];

/** The only IPv6 addresses that are assigned to hosts of the public internet (RFC 4291 section 2.4, RFC 7249). */
export const publicRangesV6: readonly AddressRange[] = [{ network: '2000::', prefix: 3 }];

/** Stands for an IPv4 address in networks that have no other way to it (RFC 6052 section 2.1). */
export const translatedRange: AddressRange = { network: '64:ff9b::', prefix: 96 };
