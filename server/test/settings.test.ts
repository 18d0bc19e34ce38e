import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeSettings, readSettings, SettingsError } from '../settings.ts';
import { createLocation } from './harness.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Each variable, with a value, the settings that it makes, and further values that are accepted or rejected. */
const variables: readonly (readonly [name: string, value: string, settings: object, good: string, bad: string])[] = [
  ['PORT', '0', { port: 0 }, '65535', '-1 65536 80.5 http 1e9 Infinity'],
  ['HOST', '::1', { host: '::1' }, '', ''],
  [
    ...(['SVC_BASE_URL', 'https://privacy.example.com/', { baseUrl: 'https://privacy.example.com' }] as const),
    'http://localhost:1 https://Example.com:443/',
    'example.com ftp://example.com /demo javascript:alert(1) https://a.example/svc https://a.example/?',
  ],
  ['SVC_DATA_DIR', 'elsewhere', { dataDir: resolve('elsewhere') }, '', ''],
  [
    ...(['DATABASE_URL', 'postgres://svc:secret@h/d', { databaseUrl: 'postgres://svc:secret@h/d' }] as const),
    'postgres://h/d postgresql://h/d',
    'mysql://h/d svc.sqlite http://h',
  ],
  ['SVC_DATABASE_SECONDS', '30', { databaseSeconds: 30 }, '1 300', '0 301 x'],
  ['SVC_DATABASE_WAIT_SECONDS', '31', { databaseWait: 31_000 }, '0 3600', '-1 3601 x'],
  ['SVC_DATABASE_POOL', '20', { databasePool: 20 }, '2 500', '1 501 many'],
  [
    'DATABASE_READ_URL',
    'postgres://svc:secret@s/d',
    { replica: { url: 'postgres://svc:secret@s/d' } },
    '',
    'mysql://h/d',
  ],
  ['SVC_READ_LAG_SECONDS', '7', { replica: { longestLag: 7000 } }, '0 3600', '-1 3601 x'],
  ['SVC_SECRET', 's'.repeat(32), { secret: 's'.repeat(32) }, '', 'x'.repeat(31)],
  ['SVC_TRUSTED_PROXIES', '2', { trustedProxies: 2 }, '0 10', '-1 11 all'],
  ['SVC_REGION_HEADER', 'X-Country, X-Subdivision', { regionHeaders: ['x-country', 'x-subdivision'] }, '', ''],
  ['SVC_LOG_LEVEL', 'silent', { logLevel: 'silent' }, 'fatal error warn info debug', 'trace INFO loud'],
  ['SVC_LOG_REQUESTS', 'true', { logsRequests: true }, 'false 1 0 yes no on off', '2 maybe'],
  ['SVC_METRICS_PORT', '9464', { metrics: { port: 9464 } }, '0 65535 tcp://10.96.0.7:9464', '-1 65536 80.5 http'],
  ['SVC_METRICS_HOST', '::1', { metrics: { host: '::1' } }, '', ''],
  ['SVC_LIMIT_API_KEY', '1', { limits: { apiKey: 1 } }, '1000000000', '0 -5 none'],
  ['SVC_LIMIT_TENANT', '14', { limits: { tenant: 14 } }, '1', '0'],
  ['SVC_LIMIT_VISITOR', '6', { limits: { visitor: 6 } }, '1', '0'],
  ['SVC_LIMIT_CAPTURE_NOTICE', '2', { limits: { captureNotice: 2 } }, '1', '0'],
  ['SVC_LIMIT_CAPTURE_CLIENT', '3', { limits: { captureClient: 3 } }, '1', '0'],
  ['SVC_LIMIT_SIGN_IN', '4', { limits: { signIn: 4 } }, '1 1000000000', '0 1000000001 off'],
  ['SVC_LIMIT_SCIM', '5', { limits: { scim: 5 } }, '1 1000000000', '0 1000000001 off'],
  ['SVC_LIMIT_EXPORTS', '9', { concurrentExports: 9 }, '1 1000000000', '0 1000000001 off'],
  ['SVC_EVIDENCE_MIB', '13', { evidenceQuota: 13 * 1024 * 1024 }, '', ''],
  ['SVC_MAX_CONNECTIONS', '10', { maxConnections: 10 }, '1 1000000', '0 1000001 all'],
  ['SVC_MAX_CONNECTIONS_ADDRESS', '3', { maxConnectionsOfAddress: 3 }, '1 1000000', '0 1000001 all'],
  ['SVC_KEEP_ALIVE_SECONDS', '11', { keepAlive: 11_000 }, '1 3600', '0 3601 0.5'],
  ['SVC_STOP_SECONDS', '12', { stopWithin: 12_000 }, '1 3600', '0 3601 never'],
  ['SVC_CHECKPOINT_MINUTES', '8', { checkpointInterval: 8 * minute }, '1 1440', '0 1441 0.5 never'],
  ['SVC_TIMESTAMP_URL', 'https://tsa.example.com/tsr', { timestamps: { url: 'https://tsa.example.com/tsr' } }, '', ''],
  ['SVC_TIMESTAMP_CA', 'tsa.pem', { timestamps: { authorityFile: resolve('tsa.pem') } }, '', ''],
  ['SVC_WITNESS_POLICY', 'policy', { witnessPolicy: resolve('policy') }, '', ''],
  ['SVC_VERIFY_HOURS', '9', { verifyInterval: 9 * hour }, '0 8760', '-1 8761 0.5 never'],
  [
    ...([
      'SVC_BACKUP_TO',
      's3://backups-of-svc/first/second/',
      {
        backup: {
          target: {
            kind: 's3',
            bucket: 'backups-of-svc',
            prefix: 'first/second',
            endpoint: 'https://s3.example.com',
            region: 'eu-central-1',
            accessKeyId: 'a key',
            secretAccessKey: 'its secret',
          },
        },
      },
    ] as const),
    '/var/backups/svc backups ./backups',
    's3:bucket s3://b s3://UPPER s3://bucket/a?b https://bucket.example.com file:///var/backups',
  ],
  ['SVC_BACKUP_HOURS', '6', { backup: { interval: 6 * hour } }, '0 8760', '-1 8761 0.5 daily'],
  ['SVC_BACKUP_KEEP', '3', { backup: { keep: 3 } }, '1 10000', '0 10001 all'],
  ['SVC_BACKUP_KEEP_DAYS', '30', { backup: { keepFor: 30 * 24 * hour } }, '0 36500', '-1 36501 forever'],
  ['SVC_BACKUP_AGE_RECIPIENTS', 'age1one, age1two', { backup: { recipients: ['age1one', 'age1two'] } }, '', ''],
  ['SVC_BACKUP_AGE_IDENTITY_FILE', 'key.txt', { backup: { identityFile: resolve('key.txt') } }, '', ''],
  ['SVC_BACKUP_REHEARSE_DAYS', '7', { backup: { rehearsalInterval: 7 * 24 * hour } }, '0 366', '-1 367 weekly'],
  ['SVC_BACKUP_S3_ENDPOINT', 'https://s3.example.com', {}, 'http://127.0.0.1:9000', 's3.example.com https://s3/bucket'],
  ['SVC_BACKUP_S3_REGION', 'eu-central-1', {}, 'auto', 'EU eu_1 a/b'],
  ['SVC_BACKUP_S3_ACCESS_KEY_ID', 'a key', {}, '', ''],
  ['SVC_BACKUP_S3_SECRET_ACCESS_KEY', 'its secret', {}, '', ''],
  [
    ...(['SVC_WEBHOOK_ALLOW_PRIVATE', 'true', { webhooks: { allowPrivate: true } }] as const),
    'false 1 0 yes no on off',
    '2 maybe allow null',
  ],
  ['SVC_SESSION_IDLE_MINUTES', '6', { sessionLifetime: { idle: 6 * minute } }, '1 1440', '0 1441 0.5 never'],
  ['SVC_SESSION_HOURS', '7', { sessionLifetime: { absolute: 7 * hour } }, '1 720', '0 721 0.5 never'],
];
const names = variables.map(([name]) => name);

const defaults = {
  port: 8787,
  host: '127.0.0.1',
  baseUrl: null,
  dataDir: resolve('data'),
  databaseUrl: null,
  databaseSeconds: 10,
  databaseWait: minute,
  databasePool: 10,
  replica: null,
  secret: null,
  trustedProxies: 0,
  regionHeaders: [],
  logLevel: 'info',
  logsRequests: false,
  metrics: null,
  limits: { apiKey: 600, tenant: 6000, visitor: 6000, captureNotice: 600, captureClient: 60, signIn: 10, scim: 1200 },
  evidenceQuota: 5 * 1024 ** 3,
  concurrentExports: 16,
  maxConnections: 10_000,
  maxConnectionsOfAddress: 1000,
  keepAlive: 65_000,
  stopWithin: 25_000,
  webhooks: { allowPrivate: false },
  checkpointInterval: 60 * minute,
  timestamps: { url: null, authorityFile: null },
  witnessPolicy: null,
  verifyInterval: 24 * hour,
  backup: null,
  sessionLifetime: { idle: 60 * minute, absolute: 24 * hour },
};

/** The variables that an error names. */
function refusedNames(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(':')[0] as string);
  }
}

describe('the settings', () => {
  test('need no variables', () => {
    assert.deepEqual(readSettings({}), defaults);
  });

  test('treat an empty variable as absent', () => {
    assert.deepEqual(readSettings(Object.fromEntries(names.map((name) => [name, '']))), defaults);
  });

  test('ignore other variables', () => {
    const ofClients = ['SVC_API_KEY', 'SVC_SCIM_TOKEN', 'SVC_WEBHOOK_SECRET', 'SVC_WEBHOOK_SECRET_OLD'];
    // Kubernetes sets these for the Services svc and svc-web.
    const ofServices = ['SVC_SERVICE_HOST', 'SVC_SERVICE_PORT_HTTP', 'SVC_PORT', 'SVC_WEB_PORT_8787_TCP_ADDR'];
    const others = Object.fromEntries([...ofClients, ...ofServices].map((name) => [name, 'x']));
    assert.deepEqual(readSettings({ PATH: '/bin', HOME: undefined, ...others }), defaults);
  });

  test('refuse a misspelled variable, and name the one that is meant', () => {
    const reject = (name: string, value: string, message: RegExp) =>
      assert.throws(() => readSettings({ [name]: value }), { name: 'SettingsError', message });
    reject('SVC_TRUSTED_PROXY', '1', /SVC_TRUSTED_PROXY: is no setting; did you mean SVC_TRUSTED_PROXIES\?/);
    reject('SVC_DATADIR', '/data', /SVC_DATADIR: is no setting; did you mean SVC_DATA_DIR\?/);
    reject('SVC_SOMETHING_ELSE', '1', /SVC_SOMETHING_ELSE: is no setting; svc serve --help lists them/);
    reject('SVC_SECRET_FILES', '1', /SVC_SECRET_FILES: is no setting/);
    reject(`SVC_${'X'.repeat(100_000)}`, '1', /SVC_X{60}: is no setting/);
  });

  test('read secrets from files, without the end of the last line', async () => {
    await using location = await createLocation('sqlite');
    const file = (name: string, text: string) => {
      const path = join(location.environment.SVC_DATA_DIR as string, name);
      writeFileSync(path, text);
      return path;
    };
    const secret = 's'.repeat(32);
    const databaseUrl = 'postgres://svc:secret@db.example.com/svc';
    const settings = readSettings({
      SVC_SECRET_FILE: file('secret', `${secret}\n`),
      DATABASE_URL_FILE: file('url', `${databaseUrl}\r\n`),
    });
    assert.deepEqual({ secret: settings.secret, databaseUrl: settings.databaseUrl }, { secret, databaseUrl });
    assert.deepEqual(refusedNames({ SVC_SECRET_FILE: file('short', 'short') }), ['SVC_SECRET']);
    assert.deepEqual(refusedNames({ SVC_SECRET: secret, SVC_SECRET_FILE: file('secret', secret) }), [
      'SVC_SECRET_FILE',
    ]);
    assert.deepEqual(refusedNames({ SVC_SECRET_FILE: join(location.environment.SVC_DATA_DIR as string, 'none') }), [
      'SVC_SECRET_FILE',
    ]);
  });

  test('accept every variable', () => {
    const expected: Record<string, unknown> = { ...defaults };
    for (const [, , settings] of variables)
      for (const [name, value] of Object.entries(settings)) {
        const isGroup = typeof value === 'object' && !Array.isArray(value);
        expected[name] = isGroup ? { ...(expected[name] as object), ...value } : value;
      }
    assert.deepEqual(readSettings(Object.fromEntries(variables.map(([name, value]) => [name, value]))), expected);
  });

  test('are accepted at the limits of their ranges and rejected beyond, by name', () => {
    const list = (texts: string) => texts.split(' ').filter(Boolean);
    for (const [name, , , good, bad] of variables) {
      for (const value of list(good)) assert.deepEqual(refusedNames({ [name]: value }), [], `${name}=${value}`);
      for (const value of list(bad)) assert.deepEqual(refusedNames({ [name]: value }), [name], `${name}=${value}`);
    }
  });

  test('refuse a timestamp authority without certificates', () => {
    assert.deepEqual(refusedNames({ SVC_TIMESTAMP_URL: 'https://tsa.example.com' }), ['SVC_TIMESTAMP_URL']);
    assert.deepEqual(refusedNames({ SVC_TIMESTAMP_URL: 'ftp://tsa.example.com', SVC_TIMESTAMP_CA: 'x' }), [
      'SVC_TIMESTAMP_URL',
    ]);
  });

  test('refuse a target on S3 without its access key', () => {
    const place = { SVC_BACKUP_TO: 's3://backups-of-svc' };
    assert.deepEqual(refusedNames(place), ['SVC_BACKUP_TO']);
    assert.deepEqual(refusedNames({ ...place, SVC_BACKUP_S3_ACCESS_KEY_ID: 'a key' }), ['SVC_BACKUP_TO']);
    const complete = { ...place, SVC_BACKUP_S3_ACCESS_KEY_ID: 'a key', SVC_BACKUP_S3_SECRET_ACCESS_KEY: 'x' };
    const target = readSettings(complete).backup?.target;
    assert.ok(target?.kind === 's3');
    assert.deepEqual([target.endpoint, target.prefix], ['https://s3.us-east-1.amazonaws.com', '']);
  });

  test('refuse a header with the region that no trusted proxy writes, and what is no name of a header', () => {
    const SVC_TRUSTED_PROXIES = '1';
    assert.deepEqual(refusedNames({ SVC_REGION_HEADER: 'CF-IPCountry' }), ['SVC_REGION_HEADER']);
    for (const name of ['CF-IPCountry', 'a,b', 'A , B'])
      assert.deepEqual(refusedNames({ SVC_REGION_HEADER: name, SVC_TRUSTED_PROXIES }), [], name);
    for (const name of ['X Country', 'a,b,c', ',', 'a:', 'x'.repeat(65), 'x\r\ny', '*', 'a,'])
      assert.deepEqual(refusedNames({ SVC_REGION_HEADER: name, SVC_TRUSTED_PROXIES }), ['SVC_REGION_HEADER'], name);
  });

  test('have a read replica only beside its primary', () => {
    const [primary, standby] = ['postgres://svc:secret@h/d', 'postgres://svc:secret@standby/d'];
    const { replica } = readSettings({ DATABASE_URL: primary, DATABASE_READ_URL: standby });
    assert.deepEqual(replica, { url: standby, longestLag: 5000 });
    assert.deepEqual(refusedNames({ DATABASE_READ_URL: standby }), ['DATABASE_READ_URL']);
    assert.deepEqual(refusedNames({ DATABASE_URL: primary, DATABASE_READ_URL: 'h' }), ['DATABASE_READ_URL']);
    assert.deepEqual(refusedNames({ DATABASE_URL: primary, SVC_READ_LAG_SECONDS: '3601' }), ['SVC_READ_LAG_SECONDS']);
  });

  test('name every invalid variable, and show no secret', () => {
    const environment = { PORT: 'x', SVC_SECRET: 'too-short', DATABASE_URL: 'mysql://u:password@h/d' };
    assert.deepEqual(refusedNames(environment).toSorted(), ['DATABASE_URL', 'PORT', 'SVC_SECRET']);
    assert.throws(
      () => readSettings(environment),
      (error: Error) => !/too-short|password/.test(error.message),
    );
  });

  test('are parsed or rejected by name, whatever the values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' })), (environment) => {
        for (const name of refusedNames(environment)) assert.ok(name in environment);
      }),
    );
  });

  test('are all described, with their defaults', () => {
    const described = describeSettings();
    assert.deepEqual(
      described.map(({ name }) => name),
      names,
    );
    const meaningOf = (wanted: string) => described.find(({ name }) => name === wanted)?.meaning ?? '';
    assert.match(meaningOf('PORT'), /default 8787/);
    assert.match(meaningOf('SVC_LIMIT_CAPTURE_CLIENT'), /default 60/);
    assert.match(meaningOf('SVC_SESSION_HOURS'), /default 24/);
    for (const { meaning } of described) assert.doesNotMatch(meaning, /undefined/);
  });
});
