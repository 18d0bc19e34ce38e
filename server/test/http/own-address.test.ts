import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOwnAddress } from '../../http/request.ts';

describe('the address of the server for a client', () => {
  test('is the configured public one, whatever the client sent', () => {
    assert.equal(readOwnAddress('https://svc.example.com', { host: 'evil.test' }), 'https://svc.example.com');
  });

  test('is the requested host, if it is valid', () => {
    for (const host of ['localhost:8787', 'svc.example.com', '127.0.0.1', '[::1]:80'])
      assert.equal(readOwnAddress(null, { host }), `http://${host}`);
    for (const host of [undefined, '', 'a b', 'a/b', 'user@a', '"><script>', '-a', 'a:b', '[x]', 'a\n'])
      assert.throws(() => readOwnAddress(null, { host }), { code: 'validation_failed' });
  });
});
