import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Received, sendError, sendJson, startScriptedServer } from '../node/scripted-server.ts';

const json = { 'content-type': 'application/json' };

/** The server that the scenario for all runtimes calls. */
export async function startScenarioServer() {
  const keys: (string | undefined)[] = [];
  const server = await startScriptedServer((response, request) => {
    if (request.path === '/v1/consent/busy/records') {
      keys.push(request.headers['idempotency-key'] as string | undefined);
      if (keys.length % 2 === 1) return sendError(response, 503, 'unavailable', { 'retry-after': '0' });
      return sendJson(response, 201, { data: JSON.parse(request.body) }, { 'set-cookie': 'a=b' });
    }
    return answer(response, request);
  });
  return { server, keys };
}

function answer(response: ServerResponse, request: Received): void {
  const [path = '', query = ''] = request.path.split('?');
  const authorization = String(request.headers.authorization);
  const answers: Readonly<Record<string, () => unknown>> = {
    '/v1/consent/paged/records': () =>
      query.includes('cursor=next')
        ? sendJson(response, 200, { data: { data: [3], page: { nextCursor: null, total: 3 } } })
        : sendJson(response, 200, { data: { data: [1, 2], page: { nextCursor: 'next', total: 3 } } }),
    '/v1/consent': () => sendJson(response, 200, { data: { data: [query], page: { nextCursor: null, total: 1 } } }),
    '/v1/hangs': () => {},
    '/v1/stalls': () => response.writeHead(200, { ...json, 'content-length': 100 }).write('{"data":'),
    '/v1/missing/secret-path': () => sendError(response, 404, 'not_found', { 'svc-request-id': 'r' }),
    '/v1/echo': () => sendError(response, 500, authorization, { 'x-echo': authorization }),
    '/v1/html': () => response.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>${authorization}</h1>`),
    '/v1/redirect': () => response.writeHead(302, { location: '/v1/agent' }).end(),
    '/v1/large': () => sendJson(response, 200, { data: 'x'.repeat(5000) }),
    '/v1/invalid-utf8': () => response.writeHead(200, json).end(Buffer.from('{"data":"\xff"}', 'latin1')),
    '/v1/gzip': () =>
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{"data":"unpacked"}')),
    '/v1/broken-gzip': () => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('not gzip at all'),
    '/v1/resets/secret-path': () => response.socket?.resetAndDestroy(),
    '/v1/lines': () => response.writeHead(200, { 'content-type': 'application/jsonl' }).end('{"n":1}\n{"n":2}\n'),
    '/v1/endless': () => {
      response.writeHead(200, { 'content-type': 'application/jsonl' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', write);
      write();
    },
    '/v1/cut': () => {
      response.writeHead(200, { 'content-type': 'application/jsonl', 'content-length': 100 });
      response.write('{"n":1}\n', () => response.socket?.resetAndDestroy());
    },
    '/v1/upload': () => sendJson(response, 200, { data: [request.headers['content-type'], request.body] }),
    '/oauth/token': () =>
      sendJson(response, 200, { access_token: 'svc_at_1', token_type: 'Bearer', expires_in: 60, given: authorization }),
    '/v1/token': () => sendJson(response, 200, { data: authorization }),
    '/v1/agent': () => sendJson(response, 200, { data: request.headers['user-agent'] }),
  };
  (answers[path] ?? (() => sendError(response, 400, 'unknown_path')))();
}
