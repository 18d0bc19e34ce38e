import type { ListOperation, Operation, Transport } from '../transport.ts';

/** A group of methods. The transport is private, so that printing a resource shows no credentials. */
export abstract class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected get api(): Transport {
    return this.#transport;
  }
}

// Operations by their HTTP method. `parameters` has a value for each brace of the path.

type Parameters = Operation['parameters'];

export function get(id: string, path: string, parameters?: Parameters, query?: object): Operation {
  return { id, method: 'GET', path, parameters, query };
}

/** One page of a list `{ items, nextCursor }`. */
export function page(id: string, path: string, parameters?: Parameters, query?: object): ListOperation {
  return { ...get(id, path, parameters, query), page: 'items' };
}

export function post(id: string, path: string, parameters?: Parameters, body?: unknown): Operation {
  return { id, method: 'POST', path, parameters, body };
}

export function put(id: string, path: string, parameters: Parameters, body: unknown): Operation {
  return { id, method: 'PUT', path, parameters, body };
}

/** A change that has the same result when it is sent again. */
export function patch(id: string, path: string, parameters: Parameters, body: unknown): Operation {
  return { id, method: 'PATCH', path, parameters, body, idempotent: true };
}

export function remove(id: string, path: string, parameters?: Parameters): Operation {
  return { id, method: 'DELETE', path, parameters };
}

/** Properties that all SCIM operations share. */
export const scim = { media: 'scim', credential: 'scim', answer: 'bare' } as const;
