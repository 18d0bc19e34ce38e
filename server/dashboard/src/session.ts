import { call, RequestError } from './api.ts';
import { type InvitationAcceptance, type Me, operationScopes, type SignInInput } from './api-types.ts';

/** The signed-in user, for every page. Emits `change` when it becomes another one. */
class CurrentSession extends EventTarget {
  /** Null when no user is signed in; undefined until `load`. */
  me: Me | null | undefined;

  /** Reads who is signed in. */
  async load(): Promise<void> {
    this.me = await call('getMe', 'GET', '/v1/me').catch((error: unknown) => {
      if (error instanceof RequestError && error.status === 401) return null;
      throw error;
    });
    this.dispatchEvent(new Event('change'));
  }

  /** Whether the user may call an operation of the API; the server decides again. */
  allows(operationId: keyof typeof operationScopes): boolean {
    return this.me?.scopes.includes(operationScopes[operationId]) === true;
  }

  signIn(input: SignInInput) {
    return call('signIn', 'POST', '/v1/auth/sign-in', { body: input });
  }

  answerChallenge(challengeId: string, code: string) {
    return call('answerChallenge', 'POST', '/v1/auth/challenge', { body: { challengeId, code } });
  }

  acceptInvitation(acceptance: InvitationAcceptance) {
    return call('acceptInvitation', 'POST', '/v1/auth/invitations/accept', { body: acceptance });
  }

  async signOut(): Promise<void> {
    await call('signOut', 'POST', '/v1/auth/sign-out');
    this.me = null;
    this.dispatchEvent(new Event('change'));
  }
}

export const session = new CurrentSession();
