import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { nameAddress, type Settings } from '../settings.ts';

/** Hosts that only this machine can reach. */
export const loopback: readonly string[] = ['127.0.0.1', '::1', '[::1]', 'localhost'];

/** The file in which a running server keeps its address, for the commands that print links. */
const addressFile = 'server.json';

const Running = z.object({ pid: z.number().int().positive(), baseUrl: z.url() });

/** Keeps the address of a server in the data folder until it is disposed of. */
export function keepAddress(dataDir: string, baseUrl: string): Disposable {
  const file = join(dataDir, addressFile);
  writeFileSync(file, `${JSON.stringify({ pid: process.pid, baseUrl })}\n`, { mode: 0o600 });
  return {
    // Another server may have started in the same folder.
    [Symbol.dispose]: () => {
      if (readRunning(dataDir)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** The address for links: SVC_BASE_URL, that of the server that runs in the data folder, or that of HOST and PORT. */
export function findServerAddress(settings: Settings): string {
  return settings.baseUrl ?? readRunning(settings.dataDir)?.baseUrl ?? nameAddress(settings, settings.port);
}

/** The server of a data folder; undefined if none runs: a killed one leaves its file behind. */
function readRunning(dataDir: string): z.output<typeof Running> | undefined {
  try {
    const running = Running.parse(JSON.parse(readFileSync(join(dataDir, addressFile), 'utf8')));
    return isRunning(running.pid) ? running : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
