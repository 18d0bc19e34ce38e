import type { ErrorContent, ErrorDetail } from './api-error.ts';

type Words = Pick<ErrorContent, 'code' | 'message' | 'details' | 'fields' | 'requestId'>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * What the body of an error says, in any of the three forms that the server has: the envelope `{ error }`, SCIM
 * (RFC 7644 section 3.12) and OAuth (RFC 6749 section 5.2). A proxy in front of the server may use none of them;
 * then there is only the status.
 */
export function readErrorBody(status: number, text: string): Words {
  const body = parseFields(text);
  const error = body?.error;
  if (isFields(error)) return readEnvelope(status, error);
  if (body !== null && typeof error === 'string') return readOauth(body, error);
  if (body !== null && Array.isArray(body.schemas)) return readScim(status, body);
  const message = `The server returned ${status} with an unreadable body.`;
  return { code: 'unreadable_error', message, details: [], fields: {}, requestId: null };
}

function readEnvelope(status: number, error: Fields): Words {
  const { code, message, details, requestId, ...fields } = error;
  return {
    code: asText(code) ?? 'unreadable_error',
    message: asText(message) ?? `The server returned ${status}.`,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    fields,
    requestId: asText(requestId),
  };
}

function readScim(status: number, body: Fields): Words {
  const scimType = asText(body.scimType);
  return {
    code: scimType ?? 'scim_error',
    message: asText(body.detail) ?? `The server returned ${status}.`,
    details: [],
    fields: scimType === null ? {} : { scimType },
    requestId: null,
  };
}

function readOauth(body: Fields, code: string): Words {
  const message = asText(body.error_description) ?? code;
  return { code, message, details: [], fields: {}, requestId: null };
}

function parseFields(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDetail(value: unknown): value is ErrorDetail {
  return isFields(value) && typeof value.path === 'string' && typeof value.issue === 'string';
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
