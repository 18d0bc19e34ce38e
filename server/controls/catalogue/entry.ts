import type { Cadence } from '../cadence.ts';

/** A framework that controls are mapped to. */
export type Framework = {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly jurisdiction: string | null;
  readonly versionLabel: string | null;
  readonly category: string | null;
  readonly scopeSummary: string;
  readonly assuranceBoundary: string;
  readonly allowedClaim: string;
  readonly prohibitedClaims: readonly string[];
  readonly requirements: readonly { readonly code: string; readonly subject: string }[];
};

/** How somebody else can find out whether a control works. */
export type CatalogueTest = {
  readonly title: string;
  readonly procedure: string;
  /** How often it runs; as the control when left out. */
  readonly cadence?: Cadence | undefined;
};

/** A control of the catalogue, before any tenant has done anything about it. */
export type CatalogueControl = {
  /** UUID version 5 of the code: the same on every installation. */
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  readonly cadence: Cadence;
  readonly guidance: string;
  readonly evidence: readonly string[];
  readonly tests: readonly CatalogueTest[];
  /** Codes of requirements by framework code, in the order of `frameworks`. */
  readonly mappings: Readonly<Record<string, readonly string[]>>;
};

export type Catalogue = {
  /** With which two letters its codes begin, those of retired controls included. */
  readonly codeLetters: readonly string[];
  /** In the order of their codes. */
  readonly frameworks: readonly Framework[];
  /** In the order of their codes. */
  readonly controls: readonly CatalogueControl[];
};
