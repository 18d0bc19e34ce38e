import type { IncomingMessage } from 'node:http';
import { createAuthenticate } from '../../server/accounts/authenticate.ts';
import { LastUses } from '../../server/accounts/credentials.ts';
import { createUser } from '../../server/accounts/members/invitations.ts';
import { createSession, HostCookie } from '../../server/accounts/sign-in/session-store.ts';
import { systemSource } from '../../server/ledger/audit/store.ts';
import { runTransaction } from '../../server/storage/database.ts';
import type { Benchmark, Finding } from './benchmark.ts';
import { startChild } from './child.ts';
import { requestSlice } from './http-comparison.ts';
import { judgeCpu } from './report.ts';
import { createSite, openSite } from './site.ts';
import { compareInTurn } from './slices.ts';
import { cpuSlice } from './work.ts';

/** Cost of authentication and authorization, as a part of a bare request. */
export const authentication: Benchmark = {
  name: 'authentication',
  async run(bench) {
    await using installation = await openSite(bench.createFolder('authentication'));
    const { database, clock, settings } = installation;
    const site = await createSite(installation);
    const passwordHash = await installation.passwords.hash('not needed here');
    const session = await runTransaction(database, clock(), async (tx) => {
      const person = { email: 'person@example.com', role: 'auditor', passwordHash } as const;
      const created = await createUser(tx, systemSource(site.tenantId), person);
      const userId = created?.userId ?? '';
      return createSession(tx, { tenantId: site.tenantId, userId, challengeId: null }, settings.sessionLifetime);
    });
    const sessionCookie = new HostCookie('svc_session', false);
    const admit = createAuthenticate(installation, sessionCookie, new LastUses());
    const wanted = { auth: 'scope', scope: 'consent:read', method: 'GET' } as const;
    await using floor = startChild('koa-floor');
    await using load = startChild('load');
    await floor.ask({ text: '{"data":{}}' });
    const requests = { method: 'GET', paths: ['/'], headers: {}, decisions: false, expectedStatus: 200 } as const;
    const bare = await requestSlice(bench, floor, load, requests);

    const measure = async (what: string, headers: Readonly<Record<string, string>>): Promise<Finding> => {
      const request = { headers, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage;
      const found = await compareInTurn(
        cpuSlice(async () => {
          for (let done = 0; done < 100; done += 1) await admit(request, wanted, clock());
          return 100;
        }, bench.pace.milliseconds / 4),
        bare,
        bench.pace,
      );
      return judgeCpu(`${what} / bare Koa request`, found, { atMost: 0.5 });
    };
    const cookie = sessionCookie.write(session.token).split(';')[0] as string;
    return [
      await measure('recognizing an API key', { authorization: `Bearer ${site.key}` }),
      await measure('recognizing a session', { cookie }),
    ];
  },
};
