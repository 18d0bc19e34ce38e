import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { stepRedeliveries } from '../../../../server/webhooks/deliveries/redelivery-worker.ts';
import { endStranded } from '../../../../server/webhooks/sender/store.ts';
import { createTestServer, type TestServer as TestingServer } from '../../src/testing/index.ts';
import { requestRules } from '../../src/testing/request-rules.ts';
import { areas } from './testing-areas.ts';
import { Player, type Step } from './testing-player.ts';

const password = 'a horse that staples batteries';

/** What a receiver took that answers 204 to everything, as the sender writes it. */
async function settle({ installation, clock }: TestServer): Promise<void> {
  const now = clock.now();
  await installation.database.kysely
    .updateTable('webhook_deliveries')
    .set((row) => ({
      ...{ status: 'delivered', reason: null, response_status: 204, due_at: null, finished_at: now },
      ...{ first_attempt_at: row.fn.coalesce('first_attempt_at', row.val(now)), attempts: row('attempts', '+', 1) },
    }))
    .where('status', '=', 'pending')
    .where('due_at', '<=', now)
    .where('endpoint_id', 'in', (row) =>
      row.selectFrom('webhook_endpoints').select('id').where('status', '=', 'enabled').where('deleted_at', 'is', null),
    )
    .execute();
}

/** Both servers, and who plays to each. */
interface Pair {
  readonly real: TestServer;
  readonly there: Player;
  readonly here: Player;
}

describe('the testing server answers any sequence of requests as the real server does', () => {
  let testing: TestingServer;
  before(async () => {
    testing = await createTestServer();
  });
  after(() => testing.close());

  /** A tenant on both sides; what is new on both is at the same time of the clock in every run, whatever ran before. */
  const begin = async (real: TestServer): Promise<Pair> => {
    const run = 'new';
    const tenant = await real.createTenant(`tenant-${run}`);
    const scimToken = await real.createScimToken(tenant.id);
    testing.reset();
    testing.clock.set(real.clock.now());
    const there = new Player({ url: real.url, key: tenant.key, slug: tenant.slug, scimToken, run });
    const { baseUrl: url, apiKey: key, scimToken: token } = testing;
    const here = new Player({ url, key, slug: 'test', scimToken: token, run });
    return { real, there, here };
  };

  /** What a person does: to a test server the test says so. @returns whether the real server took it. */
  const sendAsPerson = async (real: TestServer, path: string, body: object): Promise<boolean> =>
    (await real.request('POST', path, { key: null, body: { ...body, password } })).status === 200;

  const actAsPerson = async ({ real, there, here }: Pair, { id, path, method }: Step): Promise<boolean> => {
    if (id === 'accept') {
      const place = Number(path);
      const [real1, testing1] = [there.idsOf('token'), here.idsOf('token')];
      if (real1.length === 0) return true;
      const token = real1[place % real1.length];
      const isTaken = await sendAsPerson(real, '/v1/auth/invitations/accept', { token });
      const take = () => testing.acceptInvitation(testing1[place % testing1.length] as string);
      if (!isTaken) assert.throws(take, TypeError);
      else {
        const { id, email } = take();
        here.learn('user', id);
        there.learn('user', (await there.read(`/v1/users?email=${encodeURIComponent(email)}`)).data[0].id);
      }
      return true;
    }
    if (id === 'signIn') {
      const users = (await here.read('/v1/users?limit=100')).data;
      const user = users[Number(path) % users.length];
      if (user === undefined) return true;
      if (await sendAsPerson(real, '/v1/auth/sign-in', { email: user.email })) testing.signIn(user.id);
      else assert.throws(() => testing.signIn(user.id), TypeError);
      return true;
    }
    if (id === 'settle') {
      await settle(real);
      testing.deliver(204);
      return true;
    }
    return method === '';
  };

  for (const area of areas)
    test(area.name, async () => {
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(area.step, { minLength: 50, maxLength: 80, size: 'max' }), async (steps) => {
          await using real = await startTestServer('sqlite');
          const pair = await begin(real);
          const { there, here } = pair;
          assert.deepEqual((await playAll(pair, area.opening)).refused, [], 'the opening is taken');
          answered += (await playAll(pair, steps)).answered;
          const [{ events }, { events: expected, isWhole }] = [await readLog(here), await readLog(there)];
          // What came before was the making of the tenant, of its key and of its SCIM token.
          if (isWhole) assert.equal(expected.length, events.length + 3);
          for (const [index, { id, action }] of events.slice(0, 30).entries())
            assert.deepEqual(await here.readEvent(id), await there.readEvent(expected[index].id), action);
        }),
        { numRuns: area.runs, endOnFailure: true },
      );
      assert.ok(answered > 40, `${answered} requests were answered`);
    });

  /** The events on both sides: a test server has no operation to sign in, so it refuses none (`session.refused`). */
  const readLog = async (player: Player) => {
    const { items, nextCursor } = await player.read('/v1/audit?limit=200');
    const events = items.filter(({ action }: { readonly action: string }) => action !== 'session.refused');
    return { events, isWhole: nextCursor === null };
  };

  const playAll = async (pair: Pair, steps: readonly Step[]) => {
    const { real, there, here } = pair;
    let answered = 0;
    const refused: string[] = [];
    for (const one of steps) {
      real.clock.advance(one.advance);
      testing.clock.advance(one.advance);
      if (await actAsPerson(pair, one)) continue;
      const expected = await there.play(one);
      const found = await here.play(one);
      assert.deepEqual(found, expected, JSON.stringify(one));
      if (expected.status < 300) answered += 1;
      else refused.push(`${one.id} ${expected.status}`);
      const { kysely } = real.installation.database;
      // A test server has canceled by then what waited.
      if (one.id === 'deleteWebhook' && expected.status === 204)
        await endStranded(kysely, real.clock.now(), { id: there.lastIdOf(one.path), status: 'deleted' });
      // A test server has carried an order out by then.
      if (one.path === '/v1/webhooks/redeliver' && one.method === 'POST')
        while (await stepRedeliveries(real.installation.database, real.clock.now()));
    }
    return { answered, refused };
  };

  test('and every operation is in one of the areas', () => {
    const known = [...requestRules.operations, ...requestRules.others].map(([id]) => id);
    const played = new Set(areas.flatMap(({ operations }) => operations));
    // The ledgers are proved by the same code; how that of the audit log begins differs.
    const elsewhere = /Consent|Dsr|Breach|Trust|SubjectLedger|Audit|Webhooks?$|WebhookSecret$|AccessToken$|LedgerKey$/;
    assert.deepEqual(
      known.filter((id) => !played.has(id) && !elsewhere.test(id)),
      [],
    );
  });
});
