import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { OutsideFault, postOutside } from '../../proofs/post-outside.ts';

/** The address of a service that answers with these bytes. */
async function startService(context: TestContext, answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const post = (url: string) => postOutside(url, { body: 'x', type: 'text/plain', signal: new AbortController().signal });

describe('a request to a timestamp authority or a witness', () => {
  test('skips interim responses that no one asked for', async (context) => {
    const goesOn = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2);
    const url = await startService(
      context,
      `${goesOn}HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok`,
    );
    const { status, type, body } = await post(url);
    assert.deepEqual([status, type, body.toString()], [200, 'text/plain', 'ok']);
  });

  test('fails after a 101', async (context) => {
    await assert.rejects(post(await startService(context, 'HTTP/1.1 101 X\r\n\r\n')), OutsideFault);
  });
});
