import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { rotateScimToken } from '../../accounts/keys/scim-token.ts';
import { findAccount, updatePassword } from '../../accounts/members/account-store.ts';
import { createUser, invite } from '../../accounts/members/invitations.ts';
import { addMember, changeMembers } from '../../accounts/members/membership.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  findSecondFactor,
  startEnrolment,
} from '../../accounts/mfa/second-factor.ts';
import { createSession } from '../../accounts/sign-in/session-store.ts';
import { Problem } from '../../http/problem.ts';
import { roleIds } from '../../http/roles.ts';
import { hashPurpose } from '../../installation/password-hash.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import { accept } from '../accounts/members/invitation-helpers.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';

/** An event in the life of a person of a tenant. */
interface Step {
  readonly kind: keyof typeof operations;
  readonly tenant: 0 | 1;
  readonly person: 0 | 1 | 2;
  readonly role: (typeof roleIds)[number];
  readonly flag: boolean;
}

interface Place extends Step {
  readonly tenantId: string;
  readonly email: string;
  /** Of the person, if known. */
  readonly userId: string | null;
  readonly server: TestServer;
}

type Operation = (tx: Transaction, place: Place) => Promise<unknown>;

/** The tests sign in with such a password, which is wrong. */
const fakeHash = ({ server }: Place) =>
  server.installation.box.seal(
    `$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$${randomUUID().replaceAll('-', '')}`,
    hashPurpose,
  );
const change =
  (what: (place: Place) => Parameters<typeof changeMembers>[3]): Operation =>
  (tx, place) =>
    changeMembers(tx, systemSource(place.tenantId), place.userId === null ? [] : [place.userId], what(place), 'test');

/** Operations of each part of the server on people, as one transaction each. */
const operations = {
  provision: (tx, { tenantId, email, role, flag }) =>
    addMember(tx, systemSource(tenantId), { email, role, isActivated: flag, isAccepted: false }, 'test'),
  create: (tx, place) =>
    createUser(tx, systemSource(place.tenantId), {
      email: place.email,
      role: place.role,
      passwordHash: fakeHash(place),
    }),
  remove: change(() => ({ isDeleted: true })),
  activate: change(({ flag }) => ({ isActivated: flag })),
  assign: change(({ flag, role }) => ({ isAssigned: flag, role })),
  rename: change(({ flag }) => ({ givenName: flag ? 'Ann' : null, externalId: flag ? null : 'x' })),
  async changePassword(tx, place) {
    if (place.userId !== null) await updatePassword(tx, systemSource, place.userId, fakeHash(place));
  },
  async enrol(tx, place) {
    const codes = { salt: 'salt', hashes: ['one', 'two'] };
    const { userId } = place;
    if (userId !== null) await startEnrolment(tx, systemSource, userId, { secret: fakeHash(place), codes });
  },
  async enable(tx, { userId, tenantId, server }) {
    const factor = userId === null ? undefined : await findSecondFactor(tx.queries, userId);
    if (factor === undefined || userId === null) return;
    const lifetime = server.installation.settings.sessionLifetime;
    const { id } = await createSession(tx, { tenantId, userId, challengeId: null }, lifetime);
    await enableSecondFactor(tx, systemSource, factor, { step: 7, session: { id, tenantId }, lifetime });
  },
  async disable(tx, { userId }) {
    if (userId !== null) await disableSecondFactor(tx, systemSource, userId, 'reset');
  },
  invite: (tx, { tenantId, email, role }) =>
    invite(tx, systemSource(tenantId), { email, role, defaultRole: 'cs_agent' }),
  rotateToken: (tx, { tenantId }) => rotateScimToken(tx, systemSource(tenantId)),
} satisfies Record<string, Operation>;

const kinds = Object.keys(operations) as (keyof typeof operations)[];
const steps = (count: number) =>
  fc.array(
    fc.record<Step>({
      kind: fc.constantFrom(...kinds),
      tenant: fc.constantFrom(0, 1),
      person: fc.constantFrom(0, 1, 2),
      role: fc.constantFrom(...roleIds),
      flag: fc.boolean(),
    }),
    { minLength: count, maxLength: count },
  );

describeOnOneDatabase('svc verify after random changes of people', (dialect) => {
  let server: TestServer;
  let tenantIds: readonly string[];
  let round = 0;
  before(async () => {
    server = await startTestServer(dialect);
    tenantIds = [server.tenant.id, (await server.createTenant('second')).id];
  });
  after(() => server[Symbol.asyncDispose]());

  /** Runs one step. A rejection by the server is a step, too. */
  async function make(step: Step): Promise<void> {
    const { database } = server.installation;
    const email = `person-${step.person}@round-${round}.example.com`;
    const tenantId = tenantIds[step.tenant] as string;
    const operation: Operation = operations[step.kind];
    try {
      const result = await runTransaction(database, server.clock.now(), async (tx) => {
        const userId = (await findAccount(tx.queries, email))?.id ?? null;
        return operation(tx, { ...step, tenantId, email, userId, server });
      });
      if (step.kind !== 'invite' || !step.flag) return;
      const { status, text } = await accept(server, (result as { token: string }).token);
      assert.ok([200, 401, 404, 409].includes(status), text);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    } finally {
      server.clock.advance(1);
    }
  }
  async function assertIntact(): Promise<void> {
    const { report } = await runVerify(server.installation);
    assert.deepEqual(
      report.tenants.flatMap(({ rows }) => rows.faults),
      [],
    );
    assert.equal(report.intact, true);
  }

  test('reports no fault after sequential changes', async () => {
    await fc.assert(
      fc.asyncProperty(steps(80), async (given) => {
        round += 1;
        for (const step of given) await make(step);
        await assertIntact();
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  test('reports no fault after concurrent changes', async () => {
    await fc.assert(
      fc.asyncProperty(steps(64), async (given) => {
        round += 1;
        for (let start = 0; start < given.length; start += 8)
          await Promise.all(given.slice(start, start + 8).map((step) => make(step)));
        await assertIntact();
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  test('reports no fault if a person joins a tenant while their password changes', async () => {
    const step = { person: 0, role: 'auditor', flag: true } as const;
    for (let times = 0; times < 25; times += 1) {
      round += 1;
      await make({ ...step, kind: 'provision', tenant: 0 });
      await Promise.all([
        make({ ...step, kind: 'changePassword', tenant: 0 }),
        make({ ...step, kind: 'provision', tenant: 1 }),
        make({ ...step, kind: 'enrol', tenant: 0 }),
      ]);
    }
    await assertIntact();
  });
});
