/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A point in time: RFC 3339 with any offset, or a Date. */
export type Time = string | Date;

/** A list that is returned whole. */
export interface Items<Item> {
  readonly items: readonly Item[];
}

/** Where a page starts and how many items it has. */
export interface PageParams {
  /** The `nextCursor` of an earlier page with the same filters. Default: the first page. */
  readonly cursor?: string | undefined;
  /** The most items of a page: 1 to 100, default 25, where the method names no others. */
  readonly limit?: number | undefined;
}

/** The attributes of a resource to return (RFC 7644 section 3.9): set one of the two, or neither. */
export interface ScimProjection {
  /** The attributes to return, separated by commas. */
  readonly attributes?: string | undefined;
  /** The attributes to leave out, separated by commas. */
  readonly excludedAttributes?: string | undefined;
}
