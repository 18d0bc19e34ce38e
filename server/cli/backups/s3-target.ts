import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { S3mini, S3ServiceError, type UploadPart } from 's3mini';
import type { BackupSettings } from '../../settings.ts';
import { BackupFailed, type BackupTarget, type StoredFile } from './target.ts';

type S3Settings = Extract<BackupSettings['target'], { readonly kind: 's3' }>;

/** The size of a part in bytes: in memory twice, and S3 allows 10,000 of them. */
const partBytes = 16 * 1024 * 1024;
/** How long a request may take until the answer begins, in milliseconds. */
const patience = 5 * 60_000;
/** The waits before a request is sent again, in milliseconds. */
const pauses: readonly number[] = [1000, 2000, 4000];

/** Opens a bucket of an S3-compatible server, addressed by path. */
export function openS3Target(settings: S3Settings, label: string): BackupTarget {
  const { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey } = settings;
  const s3 = new S3mini({
    accessKeyId,
    secretAccessKey,
    region,
    endpoint: `${endpoint}/${bucket}`,
    fetch: fetchPatiently,
  });
  const keyOf = (name: string) => (prefix === '' ? name : `${prefix}/${name}`);
  const attempt = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    for (const pause of [...pauses, null])
      try {
        return await step();
      } catch (error) {
        if (pause === null || !mayPass(error)) throw explain(error, settings, label);
        await wait(pause);
      }
    throw new Error('unreachable');
  };
  const abort = (key: string, id: string) => attempt(() => s3.abortMultipartUpload(key, id)).catch(() => undefined);

  const writeParts = async (key: string, first: Buffer, rest: AsyncIterable<Buffer>): Promise<number> => {
    const id = await attempt(() => s3.getMultipartUploadId(key));
    try {
      const parts: UploadPart[] = [];
      let bytes = 0;
      const upload = async (part: Buffer) => {
        if (part.length === 0) return;
        parts.push(await attempt(() => s3.uploadPart(key, id, part, parts.length + 1)));
        bytes += part.length;
      };
      await upload(first);
      for await (const part of rest) await upload(part);
      await attempt(() => s3.completeMultipartUpload(key, id, parts));
      // The answer to the completion can be an error although its status is 200.
      const stored = await attempt(() => s3.getContentLength(key));
      if (stored !== bytes) throw new BackupFailed(`${label} has ${stored} of ${bytes} bytes of ${key}.`);
      return bytes;
    } catch (error) {
      await abort(key, id);
      throw error;
    }
  };

  return {
    label,
    async list() {
      const found: StoredFile[] = [];
      const start = prefix === '' ? '' : `${prefix}/`;
      for (let token: string | undefined; ; ) {
        const page = await attempt(() => s3.listObjectsPaged('/', start, 1000, token));
        if (page === null) throw new BackupFailed(`There is no bucket ${bucket} at ${endpoint}: create it.`);
        for (const { Key, Size } of page?.objects ?? [])
          if (Key?.startsWith(start)) found.push({ name: Key.slice(start.length), bytes: Number(Size) });
        token = page?.nextContinuationToken;
        if (!token) return found;
      }
    },
    async write(name, content) {
      const key = keyOf(name);
      const parts = cutParts(content);
      try {
        const { value: first = Buffer.alloc(0) } = await parts.next();
        if (first.length === partBytes) return await writeParts(key, first, parts);
        await attempt(() => s3.putObject(key, first));
        return first.length;
      } finally {
        content.destroy();
      }
    },
    async read(name) {
      const response = await attempt(() => s3.getObjectResponse(keyOf(name)));
      if (response?.body == null) throw new BackupFailed(`${label} does not have ${name} any more.`);
      return Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
    },
    async remove(name) {
      await attempt(() => s3.deleteObject(keyOf(name)));
    },
    async clean(names) {
      const listed = await attempt(() =>
        s3.listMultipartUploads('/', '', 'GET', { prefix: keyOf(names) }).catch((error: unknown) => {
          // Some servers answer this where there is none.
          if (findServiceError(error)?.status === 404) return null;
          throw error;
        }),
      );
      for (const { key, uploadId } of readUploads(listed ?? {}))
        if (key.startsWith(keyOf(names))) await abort(key, uploadId);
    },
  };
}

/** A request that waits for the answer with bounded patience, and follows no redirect: its signature is for one host. */
const fetchPatiently: typeof fetch = async (address, request) => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException('no answer', 'TimeoutError')), patience);
  try {
    return await fetch(address, { ...request, redirect: 'manual', signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
};

/** Cuts a stream into parts of the same size; the last one can be shorter. */
async function* cutParts(content: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= partBytes) {
      const bytes = Buffer.concat(chunks);
      yield bytes.subarray(0, partBytes);
      chunks = [bytes.subarray(partBytes)];
      length -= partBytes;
    }
  }
  if (length > 0) yield Buffer.concat(chunks);
}

/** The unfinished uploads of a list. The library returns XML as objects: one upload is not in an array. */
function readUploads(listed: object): readonly { readonly key: string; readonly uploadId: string }[] {
  const [[, found = listed] = []] = Object.entries(listed).filter(([name]) =>
    /^listMultipartUploadsResult$/i.test(name),
  );
  const { upload, Upload = upload ?? [] } = found as { readonly upload?: object; readonly Upload?: object };
  return ([Upload].flat() as unknown as readonly Readonly<Record<string, unknown>>[]).map((one) => ({
    key: String(one.key ?? one.Key),
    uploadId: String(one.uploadId ?? one.UploadId),
  }));
}

/** True if the same request may succeed later: the server is busy or gone for a moment. */
function mayPass(error: unknown): boolean {
  const service = findServiceError(error);
  if (service !== null) return service.status >= 500 || service.status === 429;
  return !(error instanceof BackupFailed);
}

function findServiceError(error: unknown): S3ServiceError | null {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof S3ServiceError) return one;
  return null;
}

function explain(error: unknown, { bucket, endpoint }: S3Settings, label: string): unknown {
  if (error instanceof BackupFailed) return error;
  const service = findServiceError(error);
  if (service === null) {
    const cause = nameCause(error);
    // The library throws a plain error for an answer that it cannot read.
    const isAnswered = cause === 'Error';
    return new BackupFailed(
      isAnswered
        ? `${endpoint} gave an answer that S3 does not have: use a server that is compatible with multipart uploads.`
        : `${endpoint} cannot be reached (${cause}).`,
    );
  }
  const { status, serviceCode = '' } = service;
  const code = /^[A-Za-z]{1,64}$/.test(serviceCode) && serviceCode !== 'Unknown' ? ` ${serviceCode}` : '';
  const advice =
    status === 403 || status === 401
      ? ': check SVC_BACKUP_S3_ACCESS_KEY_ID, its secret and its rights to list, read, write and delete there'
      : serviceCode === 'NoSuchBucket' || status === 404
        ? `: check that the bucket ${bucket} exists`
        : status < 400
          ? ': check SVC_BACKUP_S3_REGION and SVC_BACKUP_S3_ENDPOINT'
          : '';
  return new BackupFailed(`${endpoint} refused a request about ${label} (${status}${code})${advice}.`);
}

/** The code of the innermost error that has one; otherwise its name. */
function nameCause(error: unknown): string {
  let name = 'unknown';
  for (let one = error; one instanceof Error; one = one.cause)
    name = 'code' in one && typeof one.code === 'string' ? one.code : one.name;
  return name;
}
