export { canonicalize } from '../../packages/node-sdk/src/ledger/canonical.ts';

/** A JSON value (RFC 8259). */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
