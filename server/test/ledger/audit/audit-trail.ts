import type { ActorType } from '../../../http/principal.ts';
import { recordEvent } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import type { RequestOptions, TestServer } from '../../harness.ts';

export interface WantedEvent {
  readonly module: string;
  readonly actor: ActorType;
  readonly action?: string;
  readonly actorId?: string | null;
  readonly targetId?: string | null;
  readonly diff?: unknown;
  readonly reason?: string;
}

/** Appends an event at the time of the clock, such as parts of the server that are not under test would. */
export async function appendEvent(server: TestServer, tenantId: string, wanted: WantedEvent): Promise<void> {
  const { module, actor, action = 'thing.done', actorId = null, targetId = null, diff, reason } = wanted;
  const source = { tenantId, actor: { type: actor, id: actorId, email: null }, ipHash: null, userAgentHash: null };
  await runTransaction(server.installation.database, server.clock.now(), (tx) =>
    recordEvent(tx, source, {
      module: module as never,
      action,
      targetId,
      targetRef: null,
      ...(diff !== undefined && { diff: diff as never }),
      ...(reason !== undefined && { reason }),
    }),
  );
}

export interface ListedEvent {
  readonly id: string;
  readonly at: string;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly actorType: string;
  readonly action: string;
  readonly module: string;
  readonly targetId: string | null;
  readonly targetRef: string | null;
  readonly hash: string;
  readonly prevHash: string | null;
}

/** Reads a list to its end, page by page, newest first. */
export async function readAllPages(
  server: TestServer,
  filter: Readonly<Record<string, string>> = {},
  options: RequestOptions = {},
): Promise<{ readonly events: readonly ListedEvent[]; readonly pages: readonly number[] }> {
  const events: ListedEvent[] = [];
  const pages: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ ...filter, ...(cursor !== '' && { cursor }) });
    const { status, body, text } = await server.request('GET', `/v1/audit?${query}`, options);
    if (status !== 200) throw new Error(text);
    events.push(...body.data.items);
    pages.push(body.data.items.length);
    cursor = body.data.nextCursor;
  }
  return { events, pages };
}
