import { ConfigurationError } from '../errors.ts';
import type {
  ApiPromise,
  FileBody,
  FileContent,
  ListOptions,
  PagePromise,
  RequestOptions,
  StreamPromise,
} from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { get, page, post, Resource } from './resource.ts';

const path = '/v1/control-framework/controls/{controlId}/evidence';

/**
 * The evidence of a control. Methods take the `controlId` of the control, or its `id`. Reading needs the scope
 * `controls:read`, the other methods `controls:write`.
 */
export class ControlEvidence extends Resource {
  /**
   * Lists the items of a control, those added last first, withdrawn ones included.
   * @param params `limit` is 1 to 200, default 50.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(controlId: string, params: PageParams = {}, options?: ListOptions): PagePromise<Api.Evidence> {
    return this.api.list(page('listEvidence', path, { controlId }, params), options);
  }

  /** Gets the bytes that the files of all controls take, and how many they may take. */
  usage(options?: RequestOptions): ApiPromise<Api.EvidenceUsage> {
    return this.api.request(get('getEvidenceUsage', '/v1/control-framework/evidence-usage'), options);
  }

  /**
   * Adds an item to a control. One whose evidence was requested becomes `evidence_submitted`, unless the item has
   * expired already.
   * @throws {ValidationError} `validation_failed`, also for a `collectedAt` in the future.
   */
  add(controlId: string, evidence: Api.EvidenceInput, options?: RequestOptions): ApiPromise<Api.Evidence> {
    return this.api.request(post('addEvidence', path, { controlId }, evidence), options);
  }

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

  /** Gets one item. */
  retrieve(controlId: string, evidenceId: string, options?: RequestOptions): ApiPromise<Api.Evidence> {
    return this.api.request(get('getEvidence', `${path}/{evidenceId}`, { controlId, evidenceId }), options);
  }

  /**
   * Withdraws an item: it is kept and no longer counts. Nothing happens when it was withdrawn before: the first reason
   * stays.
   * @param withdrawal `reason`, 1 to 500 characters, is recorded in the audit log.
   */
  withdraw(
    controlId: string,
    evidenceId: string,
    withdrawal: { readonly reason: string },
    options?: RequestOptions,
  ): ApiPromise<Api.Evidence> {
    const operation = post('withdrawEvidence', `${path}/{evidenceId}/withdraw`, { controlId, evidenceId }, withdrawal);
    return this.api.request(operation, options);
  }

  /**
   * Erases the texts and the file of an item, which is withdrawn with it; hash, size and dates stay. Cannot be undone.
   * @throws {ValidationError} `validation_failed`, also for a reason that repeats what is erased.
   */
  erase(
    controlId: string,
    evidenceId: string,
    input: Api.ErasureInput,
    options?: RequestOptions,
  ): ApiPromise<Api.Erasure> {
    const operation = post('eraseEvidence', `${path}/{evidenceId}/erase`, { controlId, evidenceId }, input);
    return this.api.request(operation, options);
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
