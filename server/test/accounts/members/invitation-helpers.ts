import { payload } from '../../consent/helpers.ts';
import type { RequestOptions, TestResponse, TestServer, TestTenant } from '../../harness.ts';

/** A password that nothing is wrong with. */
export const goodPassword = 'nine blue herons at dawn';

/** Invites an address with the key of a tenant. @returns the invitation, with its token. */
export async function invite(server: TestServer, { key }: TestTenant, email: string, role = 'auditor') {
  return payload(await sendInvitation(server, { email, role }, { key })) as {
    readonly id: string;
    readonly token: string;
    readonly expiresAt: string;
  };
}

export function sendInvitation(server: TestServer, body: unknown, options: RequestOptions = {}): Promise<TestResponse> {
  return server.request('POST', '/v1/users/invitations', { body, ...options });
}

/** Sends the token of an invitation with a password, as the person does. */
export function accept(server: TestServer, token: unknown, password: unknown = goodPassword): Promise<TestResponse> {
  return server.request('POST', '/v1/auth/invitations/accept', { key: null, body: { token, password } });
}
