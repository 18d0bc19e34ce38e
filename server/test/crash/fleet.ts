import { type ProcessSettings, type ServerProcess, startServerProcess } from './server-process.ts';

/** Servers that share a database. */
export class Fleet implements AsyncDisposable {
  readonly #settings: ProcessSettings;
  readonly #servers: ServerProcess[] = [];

  private constructor(settings: ProcessSettings) {
    this.#settings = settings;
  }

  /** Starts servers on an empty database. */
  static async start(settings: ProcessSettings, size: number): Promise<Fleet> {
    const fleet = new Fleet(settings);
    try {
      while (fleet.#servers.length < size) fleet.#servers.push(await startServerProcess(settings));
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  get servers(): readonly ServerProcess[] {
    return this.#servers;
  }

  /** Starts a server to replace a killed one. */
  async replace(killed: ServerProcess): Promise<ServerProcess> {
    const server = await startServerProcess(this.#settings);
    this.#servers[this.#servers.indexOf(killed)] = server;
    return server;
  }

  /** Stops every server as an administrator would. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
