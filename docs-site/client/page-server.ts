/** A substitute for a server within the page. */
export interface PageServer {
  /** Its address; requests to it never leave the page. */
  readonly address: string;
}

/** A request of a widget to the API. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * Answers requests below an address within the page, so that the live widgets need no server and send nothing. Other requests
 * are sent as usual.
 * @param hear called with each request to the API of a server.
 */
export function startPageServer(
  answer: (request: PageRequest) => object | null | Promise<object | null>,
  hear: (request: PageRequest) => void = () => undefined,
): PageServer {
  const address = new URL(`${document.documentElement.dataset.root}live/in-this-page`, document.baseURI).href;
  const fetchElsewhere = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(`${address}/`)) {
      const [, path] = /(\/v1\/.*)$/.exec(new URL(request.url).pathname) ?? [];
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : null;
      if (path !== undefined) hear({ method: request.method, path, body });
      return fetchElsewhere(input, init);
    }
    const text = await request.text();
    const path = request.url.slice(address.length);
    const result = await answer({ method: request.method, path, body: text === '' ? null : JSON.parse(text) });
    if (result === null)
      return Response.json({ error: { code: 'not_found', message: 'There is no such path.' } }, { status: 404 });
    return Response.json({ data: result }, { status: request.method === 'POST' ? 201 : 200 });
  };
  return { address };
}
