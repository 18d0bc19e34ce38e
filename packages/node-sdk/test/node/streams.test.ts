import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { describe, it } from 'node:test';
import {
  AbortError,
  type ByteStream,
  ConflictError,
  ConnectionError,
  ResponseError,
  TimeoutError,
} from '@svc/node-sdk';
import {
  createClient,
  reading,
  type Script,
  sendError,
  sendJson,
  sendRaw,
  startScriptedServer,
} from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

const jsonl = { 'content-type': 'application/jsonl' };
const begin = 'HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nContent-Length: 1000\r\n\r\nfirst\n';

describe('a stream', () => {
  it('gives its lines, however they are cut, with its headers', async () => {
    const lines = ['{"a":1}', '', 'ä€😀', 'with a carriage return', 'no end'];
    const bytes = Buffer.from(`${lines[0]}\n${lines[1]}\n${lines[2]}\n${lines[3]}\r\n${lines[4]}`);
    await using server = await startScriptedServer(async (response) => {
      response.writeHead(200, { ...jsonl, 'svc-request-id': 'r1' });
      for (const byte of bytes) response.write(Uint8Array.of(byte));
      response.end();
    });
    await using svc = createClient(server);
    const taken: string[] = [];
    for await (const line of svc.stream(reading).lines()) taken.push(line);
    assert.deepEqual(taken, lines);
    const stream = await svc.stream(reading);
    assert.equal(stream.response.requestId, 'r1');
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.deepEqual(Buffer.concat(chunks), bytes);
  });

  it('has no bound, and is not read faster than it is taken', async () => {
    const total = 40 * 1024 * 1024;
    let sent = 0;
    await using server = await startScriptedServer(async (response) => {
      response.writeHead(200, { ...jsonl, 'content-length': total });
      while (sent < total) {
        sent += 64 * 1024;
        if (!response.write(Buffer.alloc(64 * 1024))) await once(response, 'drain');
      }
      response.end();
    });
    await using svc = createClient(server, { maxResponseBytes: 1000 });
    const stream = await svc.stream(reading);
    // The server runs in this process too: in so many turns it would have sent everything, if anybody took it.
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent < total, 'the server waits for the reader');
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    assert.equal(size, total);
  });

  it('begins after what announces it: 103 is passed over', async () => {
    await using server = await startScriptedServer((response) => {
      sendRaw(
        response,
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na\n',
      );
    });
    await using svc = createClient(server);
    const stream = await svc.stream(reading);
    assert.equal(stream.response.status, 200);
    for await (const line of stream.lines()) assert.equal(line, 'a');
  });

  it('that is refused is an error like any other, and is tried again like any other', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number === 1) sendError(response, 503, 'busy', { 'retry-after': '0' });
      else if (number === 2) response.writeHead(200, jsonl).end('line\n');
      else sendError(response, 409, 'checkpoint_missing');
    });
    await using svc = createClient(server);
    const lines: string[] = [];
    for await (const line of svc.stream(reading).lines()) lines.push(line);
    assert.deepEqual(lines, ['line']);
    await assert.rejects(Promise.resolve(svc.stream(reading)), ConflictError);
  });

  it('that breaks off gives what came, then fails; it is not begun again', async () => {
    await using server = await startScriptedServer((response) => {
      sendRaw(response, begin).end();
    });
    await using svc = createClient(server);
    const lines: string[] = [];
    const read = async () => {
      for await (const line of svc.stream(reading).lines()) lines.push(line);
    };
    await assert.rejects(read(), ConnectionError);
    assert.deepEqual(lines, ['first']);
    assert.equal(server.received.length, 1);
  });

  it('is refused as lines where it is no text', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, jsonl).end(Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    });
    await using svc = createClient(server);
    const read = async () => {
      for await (const _ of svc.stream(reading).lines());
    };
    await assert.rejects(read(), ResponseError);
  });

  it('that falls silent ends after the time for a try', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer((response) => {
      sendRaw(response, begin);
    });
    await using svc = createClient(server, { runtime, timeout: 5000 });
    const lines = svc.stream(reading).lines()[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'first');
    const next = assert.rejects(lines.next(), TimeoutError);
    while (runtime.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    runtime.advance(5000);
    await next;
    assert.equal(runtime.pending, 0);
  });

  it('ends with the signal while it is read, and leaves no listener', async () => {
    const controller = new AbortController();
    await using server = await startScriptedServer((response) => {
      sendRaw(response, begin);
    });
    await using svc = createClient(server);
    const read = async () => {
      for await (const _ of svc.stream(reading, { signal: controller.signal }).lines())
        controller.abort(new Error('enough'));
    };
    await assert.rejects(
      read(),
      (error) => AbortError.isInstance(error) && (error.cause as Error).message === 'enough',
    );
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  for (const [how, leave] of Object.entries<(stream: ByteStream) => Promise<void>>({
    stopped: async (stream) => {
      for await (const _ of stream) break;
    },
    cancelled: (stream) => stream.cancel(),
    'disposed of': async (stream) => stream[Symbol.asyncDispose](),
  })) {
    it(`that is ${how} ends its connection and leaves no listener`, async () => {
      const closed = Promise.withResolvers<void>();
      const endless: Script = (response) => {
        sendRaw(response, begin).on('close', closed.resolve);
      };
      await using server = await startScriptedServer(endless);
      await using svc = createClient(server);
      const { signal } = new AbortController();
      await leave(await svc.stream(reading, { signal }));
      await closed.promise;
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });
  }

  it('asks for JSON Lines, and errors in JSON', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, {}));
    await using svc = createClient(server);
    await (await svc.stream(reading)).cancel();
    assert.equal(server.received[0]?.headers.accept, 'application/jsonl, application/json');
  });
});
