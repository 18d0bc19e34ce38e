import type { CountWork, Feature, Services } from '../installation/feature.ts';
import { inTransaction } from '../storage/database.ts';
import { createAuthenticate } from './authenticate.ts';
import { LastUses } from './credentials.ts';
import { apiKeyRoutes } from './keys/api-key-routes.ts';
import { deleteExpiredTokens, oauthRoutes } from './keys/oauth.ts';
import { scimTokenRoutes } from './keys/scim-token.ts';
import { invitationRoutes } from './members/invitation-routes.ts';
import { userRoutes } from './members/user-routes.ts';
import { mfaRoutes } from './mfa/routes.ts';
import { authRoutes, meRoutes } from './sign-in/auth-routes.ts';
import { PasswordQueue } from './sign-in/password-queue.ts';
import { deleteEndedSessions, HostCookie } from './sign-in/session-store.ts';
import { deleteExpiredSignIns } from './sign-in/sign-in.ts';
import { SignInGuard } from './sign-in/sign-in-guard.ts';
import { tenantRoutes } from './tenants/routes.ts';

/** Tenants, members, keys and sign-in; `authenticate` recognizes the callers of all routes. */
export function openAccounts(services: Services) {
  const { database, settings } = services;
  const isSecure = settings.baseUrl?.startsWith('https:') ?? false;
  const sessionCookie = new HostCookie('svc_session', isSecure);
  const deviceCookie = new HostCookie('svc_device', isSecure);
  const lastUses = new LastUses();
  const signIn = {
    ...services,
    passwords: new PasswordQueue(services.passwords),
    guard: new SignInGuard({ ...services, limit: settings.limits.signIn, deviceCookie }),
    sessionCookie,
    sessionLifetime: settings.sessionLifetime,
  };
  const deleteEnded = async (now: string, count: CountWork) =>
    count(
      await inTransaction(database, async (queries) => ({
        accessTokens: await deleteExpiredTokens(queries, now),
        sessions: await deleteEndedSessions(queries, now, settings.sessionLifetime),
        ...(await deleteExpiredSignIns(queries, now)),
      })),
    );
  const writeLastUses = () => lastUses.write(database);
  return {
    name: 'accounts',
    lastUses,
    authenticate: createAuthenticate(services, sessionCookie, lastUses),
    routes: [
      ...authRoutes(signIn),
      ...meRoutes(signIn),
      ...mfaRoutes(signIn),
      ...userRoutes(signIn),
      ...invitationRoutes(signIn),
      ...tenantRoutes(services),
      ...apiKeyRoutes(services),
      ...scimTokenRoutes(services),
      ...oauthRoutes(services, lastUses),
    ],
    tasks: [
      { every: 60_000, run: deleteEnded },
      { every: 10_000, run: writeLastUses },
    ],
    drain: writeLastUses,
  } satisfies Feature & { readonly lastUses: LastUses; readonly authenticate: ReturnType<typeof createAuthenticate> };
}
