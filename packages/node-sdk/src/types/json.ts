/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A point in time: RFC 3339 with any offset, or a Date. */
export type Time = string | Date;

/** A body as it arrives: every Date is text. */
export type Sent<Body> = { [Name in keyof Body]: Exclude<Body[Name], Date> };
