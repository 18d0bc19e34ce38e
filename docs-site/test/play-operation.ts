import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSetupToken } from '../../server/accounts/members/setup.ts';
import type { Route } from '../../server/http/route.ts';
import { startTestServer, type TestServer } from '../../server/test/harness.ts';
import { writeCurl } from '../reference/curl.ts';
import type { Operation } from '../reference/reference.ts';
import { createOperationScene, type OperationScene } from './operation-scene.ts';

const curtain = Date.parse('2026-11-21T14:14:07.382Z');
/** Between what was there and what the example does: less than a code of an authenticator lasts. */
const thought = 12_218;

const run = promisify(execFile);

/** A server, and a shell with a folder of its own, in which the examples of the reference are played. */
export interface Stage extends AsyncDisposable {
  readonly server: TestServer;
  findRoute(operation: Operation): Route;
  /** Makes what the example of an operation names. */
  prepare(operation: Operation): Promise<OperationScene>;
  /** Runs the example unchanged in the shell. @throws with what the shell and the server said when it fails. */
  play(operation: Operation): Promise<PlayedAnswer>;
}

/** The response of the server, and the scene of the operation. */
export interface PlayedAnswer {
  readonly status: number;
  readonly text: string;
  readonly scene: OperationScene;
}

/** Starts the server. */
export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-operations-'));
  // A mistake of an example shows as an exit code.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
  const server = await startTestServer('sqlite');
  // The setup succeeds once, before there is a tenant.
  const empty = await startTestServer('sqlite', {}, { clock: server.clock, isSetUp: false });
  const isSetup = ({ operationId }: Operation) => operationId === 'setUpServer';
  const findRoute = ({ operationId }: Operation) =>
    server.app.routes.find((route) => route.operationId === operationId) as Route;
  const prepareSetup = async (): Promise<OperationScene> => {
    const token = (await createSetupToken(empty.installation)) ?? '';
    return { variables: { TOKEN: token }, tenantId: 'none', key: '', scimToken: null };
  };
  const prepare = (operation: Operation) =>
    isSetup(operation) ? prepareSetup() : createOperationScene(findRoute(operation), operation, server, folder);
  return {
    server,
    findRoute,
    prepare,
    play: async (operation) => {
      // Every example begins at the same moment, so that its answer is the same in every run.
      server.clock.advance(curtain - server.clock.milliseconds());
      const scene = await prepare(operation);
      server.clock.advance(thought);
      const { variables, key, scimToken } = scene;
      const { url } = isSetup(operation) ? empty : server;
      const shell = { PATH: process.env.PATH, HOME: folder, BASE: url, KEY: key, SCIM_TOKEN: scimToken ?? '' };
      const script = writeCurl(operation);
      const env = { ...shell, ...variables };
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env,
        maxBuffer: 2 ** 24,
      }).catch((error) => {
        throw new Error(`${script}\n${error.stdout}${error.stderr}`);
      });
      const end = stdout.lastIndexOf('\n');
      return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end), scene };
    },
    async [Symbol.asyncDispose]() {
      await empty[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
