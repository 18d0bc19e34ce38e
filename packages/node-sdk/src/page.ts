import { ConfigurationError, rejectResponse } from './errors.ts';
import { Pending } from './pending-call.ts';
import { checkCount } from './settings.ts';
import type {
  ListOperation,
  ListOptions,
  Page,
  PageForm,
  PagePromise,
  RequestOptions,
  ResponseDetails,
  Transport,
  WithResponse,
} from './transport.ts';

type Request = Transport['request'];
type Fields = Readonly<Record<string, unknown>>;

/** Content that all formats of pages have. */
interface PageContent {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
  readonly total: number | null;
}

/** Reads a page of a form; null for what has another one. */
function readPage(form: PageForm, payload: Fields): PageContent | null {
  if (form === 'items') return createContent(payload.items, payload.nextCursor, payload.total);
  if (form === 'data') {
    const page = payload.page as Fields | null | undefined;
    return createContent(payload.data, page?.nextCursor, page?.total);
  }
  // RFC 7644 section 3.4.2.4: counted from 1. A page without resources is the last one, whatever the total says.
  const items = payload.Resources ?? [];
  const { totalResults, startIndex = 1 } = payload;
  if (!Array.isArray(items) || typeof totalResults !== 'number' || typeof startIndex !== 'number') return null;
  const next = startIndex + items.length;
  return createContent(items, items.length > 0 && next <= totalResults ? String(next) : null, totalResults);
}

function createContent(items: unknown, nextCursor: unknown, total: unknown): PageContent | null {
  if (!Array.isArray(items)) return null;
  return {
    items,
    nextCursor: typeof nextCursor === 'string' ? nextCursor : null,
    total: typeof total === 'number' ? total : null,
  };
}

class ListPage<Item> implements Page<Item> {
  declare readonly items: readonly Item[];
  declare readonly nextCursor: string | null;
  declare readonly total: number | null;
  declare readonly response: ResponseDetails;
  readonly #next: (cursor: string) => Promise<Page<Item>>;

  constructor(content: PageContent, response: ResponseDetails, next: (cursor: string) => Promise<Page<Item>>) {
    Object.assign(this, content, { response });
    this.#next = next;
  }

  get hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  async nextPage(): Promise<Page<Item> | null> {
    return this.nextCursor === null ? null : await this.#next(this.nextCursor);
  }
}

/** Finds cursors that lead in a circle with one of them kept, and each one kept for twice as many pages (Brent, 1980). */
interface Trail {
  readonly mark: string | null;
  readonly left: number;
  readonly most: number;
}

async function fetchPage<Item>(
  request: Request,
  operation: ListOperation,
  options: RequestOptions,
  given: Trail | null = null,
): Promise<Page<Item>> {
  const { page, query } = operation;
  const start = page === 'scim' ? startScim(query) : query;
  const name = page === 'scim' ? 'startIndex' : 'cursor';
  const first = (start as Fields | undefined)?.[name];
  const trail = given ?? { mark: first === undefined ? null : String(first), left: 1, most: 1 };
  const read = (payload: unknown, response: ResponseDetails): PageContent => {
    const content = typeof payload === 'object' && payload !== null ? readPage(page, payload as Fields) : null;
    if (content === null) throw rejectResponse('The response is not a page of a list.', operation.id, response);
    if (content.nextCursor !== null && content.nextCursor === trail.mark)
      throw rejectResponse('The list returned the cursor of an earlier page.', operation.id, response);
    return content;
  };
  const { data, response } = await request<PageContent>({ ...operation, query: start, read }, options).withResponse();
  const next = (cursor: string) => {
    const { mark, left, most } = trail;
    const extended = left > 1 ? { mark, left: left - 1, most } : { mark: cursor, left: most * 2, most: most * 2 };
    return fetchPage<Item>(request, { ...operation, query: { ...start, [name]: cursor } }, options, extended);
  };
  return new ListPage(data, response, next);
}

/** The query of a SCIM list, where `cursor` goes by the name `startIndex`. */
function startScim(query: object | undefined): object | undefined {
  const { cursor, ...others } = { ...query } as Fields;
  if (cursor === undefined) return query;
  if (others.startIndex !== undefined) throw new ConfigurationError('Set cursor or startIndex, not both.');
  return { ...others, startIndex: cursor };
}

/** A list that fetches its first page when it is awaited or iterated over. */
export class PendingList<Item> extends Pending<Page<Item>> implements PagePromise<Item> {
  readonly [Symbol.toStringTag] = 'PagePromise';
  readonly #prefetch: boolean;

  constructor(request: Request, operation: ListOperation, options: ListOptions | undefined) {
    const { prefetch = false, ...others } = options ?? {};
    super(() => fetchPage(request, operation, others));
    this.#prefetch = prefetch;
  }

  async withResponse(): Promise<WithResponse<Page<Item>>> {
    const data = await this.promise;
    return { data, response: data.response };
  }

  async *pages(): AsyncGenerator<Page<Item>, void> {
    let page: Page<Item> | null = await this.promise;
    while (page !== null) {
      const next: Promise<Page<Item> | null> | null = this.#prefetch ? page.nextPage() : null;
      // A caller that stops here never sees its failure; one that goes on gets it below.
      next?.catch(() => undefined);
      yield page;
      page = await (next ?? page.nextPage());
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page.items;
  }

  async toArray(options: { readonly limit: number }): Promise<Item[]> {
    const limit: unknown = Object(options).limit;
    checkCount('limit', limit, 0);
    const items: Item[] = [];
    if (limit === 0) return items;
    for await (const item of this) if (items.push(item) === limit) break;
    return items;
  }
}
