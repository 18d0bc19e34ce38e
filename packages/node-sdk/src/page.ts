import { ConfigurationError, ResponseError } from './errors.ts';
import type {
  ListOperation,
  ListOptions,
  Page,
  PageForm,
  PagePromise,
  ResponseDetails,
  Transport,
  WithResponse,
} from './transport.ts';

type Request = Transport['request'];
type Fields = Readonly<Record<string, unknown>>;

/** What is common to the forms that pages have. */
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
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  readonly response: ResponseDetails;
  readonly #next: (cursor: string) => Promise<Page<Item>>;

  constructor(content: PageContent, response: ResponseDetails, next: (cursor: string) => Promise<Page<Item>>) {
    this.items = content.items as readonly Item[];
    this.nextCursor = content.nextCursor;
    this.total = content.total;
    this.response = response;
    this.#next = next;
  }

  get hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  async nextPage(): Promise<Page<Item> | null> {
    return this.nextCursor === null ? null : await this.#next(this.nextCursor);
  }
}

async function fetchPage<Item>(request: Request, operation: ListOperation, options?: ListOptions): Promise<Page<Item>> {
  const { data, response } = await request<Fields>(operation, options).withResponse();
  const content = typeof data === 'object' && data !== null ? readPage(operation.page, data) : null;
  const name = operation.page === 'scim' ? 'startIndex' : 'cursor';
  const given = (operation.query as Fields | undefined)?.[name];
  // A cursor that leads to where it came from would never end.
  if (content === null || (content.nextCursor !== null && content.nextCursor === given)) {
    const { status, requestId, headers, idempotencyKey, attempts } = response;
    const answer = { status, requestId, contentType: headers['content-type'] ?? null };
    const call = { operation: operation.id, idempotencyKey, attempts };
    throw new ResponseError('The answer is no page of a list.', answer, call);
  }
  const next = (cursor: string) =>
    fetchPage<Item>(request, { ...operation, query: { ...operation.query, [name]: cursor } }, options);
  return new ListPage(content, response, next);
}

/** A list that asks for its first page when it is awaited or iterated over. */
export class PendingList<Item> implements PagePromise<Item> {
  readonly [Symbol.toStringTag] = 'PagePromise';
  readonly #fetch: () => Promise<Page<Item>>;
  readonly #prefetch: boolean;
  #first: Promise<Page<Item>> | null = null;

  constructor(request: Request, operation: ListOperation, options: ListOptions | undefined) {
    this.#fetch = () => fetchPage(request, operation, options);
    this.#prefetch = options?.prefetch ?? false;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = Page<Item>, Rejected = never>(
    onFulfilled?: ((page: Page<Item>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#open().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<Item> | Rejected> {
    return this.#open().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<Item>> {
    return this.#open().finally(onFinally);
  }

  async withResponse(): Promise<WithResponse<Page<Item>>> {
    const data = await this.#open();
    return { data, response: data.response };
  }

  async *pages(): AsyncGenerator<Page<Item>, void> {
    let page: Page<Item> | null = await this.#open();
    while (page !== null) {
      const next: Promise<Page<Item> | null> | null = this.#prefetch ? page.nextPage() : null;
      // Who stops here never learns of it; who goes on does so below.
      next?.catch(() => undefined);
      yield page;
      page = await (next ?? page.nextPage());
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page.items;
  }

  async toArray({ limit }: { readonly limit: number }): Promise<Item[]> {
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new ConfigurationError('limit must be a whole number, 0 or more: how many items the array may have.');
    const items: Item[] = [];
    if (limit === 0) return items;
    for await (const item of this) if (items.push(item) === limit) break;
    return items;
  }

  #open(): Promise<Page<Item>> {
    this.#first ??= this.#fetch();
    return this.#first;
  }
}
