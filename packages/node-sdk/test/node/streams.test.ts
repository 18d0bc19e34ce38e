import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  AbortError,
  type ByteStream,
  ConflictError,
  ConnectionError,
  ResponseError,
  TimeoutError,
} from '@svc/node-sdk';
import fc from 'fast-check';
import { splitLines } from '../../src/split-lines.ts';
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
  it('returns its lines, however they are split, with its headers', async () => {
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

  it('has no size limit, and respects backpressure', async () => {
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
    // The server runs in this process too: in so many turns it would have sent everything to a fast reader.
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent < total, 'the server waits for the reader');
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    assert.equal(size, total);
  });

  it('is decompressed on demand, without a size limit, and respects backpressure', async () => {
    const total = 40 * 1024 * 1024;
    const body = gzipSync(Buffer.alloc(total), { level: 0 });
    let sent = 0;
    await using server = await startScriptedServer(async (response) => {
      response.writeHead(200, { ...jsonl, 'content-encoding': 'gzip' });
      while (sent < body.length) {
        const chunk = body.subarray(sent, sent + 64 * 1024);
        sent += chunk.length;
        if (!response.write(chunk)) await once(response, 'drain');
      }
      response.end();
    });
    await using svc = createClient(server, { maxResponseBytes: 1000 });
    const stream = await svc.stream(reading);
    for (let turn = 0; turn < 5000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent < body.length, 'the server waits for the reader');
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    assert.equal(size, total);
  });

  it('with a broken compression returns what was received, then fails', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, { ...jsonl, 'content-encoding': 'gzip' });
      response.end(gzipSync('first\n'.repeat(100_000)).subarray(0, -9));
    });
    await using svc = createClient(server);
    let lines = 0;
    const read = async () => {
      for await (const _ of svc.stream(reading).lines()) lines += 1;
    };
    await assert.rejects(read(), (error) => ResponseError.isInstance(error) && /decompressed/.test(error.message));
    assert.ok(lines > 0);
  });

  it('may be preceded by 103, which is ignored', async () => {
    await using server = await startScriptedServer((response) => {
      sendRaw(
        response,
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nContent-Length: 2\r\n\r\na\n',
      );
    });
    await using svc = createClient(server);
    const stream = await svc.stream(reading);
    assert.equal(stream.response.status, 200);
    for await (const line of stream.lines()) assert.equal(line, 'a');
  });

  it('that the server rejects is an error like any other, and is retried like any other', async () => {
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

  it('that breaks returns what was received, then fails; it is not restarted', async () => {
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

  it('is rejected as lines if it is not text', async () => {
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, jsonl).end(Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    });
    await using svc = createClient(server);
    const read = async () => {
      for await (const _ of svc.stream(reading).lines());
    };
    await assert.rejects(read(), ResponseError);
  });

  it('is rejected as lines at once if one is longer than any that the server writes', async () => {
    let sent = 0;
    await using server = await startScriptedServer((response) => {
      response.writeHead(200, jsonl);
      const piece = Buffer.alloc(256 * 1024, 'x');
      const write = () => {
        sent += piece.length;
        if (!response.destroyed) response.write(piece, () => setImmediate(write));
      };
      write();
    });
    await using svc = createClient(server);
    const read = async () => {
      for await (const _ of svc.stream(reading).lines());
    };
    await assert.rejects(
      read(),
      (error) => ResponseError.isInstance(error) && /longer than 16 MiB/.test(error.message),
    );
    assert.ok(sent < 40 * 1024 * 1024);
  });

  it('reads each byte of a long line once', async () => {
    const pieces = 100_000;
    let searched = 0;
    class Counting extends Uint8Array {
      override indexOf(value: number, from?: number): number {
        searched += this.length - (from ?? 0);
        return super.indexOf(value, from);
      }
    }
    async function* cut(): AsyncGenerator<Uint8Array> {
      for (let piece = 0; piece < pieces; piece += 1) yield new Counting(Buffer.alloc(100, 'x'));
      yield new Counting(Buffer.from('\nlast'));
    }
    const lengths: number[] = [];
    for await (const line of splitLines(cut(), (message) => new Error(message))) lengths.push(line.length);
    assert.deepEqual(lengths, [pieces * 100, 4]);
    assert.ok(searched < pieces * 100 + 20, `${searched} bytes looked at`);
  });

  it('returns the same lines however its bytes are split (property)', async () => {
    const text = fc.array(fc.constantFrom('a', 'ä', '😀', '\n', '\r', '\u2028', ' ')).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(40)), async (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        async function* cut(): AsyncGenerator<Uint8Array> {
          for (let at = 1; at < places.length; at += 1) yield bytes.subarray(places[at - 1], places[at]);
        }
        const lines: string[] = [];
        for await (const line of splitLines(cut(), (message) => new Error(message))) lines.push(line);
        const expected = whole.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
        if (expected.at(-1) === '') expected.pop();
        assert.deepEqual(lines, expected);
      }),
    );
  });

  it('is rejected if its content type is unexpected, and its connection is closed', async () => {
    for (const type of ['text/html', 'text/plain', 'application/jsonp', undefined]) {
      const closed = Promise.withResolvers<void>();
      await using server = await startScriptedServer((response) => {
        if (type !== undefined) response.setHeader('content-type', type);
        response.on('close', closed.resolve).write('<html>Sign in\n');
      });
      await using svc = createClient(server);
      await assert.rejects(
        Promise.resolve(svc.stream(reading)),
        (error) => ResponseError.isInstance(error) && error.status === 200 && error.contentType === (type ?? null),
      );
      await closed.promise;
    }
  });

  it('that is never read is closed after the timeout of an attempt, with its connection', async () => {
    const runtime = new TestRuntime();
    const closed = Promise.withResolvers<void>();
    await using server = await startScriptedServer((response) => {
      sendRaw(response, begin).on('close', closed.resolve);
    });
    await using svc = createClient(server, { runtime, timeout: 5000 });
    const stream = await svc.stream(reading);
    runtime.advance(5000);
    await closed.promise;
    const read = async () => {
      for await (const _ of stream);
    };
    await assert.rejects(read(), TimeoutError);
    assert.equal(runtime.pending, 0);
  });

  it('may be read arbitrarily slowly', async () => {
    const runtime = new TestRuntime();
    const release = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (response) => {
      response.writeHead(200, jsonl).write('first\n');
      await release.promise;
      response.end('second\n');
    });
    await using svc = createClient(server, { runtime, timeout: 5000 });
    const lines: string[] = [];
    for await (const line of svc.stream(reading).lines()) {
      runtime.advance(60_000);
      release.resolve();
      lines.push(line);
    }
    assert.deepEqual(lines, ['first', 'second']);
  });

  it('is closed with its client, read or not, so that nothing keeps the client open', async () => {
    await using server = await startScriptedServer((response) => {
      sendRaw(response, begin);
    });
    const svc = createClient(server);
    await svc.stream(reading);
    const taken = (await svc.withOptions({ tenant: 'second' }).stream(reading)).lines()[Symbol.asyncIterator]();
    assert.equal((await taken.next()).value, 'first');
    const next = taken.next();
    const rejected = assert.rejects(
      next,
      (error) => AbortError.isInstance(error) && /closed/.test(String(error.cause)),
    );
    await svc.close();
    await rejected;
  });

  it('that starts after its client was closed is closed immediately', async () => {
    const arrived = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (response) => {
      arrived.resolve();
      await leave.promise;
      sendRaw(response, begin);
    });
    const svc = createClient(server);
    const opening = svc.stream(reading);
    const read = async () => {
      for await (const _ of opening);
    };
    const rejected = assert.rejects(read(), AbortError);
    await arrived.promise;
    const closed = svc.close();
    leave.resolve();
    await rejected;
    await closed;
  });

  it('that falls silent is closed after the timeout of an attempt', async () => {
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

  it('is aborted by the signal while it is read, and leaves no listener', async () => {
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
    canceled: (stream) => stream.cancel(),
    'disposed of': async (stream) => stream[Symbol.asyncDispose](),
  })) {
    it(`that is ${how} closes its connection and leaves no listener`, async () => {
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

  it('requests JSON Lines, and errors in JSON', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, {}));
    await using svc = createClient(server);
    await (await svc.stream(reading)).cancel();
    assert.equal(server.received[0]?.headers.accept, 'application/jsonl, application/json');
  });
});
