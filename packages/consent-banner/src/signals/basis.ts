/** `consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither. */
export type Basis = 'consent' | 'object' | 'exempt';

/** What decides the basis of a purpose. */
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
