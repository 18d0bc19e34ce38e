import { ConfigurationError } from '../errors.ts';
import type { ApiPromise, FileBody, FileContent, RequestOptions, StreamPromise } from '../transport.ts';
import type * as Api from '../types/api.ts';
import { ControlsEvidenceMethods } from './methods.ts';
import { get, post } from './resource.ts';

const path = '/v1/control-framework/controls/{controlId}/evidence';

/**
 * The evidence of a control. Methods take the `controlId` of the control, or its `id`. Reading needs the scope
 * `controls:read`, the other methods `controls:write`.
 */
export class ControlEvidence extends ControlsEvidenceMethods {
  /**
   * Uploads a file, of 1 byte to 25 MiB, as an item. The server computes its SHA-256 and writes it into the audit log.
   * `timeout` bounds the whole upload: raise it for slow lines. A retry sends the file again; a stream is not retried.
   * @param file bytes, a Blob such as that of `openAsBlob`, text, or a stream.
   * @param details `name` is that of the file, `mediaType` its type, by default that of a Blob.
   * @throws {ConflictError} `evidence_quota_exceeded`.
   * @throws {ValidationError} `validation_failed`, also for an empty file.
   * @throws {ApiError} `payload_too_large` above 25 MiB.
   */
  upload(
    controlId: string,
    file: FileContent,
    details: Api.UploadEvidenceFileParams & { readonly mediaType?: string | undefined },
    options?: RequestOptions,
  ): ApiPromise<Api.Evidence> {
    const { mediaType, ...query } = details;
    const ownType = file instanceof Blob ? file.type : '';
    const content = { mediaType: mediaType ?? (ownType || 'application/octet-stream'), read: () => readContent(file) };
    // A stream is read once.
    const idempotent = isStream(file) ? false : undefined;
    const operation = post('uploadEvidenceFile', `${path}/files`, { controlId });
    return this.api.request({ ...operation, query, file: content, idempotent }, options);
  }

  /**
   * Downloads the file of an item as it was uploaded, withdrawn or not. Read the stream to its end or cancel it.
   * @throws {NotFoundError} `not_found`, also for an item without a file.
   * @throws {ApiError} `evidence_erased` after `erase`.
   */
  download(controlId: string, evidenceId: string, options?: RequestOptions): StreamPromise {
    const operation = get('downloadEvidenceFile', `${path}/{evidenceId}/file`, { controlId, evidenceId });
    return this.api.stream({ ...operation, accept: '*/*' }, options);
  }
}

/** @throws {ConfigurationError} for a value that is not the content of a file, where a program has no types. */
function readContent(content: FileContent): FileBody {
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof Blob || isStream(content))
    return content;
  throw new ConfigurationError('The file must be bytes, a Blob, a string or an async iterable of bytes.');
}

function isStream(content: unknown): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}
