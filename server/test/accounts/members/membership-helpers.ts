import { sql } from 'kysely';
import {
  addMember,
  changeMembers,
  type MembershipChange,
  type MembershipRow,
  memberStatus,
  type NewMember,
} from '../../../accounts/members/membership.ts';
import { putPersonal } from '../../../ledger/audit/events.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { readOpenings } from '../../../ledger/opening-store.ts';
import { runTransaction } from '../../../storage/database.ts';
import type { TestResponse, TestServer } from '../../harness.ts';

export type Membership = ReturnType<typeof readMembership>;

/** The fields of a membership that tests compare. */
export function readMembership(row: MembershipRow) {
  return {
    tenantId: row.tenant_id,
    userId: row.user_id,
    userName: row.user_name,
    givenName: row.given_name,
    familyName: row.family_name,
    externalId: row.external_id,
    role: row.role,
    status: memberStatus(row),
    isActivated: row.deactivated_at === null,
    isAssigned: row.unassigned_at === null,
    isAccepted: row.accepted_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastSignedInAt: row.last_signed_in_at,
  };
}

/** Adds a person as an identity provider does: a member who took no invitation yet. */
export function addPerson(
  server: TestServer,
  tenantId: string,
  person: Partial<NewMember> & { readonly email: string },
): Promise<Membership | undefined> {
  const member = { role: 'auditor', isActivated: true, isAccepted: false, ...person } as const;
  return runTransaction(server.installation.database, server.clock.now(), async (tx) => {
    const row = await addMember(tx, systemSource(tenantId), member, 'Added by a test');
    return row && readMembership(row);
  });
}

/** Changes members as an identity provider does. */
export function changePeople(
  server: TestServer,
  tenantId: string,
  userIds: readonly string[],
  change: MembershipChange,
): Promise<ReadonlyMap<string, Membership>> {
  return runTransaction(server.installation.database, server.clock.now(), async (tx) => {
    const rows = await changeMembers(tx, systemSource(tenantId), userIds, change, 'Changed by a test');
    return new Map(rows.map((row) => [row.user_id, readMembership(row)]));
  });
}

/** The audit events of a tenant, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export async function readAudit(server: TestServer, tenantId: string): Promise<readonly any[]> {
  const { kysely } = server.installation.database;
  const rows = await kysely
    .selectFrom('audit_events')
    .select(['sequence', 'entry'])
    .where('tenant_id', '=', tenantId)
    .orderBy('sequence')
    .execute();
  const openings = await readOpenings(kysely, tenantId, rows);
  return rows.map(({ sequence, entry }) => {
    const { commitments: _, ...event } = JSON.parse(entry);
    putPersonal(event, openings.get(sequence) ?? []);
    return event;
  });
}

/** Events that are queued for the webhooks of a tenant, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export async function readWebhooks(server: TestServer, tenantId: string): Promise<readonly any[]> {
  const rows = await server.installation.database.kysely
    .selectFrom('webhook_events')
    .select(['type', 'data', 'created_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .execute();
  return rows.map(({ type, data, created_at }) => ({ type, data: JSON.parse(data), createdAt: created_at }));
}

/** Runs a step. @returns its result, and the audit events and webhooks of the tenant that it caused. */
export async function watch<Result>(server: TestServer, tenantId: string, step: () => Promise<Result>) {
  const earlier = (await readAudit(server, tenantId)).length;
  const sent = (await readWebhooks(server, tenantId)).length;
  const result = await step();
  const events = (await readAudit(server, tenantId)).slice(earlier);
  const webhooks = (await readWebhooks(server, tenantId)).slice(sent);
  return { result, events, webhooks, actions: events.map(({ action }) => action) };
}

/** Tables that requests write to without changing anything for anybody. */
const counts = ['rate_limits', 'sign_in_failures'];
const uses = ['last_used_at', 'last_seen_at'];

/** Every row of every table without counts and times of last use, which operations do not change. */
export async function readState(server: TestServer): Promise<string> {
  const { kysely } = server.installation.database;
  const texts: string[] = [];
  for (const { name } of await kysely.introspection.getTables()) {
    if (counts.includes(name)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(kysely);
    const lines = rows.map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !uses.includes(column))));
    texts.push(`${name}\n${lines.sort().join('\n')}`);
  }
  return texts.sort().join('\n\n');
}

export interface SignInOptions {
  readonly tenant?: string;
}

/** Sends a password to the sign-in, as a program does. */
export function signIn(
  server: TestServer,
  email: string,
  password: string,
  { tenant }: SignInOptions = {},
): Promise<TestResponse> {
  const body = { email, password, ...(tenant !== undefined && { tenant }) };
  return server.request('POST', '/v1/auth/sign-in', { key: null, body });
}

/** Headers that a browser sends after a successful sign-in. */
export function sessionOf(server: TestServer, response: TestResponse): Readonly<Record<string, string>> {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] as string);
  return { Cookie: cookies.join('; '), Origin: server.url };
}

/** True if these headers have a valid session. */
export async function isSignedIn(server: TestServer, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const { status } = await server.request('GET', '/v1/me', { headers });
  return status === 200;
}
