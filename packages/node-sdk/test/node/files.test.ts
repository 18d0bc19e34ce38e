import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { createScene } from '../../../../server/test/http/scene.ts';
import { ValidationError } from '../../src/api-error.ts';
import { Svc } from '../../src/client.ts';
import { ConfigurationError, ConnectionError } from '../../src/errors.ts';
import type { FileContent } from '../../src/transport.ts';
import { startRelay } from '../operations/recording-relay.ts';

describe('evidence files', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite');
  });
  after(() => server[Symbol.asyncDispose]());
  const details = { title: 'Visitors', kind: 'document', name: 'visitors.bin' } as const;

  test('are uploaded from bytes, a Blob of a file, text and a stream, and downloaded unchanged', async () => {
    const scene = await createScene(server);
    const controlId = await scene.control();
    await using svc = new Svc({ baseUrl: server.url, apiKey: scene.tenant.key });
    const bytes = randomBytes(700_000);
    const file = join(server.installation.settings.dataDir, 'visitors.bin');
    writeFileSync(file, bytes);
    async function* cut() {
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
    }
    const contents: readonly (readonly [content: FileContent, type: string])[] = [
      [bytes, 'application/octet-stream'],
      [Uint8Array.from(bytes).buffer, 'application/octet-stream'],
      [await openAsBlob(file, { type: 'image/png' }), 'image/png'],
      [cut(), 'application/octet-stream'],
      [new Blob([bytes]).stream(), 'application/octet-stream'],
    ];
    const collectedAt = server.clock.now();
    for (const [content, type] of contents) {
      const item = await svc.controls.evidence.upload(controlId, content, { ...details, collectedAt });
      assert.deepEqual(item.file, { name: 'visitors.bin', size: bytes.length, mediaType: type });
      assert.equal(item.sha256, hash('sha256', bytes));
      const stream = await svc.controls.evidence.download(controlId, item.id);
      const read: Uint8Array[] = [];
      for await (const chunk of stream) read.push(chunk);
      assert.deepEqual(Buffer.concat(read), bytes);
      assert.equal(stream.response.headers['content-type'], type);
    }
    const text = await svc.controls.evidence.upload(controlId, 'Ada', {
      ...details,
      collectedAt,
      mediaType: 'text/plain',
    });
    assert.deepEqual([text.file?.size, text.file?.mediaType], [3, 'text/plain']);
    const upload = (content: unknown) =>
      svc.controls.evidence.upload(controlId, content as string, { ...details, collectedAt });
    await assert.rejects(upload(''), (error) => ValidationError.isInstance(error));
    await assert.rejects(upload(42), (error) => ConfigurationError.isInstance(error));
  });

  test('of a stream are not retried, because it can be read only once', async () => {
    await using relay = await startRelay(server.url);
    const scene = await createScene(server);
    const controlId = await scene.control();
    await using svc = new Svc({ baseUrl: relay.url, apiKey: scene.tenant.key, retries: 2 });
    async function* once() {
      yield Buffer.from('once');
    }
    relay.loseNext(async () => undefined);
    const collectedAt = server.clock.now();
    const call = svc.controls.evidence.upload(controlId, once(), { ...details, collectedAt });
    await assert.rejects(call, (error) => ConnectionError.isInstance(error) && error.attempts === 1);
  });
});
