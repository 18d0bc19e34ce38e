import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { TestMember, TestResponse, TestServer } from '../../harness.ts';

/** Decodes base32 (RFC 4648 section 6). */
export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** A code by the letter of RFC 6238 and RFC 4226 section 5.3, apart from the library that the server uses. */
export function computeCode(secret: string, milliseconds: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(milliseconds / 30_000)));
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The second factor of a person after an enrollment. */
export interface Enrolled {
  readonly uri: URL;
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** Starts an enrolment in the session of a member. */
export async function startEnrolment(server: TestServer, member: TestMember): Promise<Enrolled> {
  const { status, body, text } = await server.request('POST', '/v1/me/mfa/totp/enroll', {
    headers: member.session,
    body: { password: member.password },
  });
  assert.equal(status, 200, text);
  const uri = new URL(body.data.totpURI);
  return { uri, secret: uri.searchParams.get('secret') as string, backupCodes: body.data.backupCodes };
}

/** The code of an authenticator now, or some steps of 30 seconds earlier or later. */
export function showCode(server: TestServer, secret: string, steps = 0): string {
  return computeCode(secret, server.clock.milliseconds() + steps * 30_000);
}

/** Sends a code to finish an enrolment. */
export function verify(server: TestServer, member: TestMember, code: string): Promise<TestResponse> {
  return server.request('POST', '/v1/me/mfa/totp/verify', { headers: member.session, body: { code } });
}

/** The headers of the session that an answer sets. */
export function readSession(server: TestServer, response: TestResponse): Readonly<Record<string, string>> {
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith('svc_session=svc_session_'));
  assert.ok(cookie, 'no session was set');
  return { Cookie: cookie.slice(0, cookie.indexOf(';')), Origin: server.url };
}

/** A member whose second factor is on, at a time at which no code was used yet. */
export async function createEnrolledMember(
  server: TestServer,
  options: Parameters<TestServer['createMember']>[0] = {},
): Promise<TestMember & Enrolled> {
  const member = await server.createMember(options);
  const enrolled = await startEnrolment(server, member);
  const verified = await verify(server, member, showCode(server, enrolled.secret));
  assert.equal(verified.status, 200, verified.text);
  server.clock.advance(60_000);
  return { ...member, ...enrolled, session: readSession(server, verified) };
}

/** Gives the password, and returns the challenge that waits for a code. */
export async function startSignIn(server: TestServer, { email, password }: TestMember): Promise<string> {
  const { body, text } = await server.request('POST', '/v1/auth/sign-in', { key: null, body: { email, password } });
  assert.equal(body.data?.status, 'mfa_required', text);
  return body.data.challengeId;
}

/** Answers a challenge. */
export function answer(server: TestServer, challengeId: string, code: string): Promise<TestResponse> {
  return server.request('POST', '/v1/auth/challenge', { key: null, body: { challengeId, code } });
}

/** Signs in with password and code. */
export async function signIn(server: TestServer, member: TestMember, code: string): Promise<TestResponse> {
  return answer(server, await startSignIn(server, member), code);
}

/** Reads the status of the second factor; the status of the answer when there is none. */
export async function readMfa(server: TestServer, session: Readonly<Record<string, string>>) {
  const { status, body } = await server.request('GET', '/v1/me/mfa', { headers: session });
  return status === 200 ? body : status;
}
