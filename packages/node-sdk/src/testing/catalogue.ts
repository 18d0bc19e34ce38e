import { brotliDecompressSync } from 'node:zlib';
import type { ControlCadence, ControlFrameworkDetail } from '../types/api.ts';
import { packedCatalogue } from './catalogue-data.ts';
import type { Mappings } from './rules.ts';

/** A control of the catalogue, before anybody has done anything about it. */
export interface CatalogueControl {
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  readonly cadence: ControlCadence;
  readonly guidance: string;
  /** Examples of evidence. */
  readonly evidence: readonly string[];
  readonly tests: readonly { readonly title: string; readonly procedure: string; readonly cadence?: ControlCadence }[];
  readonly mappings: Mappings;
}

/** The catalogue of the server, in its order. */
export interface Catalogue {
  readonly frameworks: readonly ControlFrameworkDetail[];
  readonly controls: readonly CatalogueControl[];
}

let catalogue: Catalogue | undefined;

/** Reads the catalogue, which most programs do not need, when it is first asked for. */
export function readCatalogue(): Catalogue {
  catalogue ??= JSON.parse(brotliDecompressSync(Buffer.from(packedCatalogue, 'base64')).toString()) as Catalogue;
  return catalogue;
}
