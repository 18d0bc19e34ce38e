import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { findFreePort } from '../../../tools/test/postgres.ts';
import { type RunningProxy, requireNewNginx, requireProgram, startProxy } from '../../../tools/test/proxies.ts';
import { base } from '../controls/helpers.ts';
import { evidenceItem, ownControl } from '../controls/samples.ts';
import { noticeContent, startTestServer, type TestServer } from '../harness.ts';
import { makeCertificate } from '../webhooks/make-certificate.ts';
import { host, page, readRecipe, replace } from './recipe.ts';

const origin = `https://${host}`;
const certificate = makeCertificate({ name: host });
/** Another address of this machine than that of the proxy, so that the two cannot be confused. */
const clientAddress = '127.0.0.2';
const mebibyte = 1024 * 1024;
/** Large enough to be compressed. */
const longNotice = {
  ...noticeContent,
  purposes: noticeContent.purposes.map((one) => ({ ...one, description: 'Long. '.repeat(100) })),
};

interface Starting {
  readonly upstream: number;
  /** For plain http. */
  readonly plainPort: number;
  /** The proxy compresses instead of the server. */
  readonly compresses: boolean;
}

type Start = (program: string, starting: Starting) => Promise<RunningProxy>;

/** @param isNew uses the directive of nginx 1.25.1 and later, which the page describes below the recipe. */
const startNginx =
  (isNew: boolean): Start =>
  (program, { upstream, plainPort, compresses }) =>
    startProxy(
      program,
      (folder, port) => {
        let server = readRecipe('/etc/nginx/sites-available/svc');
        assert.ok(page.includes('From nginx 1.25.1 on, write `http2 on;` instead of `http2` behind `listen`.'));
        if (isNew) {
          server = replace(server, ' ssl http2;', ' ssl;');
          server = replace(server, 'ssl_certificate ', 'http2 on; ssl_certificate ');
        }
        server = replace(server, /^ *listen \[::\].*\n/, '');
        server = replace(server, 'listen 443', `listen 127.0.0.1:${port}`);
        server = replace(server, 'listen 80', `listen 127.0.0.1:${plainPort}`);
        server = replace(server, '127.0.0.1:8787', `127.0.0.1:${upstream}`);
        server = replace(server, `/etc/letsencrypt/live/${host}/fullchain.pem`, join(folder, 'cert.pem'));
        server = replace(server, `/etc/letsencrypt/live/${host}/privkey.pem`, join(folder, 'key.pem'));
        const compression =
          'gzip on; gzip_proxied any; gzip_types application/json; proxy_set_header Accept-Encoding "";';
        if (compresses) server = replace(server, 'gzip off;', compression);
        const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
        const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
        const main = `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}\n}\n`;
        return { 'nginx.conf': main, 'cert.pem': certificate.cert, 'key.pem': certificate.key };
      },
      (folder) => ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    );

const startCaddy: Start = (program, { upstream, plainPort, compresses }) =>
  startProxy(
    program,
    (folder, port) => {
      let site = readRecipe('/etc/caddy/Caddyfile');
      site = replace(site, '127.0.0.1:8787', `127.0.0.1:${upstream}`);
      const proxied = `reverse_proxy 127.0.0.1:${upstream}`;
      const compression = `encode gzip\n\t${proxied} {\n\t\theader_up -Accept-Encoding\n\t}`;
      if (compresses) site = replace(site, proxied, compression);
      // A certificate of its own instead of one that it fetches.
      site = replace(site, `${host} {`, `${host} {\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem`);
      const global = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n}\n`;
      return { Caddyfile: global + site, 'cert.pem': certificate.cert, 'key.pem': certificate.key };
    },
    (folder) => ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
  );

const proxies: Readonly<Record<string, { readonly find: () => string | undefined; readonly start: Start }>> = {
  nginx: { find: () => requireProgram('nginx'), start: startNginx(false) },
  'nginx with `http2 on;`': { find: requireNewNginx, start: startNginx(true) },
  caddy: { find: () => requireProgram('caddy'), start: startCaddy },
};

for (const [name, { find, start }] of Object.entries(proxies)) {
  const program = find();
  for (const compresses of [false, true])
    describe(`behind ${name}, with the configuration in the documentation${compresses ? ', but compressing' : ''}`, {
      skip: program === undefined && `no ${name}`,
    }, () => {
      let server: TestServer;
      let proxy: RunningProxy;
      let plainPort: number;
      before(async () => {
        server = await startTestServer('sqlite', { SVC_BASE_URL: origin, SVC_TRUSTED_PROXIES: '1' });
        plainPort = await findFreePort();
        proxy = await start(program as string, { upstream: Number(new URL(server.url).port), plainPort, compresses });
      });
      after(async () => {
        await proxy?.[Symbol.asyncDispose]();
        await server?.[Symbol.asyncDispose]();
      });

      /** Sends a request as a browser does: with TLS, compression, and a forged address. */
      async function send(
        method: string,
        path: string,
        options: {
          readonly headers?: Record<string, string>;
          readonly body?: unknown;
          readonly bytes?: Buffer;
          readonly isPublic?: boolean;
        } = {},
      ) {
        const { headers = {}, body, bytes, isPublic = false } = options;
        const sent = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
        const request = httpsRequest({
          host: '127.0.0.1',
          port: proxy.port,
          localAddress: clientAddress,
          servername: host,
          ca: certificate.cert,
          method,
          path,
          agent: false,
          headers: {
            Host: host,
            'Accept-Encoding': 'gzip',
            'X-Forwarded-For': '203.0.113.9',
            ...(sent !== undefined && { 'Content-Type': 'application/json', 'Content-Length': String(sent.length) }),
            ...(!isPublic && { Authorization: `Bearer ${server.tenant.key}` }),
            ...headers,
          },
        });
        request.end(sent);
        const [response] = await once(request, 'response');
        const received = await buffer(response);
        const isCompressed = response.headers['content-encoding'] === 'gzip';
        const content = isCompressed ? gunzipSync(received) : received;
        const isJson = /json/.test(response.headers['content-type'] ?? '') && content.length > 0;
        return {
          status: response.statusCode as number,
          headers: response.headers as IncomingHttpHeaders,
          content,
          isCompressed,
          // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
          data: (isJson ? JSON.parse(content.toString()).data : null) as any,
          text: content.toString(),
        };
      }

      test('a notice is saved and published, and a stale one is refused', async () => {
        const created = await send('POST', '/v1/consent/notices', { body: longNotice });
        assert.equal(created.status, 201, created.text);
        const path = `/v1/consent/${created.data.id}`;
        const read = await send('GET', path);
        assert.ok(read.isCompressed);
        const stale = String(read.headers.etag);
        const saved = await send('PATCH', path, { body: { name: 'Shop' }, headers: { 'If-Match': stale } });
        assert.equal(saved.status, 200, saved.text);
        const refused = await send('PATCH', path, { body: { name: 'Blog' }, headers: { 'If-Match': stale } });
        assert.equal(refused.status, 409, refused.text);
        const { headers } = await send('GET', path);
        const published = await send('POST', `${path}/publish`, { headers: { 'If-Match': String(headers.etag) } });
        assert.equal(published.status, 200, published.text);
        const shown = await send('GET', `/v1/public/consent/${created.data.id}`, { isPublic: true });
        assert.equal(shown.data.id, created.data.id);
        const unchanged = await send('GET', `/v1/public/consent/${created.data.id}`, {
          isPublic: true,
          headers: { 'If-None-Match': String(shown.headers.etag) },
        });
        assert.equal(unchanged.status, 304);
      });

      test('a file of 25 MiB is uploaded and downloaded', async () => {
        const bytes = randomBytes(25 * mebibyte);
        const control = await send('POST', `${base}/controls`, { body: ownControl() });
        const about = new URLSearchParams({ ...evidenceItem, name: 'export.bin' });
        const path = `${base}/controls/${control.data.id}/evidence`;
        const uploaded = await send('POST', `${path}/files?${about}`, {
          bytes,
          headers: { 'Content-Type': 'application/octet-stream' },
        });
        assert.equal(uploaded.status, 201, uploaded.text);
        const { content } = await send('GET', `${path}/${uploaded.data.id}/file`);
        assert.ok(content.equals(bytes));
      });

      test('a member signs in, and another site cannot use the session', async () => {
        const { email, password } = await server.createMember();
        const body = { email, password, tenant: server.tenant.slug };
        const signedIn = await send('POST', '/v1/auth/sign-in', { isPublic: true, body, headers: { Origin: origin } });
        assert.equal(signedIn.status, 200, signedIn.text);
        const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
        assert.match(cookie, /^__Host-svc_session=.*; secure/i);
        const Cookie = cookie.split(';')[0] as string;
        const me = await send('GET', '/v1/me', { isPublic: true, headers: { Cookie } });
        assert.equal(me.status, 200, me.text);
        const change = (from: string) =>
          send('POST', '/v1/consent/notices', { isPublic: true, body: longNotice, headers: { Cookie, Origin: from } });
        assert.equal((await change('https://evil.example')).status, 403);
        assert.equal((await change(origin)).status, 201);
      });

      test('a visitor’s decision is recorded with the address of the client, whatever it claims', async () => {
        const id = await server.createNotice();
        const body = { subjectId: 'visitor-1', purposes: { necessary: true, analytics: true, marketing: false } };
        const capture = (from: string) =>
          send('POST', `/v1/public/consent/${id}/records`, { isPublic: true, body, headers: { Origin: from } });
        assert.equal((await capture('https://other.example')).status, 403);
        const captured = await capture('https://example.com');
        assert.equal(captured.status, 201, captured.text);
        assert.equal(captured.headers['access-control-allow-origin'], '*');
        const { data } = await send('GET', `/v1/consent/${id}/records`);
        const { hasher } = server.installation;
        assert.deepEqual(
          data.data.map((record: { ipHash: string }) => record.ipHash),
          [hasher.hash(server.tenant.id, clientAddress)],
        );
      });

      test('clients can use HTTP/2', async () => {
        const options = { host: '127.0.0.1', port: proxy.port, servername: host, ca: certificate.cert };
        const socket = connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
        await once(socket, 'secureConnect');
        assert.equal(socket.alpnProtocol, 'h2');
        socket.destroy();
      });

      test('SCIM resources have the public address', async () => {
        const token = await server.createScimToken();
        const { status, text } = await send('GET', '/scim/v2/ResourceTypes', {
          headers: { Authorization: `Bearer ${token}` },
        });
        assert.equal(status, 200);
        assert.ok(text.includes(`${origin}/scim/v2/`), text);
      });

      test('plain http leads to https, and the browser is told to use nothing else', async () => {
        const request = httpRequest({
          host: '127.0.0.1',
          port: plainPort,
          path: '/app/',
          headers: { Host: host },
        }).end();
        const [response] = await once(request, 'response');
        response.resume();
        assert.ok([301, 308].includes(response.statusCode));
        assert.match(response.headers.location, /^https:\/\/consent\.example\.com(?::\d+)?\/app\/$/);
        const { headers } = await send('GET', '/.well-known/svc-ledger-key', { isPublic: true });
        assert.equal(headers['strict-transport-security'], 'max-age=31536000');
      });
    });
}
