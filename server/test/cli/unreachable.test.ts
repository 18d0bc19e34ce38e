import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { explainUnreachable, isUnreachable } from '../../installation/unreachable.ts';
import { SettingsError } from '../../settings.ts';
import { createLocation, type TestLocation } from '../harness.ts';
import { runSvc } from './run-svc.ts';

const password = 'recognisable-password';
const verify = ['verify'];
const commands = [
  verify,
  ['verify', '--json'],
  ['migrate'],
  ['tenant', 'create', '--slug', 'acme', '--name', 'Acme'],
  ['key', 'create', '--tenant', 'acme', '--name', 'x', '--scopes', 'all'],
  ['serve'],
  ['demo'],
];

describe('an unreachable PostgreSQL', () => {
  let location: TestLocation;
  before(async () => {
    location = await createLocation('sqlite');
  });
  after(() => location[Symbol.asyncDispose]());

  /** Asserts that a command prints one sentence about the host, without tampering or the password. */
  async function assertTold(words: readonly string[], place: string, reason: string): Promise<void> {
    const DATABASE_URL = `postgres://svc_user:${password}@${place}/svc`;
    const { code, stdout, stderr } = await runSvc(words, { ...location.environment, DATABASE_URL });
    const message = `Cannot reach the database at ${place}: ${reason}`;
    if (words[0] === 'verify') {
      assert.deepEqual([code, stderr], [4, '']);
      assert.ok(
        stdout.includes(words.includes('--json') ? JSON.stringify(`database: ${message}`) : `✗ database: ${message}\n`),
      );
    } else {
      assert.deepEqual([code, stdout], [2, '']);
      assert.equal(stderr, `svc: ${message}\n`);
    }
    assert.ok(!`${stdout}${stderr}`.includes(password));
  }

  test('is reported by every command if it refuses the connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    for (const words of commands) await assertTold(words, `127.0.0.1:${port}`, 'the connection was refused');
  });

  test('is reported if the host does not exist', async () => {
    const { stdout, code } = await runSvc(verify, {
      ...location.environment,
      DATABASE_URL: `postgres://svc_user:${password}@nowhere.invalid/svc`,
    });
    assert.equal(code, 4);
    assert.match(
      stdout,
      /^✗ database: Cannot reach the database at nowhere\.invalid:5432: (there is no such host|the host name cannot be resolved)\n/,
    );
  });

  for (const [code, message] of [
    ['28P01', 'password authentication failed for user "svc_user"'],
    ['3D000', 'database "svc" does not exist'],
    ['53300', 'sorry, too many clients already'],
    ['57P03', 'the database system is starting up'],
  ] as const) {
    test(`is reported if it rejects the connection with ${code}`, async () => {
      await using server = await refuseEverybody(code, message);
      await assertTold(verify, server.place, message);
      await assertTold(['migrate'], server.place, message);
    });
  }

  test('is reported if it closes the connection', async () => {
    await using server = await answerEverybody((socket) => socket.destroy());
    const DATABASE_URL = `postgres://svc_user:${password}@${server.place}/svc`;
    const { code, stdout, stderr } = await runSvc(verify, { ...location.environment, DATABASE_URL });
    assert.deepEqual([code, stderr], [4, '']);
    assert.ok(stdout.startsWith(`✗ database: Cannot reach the database at ${server.place}: `), stdout);
  });
});

describe('an error of the database', () => {
  const fail = (code: string) => Object.assign(new Error('as it is'), { code });

  test('about its contents or its file is not reported as unreachable', () => {
    for (const code of ['XX001', '22021', '42P01', '40001', '57014', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'EADDRINUSE'])
      assert.equal(isUnreachable(fail(code)), false, code);
    assert.equal(isUnreachable(new Error('something else')), false);
    assert.equal(isUnreachable('text'), false);
  });

  test('is returned unchanged without PostgreSQL', () => {
    const error = fail('ECONNREFUSED');
    assert.equal(explainUnreachable(error, null), error);
    assert.ok(explainUnreachable(error, 'postgres://localhost/svc') instanceof SettingsError);
  });

  test('names the default host and port if the address omits them', () => {
    const { message } = explainUnreachable(fail('ETIMEDOUT'), 'postgres:///svc') as Error;
    assert.equal(message, 'Cannot reach the database at localhost:5432: the host does not answer');
  });
});

/** A server that responds to the first message of each client with an error, as PostgreSQL does. */
function refuseEverybody(code: string, message: string) {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return answerEverybody((socket) => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
}

async function answerEverybody(answer: (socket: Socket) => void) {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    place: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
