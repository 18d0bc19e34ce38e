import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { nameAddress } from '../settings.ts';
import { defineCommand, flag } from './command.ts';

/** Longer than the server waits for its database before it answers that it is not ready. */
const patienceMilliseconds = 3000;

export const health = defineCommand({
  description: `Requests /readyz of the server at HOST and PORT, and exits with 0 if it can serve requests, else with 1: for the health check of
an image or a supervisor. With --live it requests /healthz, which answers while the process runs, whatever its database does.`,
  options: { live: { schema: flag, meaning: 'only check that the process answers' } },
  async run({ settings, options, say, result }) {
    const address = nameAddress({ ...settings, baseUrl: null }, settings.port);
    const { isReady, reason } = await probe(`${address}${options.live === true ? '/healthz' : '/readyz'}`);
    say(isReady ? `The server at ${address} is ready.` : `The server at ${address} is not ready: ${reason}.`);
    result({ address, isReady, reason });
    return isReady ? 0 : 1;
  },
});

async function probe(url: string): Promise<{ readonly isReady: boolean; readonly reason: string | null }> {
  try {
    // Neither undici, which takes longer to load than the rest of this command, nor fetch, which refuses ports such as 6000.
    const request = get(url, { signal: AbortSignal.timeout(patienceMilliseconds) });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { reason } = (await json(response)) as { readonly reason?: unknown };
    if (response.statusCode === 200) return { isReady: true, reason: null };
    return { isReady: false, reason: reasons[String(reason)] ?? `it answers with status ${response.statusCode}` };
  } catch (error) {
    // That of an aborted request is the timeout.
    const { cause = error } = error as Error;
    return { isReady: false, reason: explain(cause as NodeJS.ErrnoException) };
  }
}

const reasons: Readonly<Record<string, string>> = {
  stopping: 'it is stopping',
  database: 'its database does not answer',
  schema: 'the schema of its database is not current',
};

function explain({ name, code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  return name === 'TimeoutError' ? 'it does not answer' : (code ?? message);
}
