// The scenario that the release tests run with the SDK in every runtime, in JavaScript that all of them read.
import { ConsentNotices, ConsentRecords, SvcClient, SvcError } from '@svc/node-sdk';

const key = 'svc_test_0123456789abcdefghijklmnopqrstuvwxyzABC';

/** @returns what happened, which is the same in every runtime. */
export async function play(baseUrl, closedUrl) {
  const base = { baseUrl, apiKey: key, retryBudget: null };
  const client = new SvcClient(base);
  const records = new ConsentRecords(client);
  const fail = async (call) => {
    const error = await call.then(
      (data) => new Error(`resolved with ${JSON.stringify(data)}`),
      (reason) => reason,
    );
    if (!SvcError.isInstance(error)) return String(error?.stack ?? error);
    const shown = `${error.message} ${JSON.stringify(error)} ${error.cause?.message} ${JSON.stringify(error.cause ?? '')}`;
    const { name, code, attempts, status = null, requestId = null } = error;
    return { name, code, attempts, status, requestId, leaks: shown.includes(key) || shown.includes('secret-path') };
  };
  const get = (path, options = {}) =>
    new SvcClient({ ...base, ...options }).request({ id: 'read', method: 'GET', path });
  const once = { retries: 0 };
  const results = {};

  results.list = await records.list('paged').toArray({ limit: 10 });
  const notices = await new ConsentNotices(client).list({ status: 'draft' });
  results.notices = notices.items;

  const capture = records.capture('busy', { subjectId: 'ada', purposes: { analytics: true } });
  const { data, response } = await capture.withResponse();
  results.capture = {
    data,
    attempts: response.attempts,
    status: response.status,
    cookies: 'set-cookie' in response.headers,
  };

  results.deadline = await fail(get('/v1/hangs', { deadline: 300 }));
  results.timeout = await fail(get('/v1/stalls', { ...once, timeout: 300 }));
  results.notFound = await fail(get('/v1/missing/secret-path'));
  results.echo = await fail(get('/v1/echo', once));
  results.html = await fail(get('/v1/html', once));
  results.redirect = await fail(get('/v1/redirect', once));
  results.large = await fail(get('/v1/large', { ...once, maxResponseBytes: 1000 }));
  results.invalid = await fail(get('/v1/invalid-utf8', once));
  results.gzip = await get('/v1/gzip');
  results.broken = await fail(get('/v1/broken-gzip', once));
  results.reset = await fail(get('/v1/resets/secret-path', once));
  results.refused = await fail(get('/v1/secret-path', { ...once, baseUrl: closedUrl }));

  const controller = new AbortController();
  const hooks = { onRequest: () => setTimeout(() => controller.abort(new Error('left')), 20) };
  const aborted = new SvcClient({ ...base, hooks });
  results.abort = await fail(
    aborted.request({ id: 'read', method: 'GET', path: '/v1/hangs' }, { signal: controller.signal }),
  );

  const stream = await client.stream({ id: 'export', method: 'GET', path: '/v1/lines' });
  results.lines = 0;
  for await (const line of stream.lines()) results.lines += JSON.parse(line).n;
  const long = await client.stream({ id: 'export', method: 'GET', path: '/v1/endless' });
  let bytes = 0;
  for await (const chunk of long) {
    bytes += chunk.length;
    if (bytes > 400_000) break;
  }
  results.cancelled = bytes > 400_000;
  results.interrupted = await fail(
    (async () => {
      const cut = await client.stream({ id: 'export', method: 'GET', path: '/v1/cut' });
      for await (const _ of cut.lines());
    })(),
  );

  const upload = (content) =>
    client.request({
      id: 'upload',
      method: 'PUT',
      path: '/v1/upload',
      file: { mediaType: 'text/plain', read: () => content },
    });
  async function* parts() {
    yield new TextEncoder().encode('one ');
    yield new TextEncoder().encode('two');
  }
  results.uploads = [
    await upload('text é'),
    await upload(new TextEncoder().encode('bytes')),
    await upload(new Blob(['blob'])),
    await upload(parts()),
  ];
  const oauth = new SvcClient({ baseUrl, oauth: { clientId: 'id', clientSecret: key } });
  results.oauth = await oauth.request({ id: 'read', method: 'GET', path: '/v1/token' });
  results.agent = (await client.request({ id: 'read', method: 'GET', path: '/v1/agent' })).split(' ')[0];
  await client.close();
  results.closed = await fail(client.request({ id: 'read', method: 'GET', path: '/v1/agent' }));
  return results;
}
