import { listSenders, openBeside } from './delivery-tables.ts';
import { type ProcessSettings, type ServerProcess, startServerProcess } from './server-process.ts';
import { waitForNone } from './wait-for-none.ts';

/** A server and the name under which it claims deliveries. */
export interface Member {
  readonly server: ServerProcess;
  readonly senderId: string;
}

const patience = 20_000;

/** Servers that share a database. */
export class Fleet implements AsyncDisposable {
  readonly #settings: ProcessSettings;
  readonly #members: Member[] = [];
  /** The names of all servers that were ever started. */
  readonly #names = new Set<string>();

  private constructor(settings: ProcessSettings) {
    this.#settings = settings;
  }

  /** Starts servers on an empty database. */
  static async start(settings: ProcessSettings, size: number): Promise<Fleet> {
    const fleet = new Fleet(settings);
    try {
      while (fleet.#members.length < size) fleet.#members.push(await fleet.#startMember());
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get servers(): readonly ServerProcess[] {
    return this.#members.map(({ server }) => server);
  }

  /** Starts a server to replace a killed one. */
  async replace(killed: Member): Promise<Member> {
    const member = await this.#startMember();
    this.#members[this.#members.indexOf(killed)] = member;
    return member;
  }

  /** Stops every server as an administrator would. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** Starts a server and waits until it is registered as a sender; one at a time, so that its name is known. */
  async #startMember(): Promise<Member> {
    const server = await startServerProcess(this.#settings);
    try {
      await using database = openBeside(this.#settings);
      const findName = async () => (await listSenders(database.kysely)).find((id) => !this.#names.has(id));
      await waitForNone({ what: 'servers that do not send', limit: patience }, async () =>
        (await findName()) === undefined ? 1 : 0,
      );
      const senderId = (await findName()) as string;
      this.#names.add(senderId);
      return { server, senderId };
    } catch (error) {
      await server.kill();
      throw error;
    }
  }
}
