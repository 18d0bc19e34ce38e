/** `consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither. */
export type Basis = 'consent' | 'object' | 'exempt';

/** Properties that decide the basis of a purpose. */
export interface Based {
  readonly required: boolean;
  readonly basis?: Basis | undefined;
  readonly basisByRegion?: Readonly<Record<string, Basis>> | undefined;
}

/** The basis that applies in a region. Where the region is unknown (null), consent is needed. */
export function basisIn({ required, basis = 'consent', basisByRegion = {} }: Based, region: string | null): Basis {
  if (required) return 'exempt';
  if (region === null) return 'consent';
  return basisByRegion[region] ?? basisByRegion[region.slice(0, 2)] ?? basis;
}

/** The two-letter codes of ISO 3166-1 as bits, from AA to ZZ. */
const COUNTRIES =
  'eFnf7u+93d4nP4QVgNQADgBcCbCf+xUAjQYYeA9AQAMAHSv0QYFP/fz/1yVLCAABQDyPUwEAAEAAUfH95zq7n5pBEARXhUAAAkAAAAAAEAAIBEAAAQ';

/** A region of ISO 3166-1 or ISO 3166-2; null for what is none: then consent is needed for every purpose. */
export function readRegion(text: string | null | undefined): string | null {
  if (!text || !/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/.test(text)) return null;
  const index = text.charCodeAt(0) * 26 + text.charCodeAt(1) - 65 * 27;
  return (atob(COUNTRIES).charCodeAt(index >> 3) >> (index & 7)) & 1 ? text : null;
}
