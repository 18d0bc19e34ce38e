import type { DemoCredentials } from '../../site/demo/seed.ts';
import type { ServerProcess } from './server-process.ts';

type Server = Pick<ServerProcess, 'url'>;
type Credentials = Pick<DemoCredentials, 'apiKey'>;

/** Creates a webhook for every event. @param more further fields of the endpoint. */
export function createWebhook(
  server: Server,
  credentials: Credentials,
  url: string,
  more: object = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  return callWebhooks(server, credentials, { method: 'POST', body: { url, ...more } });
}

/** Deletes the demo's webhooks, which have no receiver. */
export async function removeWebhooks(server: Server, credentials: Credentials): Promise<void> {
  const { items } = await callWebhooks<{ readonly items: readonly { readonly id: string }[] }>(server, credentials, {
    method: 'GET',
  });
  for (const { id } of items) await callWebhooks(server, credentials, { method: 'DELETE', path: `/${id}` });
}

interface WebhookCall {
  readonly method: string;
  readonly path?: string;
  readonly body?: object;
}

/** @throws if the response is not a success. */
async function callWebhooks<Result>(
  { url }: Server,
  { apiKey }: Credentials,
  { method, path = '', body }: WebhookCall,
): Promise<Result> {
  const response = await fetch(`${url}/v1/webhooks${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} of webhooks was answered with ${response.status}: ${text}`);
  return (text === '' ? null : JSON.parse(text).data) as Result;
}
