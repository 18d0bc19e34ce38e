import { RequestError, transport } from './api.ts';
import {
  type InvitationAcceptance,
  type Me,
  type OperationResults,
  operationScopes,
  type SignInInput,
} from './api-types.ts';

/** The signed-in user, for every page. Emits `change` when it becomes another one. */
class CurrentSession extends EventTarget {
  /** Null when no user is signed in; undefined until `load`. */
  me: Me | null | undefined;

  /** Reads who is signed in. */
  async load(): Promise<void> {
    const operation = { id: 'getMe', method: 'GET', path: '/v1/me' } as const;
    this.me = await transport.request<Me>(operation).catch((error: unknown) => {
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
    return post('signIn', '/v1/auth/sign-in', input);
  }

  answerChallenge(challengeId: string, code: string) {
    return post('answerChallenge', '/v1/auth/challenge', { challengeId, code });
  }

  acceptInvitation(acceptance: InvitationAcceptance) {
    return post('acceptInvitation', '/v1/auth/invitations/accept', acceptance);
  }

  async signOut(): Promise<void> {
    await post('signOut', '/v1/auth/sign-out');
    this.me = null;
    this.dispatchEvent(new Event('change'));
  }
}

function post<Id extends keyof OperationResults>(id: Id, path: string, body?: object) {
  return transport.request<OperationResults[Id]>({ id, method: 'POST', path, body });
}

export const session = new CurrentSession();
