import type { ErrorContent, ErrorDetail } from './api-error.ts';

type Words = Pick<ErrorContent, 'code' | 'message' | 'details' | 'fields' | 'requestId'>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of an error in any of the three formats of the server: the envelope `{ error }`, SCIM (RFC 7644
 * section 3.12) and OAuth (RFC 6749 section 5.2). A proxy in front of the server may use none of them; then there is
 * only the status.
 */
export function readErrorBody(status: number, text: string): Words {
  const { error, error_description: description, schemas, scimType, detail } = parseFields(text);
  if (isFields(error)) return readWords(status, error);
  if (typeof error === 'string') return readWords(status, { code: error, message: asText(description) ?? error });
  if (Array.isArray(schemas)) {
    const code = asText(scimType);
    return readWords(status, { code: code ?? 'scim_error', message: detail, ...(code && { scimType }) });
  }
  return readWords(`${status} with an unreadable body`, {});
}

function readWords(answer: number | string, { code, message, details, requestId, ...fields }: Fields): Words {
  return {
    code: asText(code) ?? 'unreadable_error',
    message: asText(message) ?? `The server returned ${answer}.`,
    details: Array.isArray(details) ? details.filter(isDetail) : [],
    fields,
    requestId: asText(requestId),
  };
}

function parseFields(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
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
