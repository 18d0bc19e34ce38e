// Answers every request with the same JSON, as quickly as node:http can: what clients are measured against.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './answer.ts';

const record = {
  id: '01a1ff66-d550-7000-b33e-22ae4b47d1a5',
  noticeId: '01a1ff66-d532-7000-92de-84e4d6d39285',
  noticeVersion: 1,
  subjectId: 'ada@example.com',
  purposes: { necessary: true, analytics: false, marketing: true },
  ledgerHash: `sha256:${'0'.repeat(64)}`,
  prevLedgerHash: `sha256:${'1'.repeat(64)}`,
};
const body = Buffer.from(JSON.stringify({ data: record }));
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': body.length,
  'svc-request-id': 'a7b8',
  'svc-version': '2026-11-01',
};
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');

answerQuestions(() => (server.address() as AddressInfo).port);
