import { requireObject } from './error.ts';
import { type AdapterOptions, createReceiver, headersOf, type NodeRequest, readNodeRequest } from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** The request of Fastify, as far as it matters here. */
export interface FastifyRequest {
  readonly raw: NodeRequest;
  readonly body?: unknown;
}

/** The reply of Fastify, as far as it matters here. */
export interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(body: string): unknown;
}

/** A route of Fastify, as far as it matters here. */
export interface FastifyRoute {
  readonly method: 'POST';
  readonly url: string;
  /** Of the type that the instance wants: each has its own. */
  readonly handler: never;
}

/** The instance of Fastify, as far as it matters here. */
export interface FastifyInstance {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: never, payload: never, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  route(options: FastifyRoute): unknown;
}

export type FastifyPluginOptions<Request> = AdapterOptions<Request> & {
  /** Where deliveries are posted to: `/webhooks/svc`. */
  readonly path: string;
};

/** Makes a plugin for Fastify. Its parser of bodies is its own: that of the other routes stays as it is. */
export function createFastifyPlugin<Request extends FastifyRequest = FastifyRequest>(
  options: FastifyPluginOptions<Request>,
): (instance: FastifyInstance) => Promise<void> {
  const { path, ...others } = requireObject(options);
  const receive = createReceiver(others as AdapterOptions<Request>);
  return async (instance) => {
    // The receiver reads the body, so nothing is read here.
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const handler = async (request: Request, reply: FastifyReply) => {
      const answer = await receive(readNodeRequest(request.raw), request);
      reply.code(answer.status);
      reply.headers(headersOf(answer, request.raw));
      return reply.send(answer.body);
    };
    instance.route({ method: 'POST', url: path, handler: handler as never });
  };
}
