import { call, RequestError, transport } from './api.ts';
import type { InvitationAcceptance, Me, operationScopes, PasswordReset, SignInInput } from './api-types.ts';

/** The signed-in user, for every page. Emits `change` when it becomes another one. */
class CurrentSession extends EventTarget {
  /** Null when no user is signed in; undefined until `load`. */
  me: Me | null | undefined;
  /** The scope of each operation: set by the frame, for the pages behind the sign-in. */
  scopes: Readonly<Partial<typeof operationScopes>> = {};
  /** True if the server has required a second factor that the user does not have. */
  needsFactor = false;

  /** Reads who is signed in. */
  async load(): Promise<void> {
    this.me = await call('getMe', 'GET', '/v1/me').catch((error: unknown) => {
      if (error instanceof RequestError && error.status === 401) return null;
      throw error;
    });
    this.#follow();
  }

  /** Moves the session to another tenant; the pages must be loaded again, unless they show that one. */
  async switchTenant(tenant: string): Promise<void> {
    await call('switchTenant', 'POST', '/v1/me/tenant', { body: { tenant } });
  }

  /** True if the user may call an operation of the API; the server checks again. */
  allows(operationId: keyof typeof operationScopes): boolean {
    return this.me?.scopes.includes(this.scopes[operationId] ?? '') === true;
  }

  signIn(input: SignInInput) {
    return call('signIn', 'POST', '/v1/auth/sign-in', { body: input });
  }

  answerChallenge(challengeId: string, code: string) {
    return call('answerChallenge', 'POST', '/v1/auth/challenge', { body: { challengeId, code } });
  }

  previewInvitation(token: string) {
    return call('previewInvitation', 'POST', '/v1/auth/invitations/preview', { body: { token } });
  }

  acceptInvitation(acceptance: InvitationAcceptance) {
    return call('acceptInvitation', 'POST', '/v1/auth/invitations/accept', { body: acceptance });
  }

  resetPassword(reset: PasswordReset) {
    return call('resetPassword', 'POST', '/v1/auth/password-reset', { body: reset });
  }

  start(token: string) {
    return call('startSession', 'POST', '/v1/auth/start', { body: { token } });
  }

  async signOut(): Promise<void> {
    // A session that has ended needs no sign-out.
    await call('signOut', 'POST', '/v1/auth/sign-out').catch((error: unknown) => {
      if (!(error instanceof RequestError && error.status === 401)) throw error;
    });
    this.me = null;
    this.needsFactor = false;
    this.#follow();
  }

  #follow(): void {
    transport.tenantId = this.me?.tenant.id ?? null;
    transport.userId = this.me?.user.id ?? null;
    if (this.me) localStorage.setItem(signedInKey, '');
    else localStorage.removeItem(signedInKey);
    this.dispatchEvent(new Event('change'));
  }
}

const signedInKey = 'svc-signed-in';

/** True if this browser had a session at the latest check: scripts cannot read the cookie. */
export function wasSignedIn(): boolean {
  return localStorage.getItem(signedInKey) !== null;
}

export const session = new CurrentSession();
