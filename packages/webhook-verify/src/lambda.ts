import { bodyTooLarge, fail } from './error.ts';
import { type AdapterOptions, createReceiver, jsonHeaders } from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/**
 * The event of an HTTP request, as far as it matters here: of a REST API or an HTTP API of API Gateway (payloads 1.0 and
 * 2.0), a function URL or an Application Load Balancer.
 */
export interface LambdaEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** From REST APIs and payloads 1.0 beside `headers`; from load balancers that are set so, instead of them. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The response format that all of them accept. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** For load balancers with multi-value headers, which take no others. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** Makes a handler for AWS Lambda: `export const handler = createLambdaHandler({ … })`. */
export function createLambdaHandler<Event extends LambdaEvent = LambdaEvent>(
  options: AdapterOptions<Event>,
): (event: Event) => Promise<LambdaAnswer> {
  const receive = createReceiver<Event>(options);
  return async (event) => {
    const incoming = {
      header: (name: string) => readHeader(event, name),
      readBody: (max: number) => readBody(event, max),
    };
    const { status, body } = await receive(incoming, event);
    const answer = { statusCode: status, headers: jsonHeaders, body, isBase64Encoded: false } as const;
    if (listEntries(event?.headers)[0] || !listEntries(event?.multiValueHeaders)[0]) return answer;
    const multiValueHeaders = Object.fromEntries(Object.entries(jsonHeaders).map(([name, value]) => [name, [value]]));
    return { ...answer, multiValueHeaders };
  };
}

/** Every value of a header, joined as HTTP joins them: `headers` of a REST API has only the last one. */
function readHeader(event: LambdaEvent, wanted: string): string | undefined {
  const multiple = listEntries(event?.multiValueHeaders);
  const fields = multiple[0] ? multiple : listEntries(event?.headers);
  const values = fields.flatMap(([name, value]) => (name.toLowerCase() === wanted ? (value ?? []) : []));
  return values.length === 0 ? undefined : values.join(', ');
}

/** Headers of a form that is not used may also be an empty object. */
function listEntries<Value>(fields: Readonly<Record<string, Value>> | null | undefined) {
  return Object.entries(fields ?? {});
}

function readBody(event: LambdaEvent, maxBytes: number): Uint8Array {
  const { body, isBase64Encoded } = event;
  if (body !== null && body !== undefined && typeof body !== 'string')
    return fail('body_not_bytes', 'Pass the event as it came: something (a middleware?) has parsed its body.');
  const encoding = isBase64Encoded ? 'base64' : 'utf8';
  if (Buffer.byteLength(body ?? '', encoding) > maxBytes) throw bodyTooLarge();
  // Invalid base64 gives other bytes, which no signature matches.
  return Buffer.from(body ?? '', encoding);
}
