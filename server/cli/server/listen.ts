import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { type Settings, SettingsError } from '../../settings.ts';

/**
 * Starts to listen.
 * @param names the settings of the address.
 * @param taken the message for a port that is taken.
 * @returns the port, which the system chooses for 0.
 * @throws {SettingsError} if the port is taken or the address cannot be used.
 */
export async function listen(
  server: Server,
  { host, port }: Pick<Settings, 'host' | 'port'>,
  names: { readonly host: string; readonly port: string },
  taken: string,
): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EADDRINUSE') throw new SettingsError(taken);
    if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
      throw new SettingsError(`Cannot listen on ${host}:${port} (${code}): change ${names.host} or ${names.port}.`);
    throw error;
  }
  return (server.address() as AddressInfo).port;
}
