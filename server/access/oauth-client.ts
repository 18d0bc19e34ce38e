import { Problem } from '../http/problem.ts';
import type { Queries } from '../storage/database.ts';
import { type ApiKeyRow, findKeyHolder } from './api-key-store.ts';
import { findKey } from './managed-key-store.ts';

/** What a client shows: the id of its API key, and the key. */
interface ClientCredentials {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

type Form = Readonly<Record<string, string>>;

/**
 * A form with the credentials of the client in it, also where they came in the Authorization header.
 * @param header the Authorization header of the request.
 * @throws {Problem} `invalid_request` for credentials in more than one place (RFC 6749 section 2.3), `invalid_client`
 *   for a header that is not Basic.
 */
export function withClientCredentials(form: Form, header: string | undefined): Form {
  if (header === undefined) return form;
  const credentials = readBasic(header);
  const saysOther = form.client_id !== undefined && form.client_id !== credentials.client_id;
  if (form.client_secret !== undefined || saysOther)
    throw new Problem(
      'invalid_request',
      'Send the client credentials in the Authorization header or the form, not both.',
    );
  return { ...form, ...credentials };
}

/** RFC 6749 section 2.3.1: each part is encoded as in a form, then both as in HTTP Basic (RFC 7617). */
function readBasic(header: string): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? '';
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  if (parts === null) throw invalidClient();
  try {
    const [client_id = '', client_secret = ''] = parts
      .slice(1)
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    return { client_id, client_secret };
  } catch {
    throw invalidClient();
  }
}

/**
 * The API key that is the client.
 * @throws {Problem} `invalid_client`, the same for an id that there is not and a secret that is wrong.
 */
export async function authenticateClient(
  queries: Queries,
  { client_id, client_secret }: ClientCredentials,
  now: string,
): Promise<ApiKeyRow> {
  if (client_id === undefined || client_secret === undefined) throw invalidClient();
  const holder = await findKeyHolder(queries, client_secret, now);
  if (holder === undefined || holder.credential.id !== client_id) throw invalidClient();
  const key = await findKey(queries, holder.tenantId, client_id);
  if (key === undefined) throw invalidClient();
  return key;
}

function invalidClient(): Problem {
  return new Problem(
    'invalid_client',
    'Send the id of an API key as client_id and the key as client_secret; these are unknown, expired or revoked.',
    { headers: { 'WWW-Authenticate': 'Basic realm="svc"' } },
  );
}
