import { brotliDecompressSync } from 'node:zlib';
import type { Cadence, Mappings } from '../types/controls.ts';
import type { FrameworkDetail } from '../types/frameworks.ts';
import { packedCatalogue } from './catalogue-data.ts';

/** A control of the catalogue, before anybody has done anything about it. */
export interface CatalogueControl {
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  readonly cadence: Cadence;
  readonly guidance: string;
  /** Examples of evidence. */
  readonly evidence: readonly string[];
  readonly tests: readonly { readonly title: string; readonly procedure: string; readonly cadence?: Cadence }[];
  readonly mappings: Mappings;
}

/** The catalogue of the server, in its order. */
export interface Catalogue {
  readonly frameworks: readonly FrameworkDetail[];
  readonly controls: readonly CatalogueControl[];
}

let catalogue: Catalogue | undefined;

/** Reads the catalogue, which most programs do not need, when it is first asked for. */
export function readCatalogue(): Catalogue {
  catalogue ??= JSON.parse(brotliDecompressSync(Buffer.from(packedCatalogue, 'base64')).toString()) as Catalogue;
  return catalogue;
}
