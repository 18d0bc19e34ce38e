import type { Purposes } from '../../decision/stored-decision.ts';
import type { Mapped } from '../../page/attributes.ts';
import type { Signals } from './vendor.ts';
import { isVendor, type VendorName, vendors } from './vendors.ts';

/**
 * What is sent to a vendor. The name of a vendor means all its signals, `vendor.signal` one of them. A signal that several
 * purposes name needs all of them; one that none names is denied.
 */
export function decideSignals(vendor: VendorName, mapping: readonly Mapped[], purposes: Purposes): Signals {
  const decided = vendors[vendor].signals.map((signal) => {
    const pairs = mapping.filter(([, name]) => name === vendor || name === `${vendor}.${signal}`);
    return [signal, pairs.length > 0 && pairs.every(([key]) => purposes[key] === true)];
  });
  return Object.fromEntries(decided);
}

/** The vendor that a name of the mapping refers to; undefined for an unknown vendor or signal. */
export function findVendor(name: string): VendorName | undefined {
  const [vendor = '', signal] = name.split(/\.(.*)/s);
  if (!isVendor(vendor)) return undefined;
  const signals: readonly string[] = vendors[vendor].signals;
  return signal === undefined || signals.includes(signal) ? vendor : undefined;
}
