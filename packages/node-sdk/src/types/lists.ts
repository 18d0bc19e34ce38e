/** A list that comes whole. */
export interface Items<Item> {
  readonly items: readonly Item[];
}

/** Where a list begins and how much of it comes at once. */
export interface PageParams {
  /** The `nextCursor` of an earlier page; it belongs to the same filters. Default: the first page. */
  readonly cursor?: string | undefined;
  /** How many items a page has at most. */
  readonly limit?: number | undefined;
}
