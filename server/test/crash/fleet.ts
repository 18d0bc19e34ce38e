import { type ProcessSettings, type ServerProcess, startServerProcess } from './server-process.ts';

/** Servers that share a database. */
export class Fleet implements AsyncDisposable {
  /** `svc.js` of the version that servers are started with from now on; default: this one. */
  program: string | undefined;
  readonly #settingsOf: (index: number) => ProcessSettings;
  readonly #servers: ServerProcess[] = [];
  readonly #replaced: ServerProcess[] = [];

  private constructor(settingsOf: (index: number) => ProcessSettings) {
    this.#settingsOf = settingsOf;
  }

  /** Starts servers one after the other. @param settings of all of them, or of each by its index. */
  static async start(settings: ProcessSettings | ((index: number) => ProcessSettings), size: number): Promise<Fleet> {
    const fleet = new Fleet(typeof settings === 'function' ? settings : () => settings);
    try {
      while (fleet.#servers.length < size) fleet.#servers.push(await fleet.#start(fleet.#servers.length));
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  get servers(): readonly ServerProcess[] {
    return this.#servers;
  }

  /** Those that run, and those that were replaced. */
  get all(): readonly ServerProcess[] {
    return [...this.#replaced, ...this.#servers];
  }

  /** Starts a server to replace a killed or stopped one. */
  async replace(gone: ServerProcess): Promise<ServerProcess> {
    const index = this.#servers.indexOf(gone);
    const server = await this.#start(index);
    this.#servers[index] = server;
    this.#replaced.push(gone);
    return server;
  }

  /** Stops every server as an administrator would. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  #start(index: number): Promise<ServerProcess> {
    return startServerProcess(this.#settingsOf(index), this.program);
  }
}
