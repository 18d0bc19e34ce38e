import type { ScimResourceType, ScimSchema, ScimServiceProviderConfig, Scope } from '../types/api.ts';

/** A check of a value of the right type; `stop` keeps the checks after it from looking at what it refused. */
export type Check =
  | readonly ['min' | 'max', number, 'stop'?]
  | readonly ['atLeast' | 'atMost', number]
  | readonly ['int' | 'trim' | 'lower' | 'upper' | 'lines']
  | readonly ['pattern', source: string, flags: string, issue: string]
  | readonly ['rule', name: string, issue: string, ...path: string[]];

/** What a value must be; numbers name other rules by their place in the table. */
export type Rule =
  | readonly ['string' | 'number' | 'boolean', ...Check[]]
  | readonly ['any']
  | readonly ['union', options: readonly number[], issue: string]
  | readonly ['enum', readonly string[]]
  | readonly ['array', items: number, ...Check[]]
  | readonly ['record', keys: number, values: number, ...Check[]]
  | readonly ['object', Readonly<Record<string, number>>, ...Check[]]
  | readonly ['optional' | 'nullable', number, ...Check[]]
  | readonly ['default' | 'prefault', number, fallback: unknown]
  | readonly ['pipe', number, number, ...Check[]]
  | readonly ['read', name: string];

/** An operation: what it is called, where it is, who may call it, and the rules of its parts. */
export type OperationRow = readonly [
  id: string,
  method: string,
  path: string,
  scope: string | null,
  idempotencyKey: 'none' | 'accepted' | 'required',
  status: number,
  params: number | null,
  query: number | null,
  body: number | null,
];

/** An operation that is known by name alone: its requests are not validated. */
export type OtherRow = readonly [id: string, method: string, path: string, status: number];

/** The table that is written from the schemas of the server. */
export interface RequestRules {
  readonly rules: readonly Rule[];
  readonly operations: readonly OperationRow[];
  /** Those of SCIM and OAuth, and the public key of the ledgers. */
  readonly others: readonly OtherRow[];
  /** The dated versions of the API, oldest first. */
  readonly versions: readonly string[];
  readonly scopes: readonly Scope[];
  /** The frameworks of the catalogue, in its order: code and name. */
  readonly frameworks: readonly (readonly [code: string, name: string])[];
  /** What SCIM tells of itself, with paths in place of addresses. */
  readonly scim: {
    readonly config: ScimServiceProviderConfig;
    readonly schemas: readonly ScimSchema[];
    readonly resourceTypes: readonly ScimResourceType[];
  };
}

/** A body as it arrives: every Date is text. */
export type Sent<Body> = { [Name in keyof Body]: Exclude<Body[Name], Date> };
export type Mappings = Readonly<Record<string, readonly string[]>>;
export type PurposeChoices = Readonly<Record<string, boolean>>;
