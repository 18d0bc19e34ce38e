import { broken, calm, Receiver } from '../crash/receiver.ts';
import type { ServerProcess } from '../crash/server-process.ts';
import { createWebhook } from '../crash/webhook-calls.ts';
import type { LoadedTenant } from './tenants.ts';

/** The types of events that the load causes, and that both receivers get. */
const eventTypes = ['consent.recorded', 'user.provisioned', 'user.suspended'];
/** A delivery to the broken receiver is attempted so often: at once, and after each of these seconds. */
export const brokenSchedule = [1, 3];

/** The receivers of a tenant, with the ids of their endpoints. */
export interface TenantReceivers {
  readonly tenant: LoadedTenant;
  readonly slow: Receiver;
  readonly slowId: string;
  readonly broken: Receiver;
  readonly brokenId: string;
}

/** Receivers of some tenants: one of each is slow, and one rejects everything. */
export class Receivers implements AsyncDisposable {
  readonly ofTenants: TenantReceivers[] = [];
  readonly #running = new AsyncDisposableStack();

  /** @param slowest how long the slow receivers take, at most, in milliseconds. */
  static async open(
    server: Pick<ServerProcess, 'url'>,
    tenants: readonly LoadedTenant[],
    slowest: number,
    random: () => number,
  ): Promise<Receivers> {
    const receivers = new Receivers();
    await using opening = new AsyncDisposableStack();
    opening.use(receivers);
    for (const tenant of tenants) await receivers.#add(server, tenant, slowest, random);
    opening.move();
    return receivers;
  }

  async #add(
    server: Pick<ServerProcess, 'url'>,
    tenant: LoadedTenant,
    slowest: number,
    random: () => number,
  ): Promise<void> {
    const slow = this.#running.use(new Receiver({ random, mood: calm, slowest }));
    const rejecting = this.#running.use(new Receiver({ random, mood: broken, repetitions: broken }));
    const ids: string[] = [];
    for (const [receiver, more] of [
      [slow, {}],
      [rejecting, { retrySchedule: brokenSchedule }],
    ] as const) {
      const { id, secret } = await createWebhook(server, tenant, await receiver.listen(), { eventTypes, ...more });
      receiver.secret = secret;
      ids.push(id);
    }
    const [slowId = '', brokenId = ''] = ids;
    this.ofTenants.push({ tenant, slow, slowId, broken: rejecting, brokenId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.disposeAsync();
  }
}
