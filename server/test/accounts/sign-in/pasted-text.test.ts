import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, createFreshTenant, describeServer, payload } from '../../consent/helpers.ts';
import { makeKey, postForm } from '../keys/keys.ts';
import { accept, goodPassword, invite } from '../members/invitation-helpers.ts';
import { signIn } from './sign-in-requests.ts';

/** A text with what mail programs, terminals and web pages add when it is copied. */
const paste = (text: string) => `\u200b ${text.slice(0, 20)}\r\n${text.slice(20)}\u2060\n`;

describeServer('text that was pasted', (server) => {
  test('is read without what copying added: tokens of invitations and resets, client credentials', async () => {
    const tenant = await createFreshTenant(server);
    const { token } = await invite(server, tenant, 'ada@example.com', 'engineer');
    payload(await accept(server, paste(token), goodPassword), 200);
    const { items } = payload(await server.request('GET', '/v1/users?email=ada@example.com', { key: tenant.key }), 200);
    const path = `/v1/users/${items[0].id}/password-reset`;
    const reset = payload(await server.request('POST', path, { key: tenant.key }), 201);
    const body = { token: paste(reset.token), password: goodPassword };
    payload(await server.request('POST', '/v1/auth/password-reset', { key: null, body }), 200);
    const client = await makeKey(server, { name: 'Importer' });
    const fields = { grant_type: 'client_credentials', client_id: `${client.id}\n`, client_secret: paste(client.key) };
    assert.equal((await postForm(server, '/oauth/token', fields)).status, 200);
  });

  test('is read without it at sign-in: the address and the tenant, but not the password', async () => {
    const tenant = await createFreshTenant(server);
    const member = await server.createMember({ tenantId: tenant.id });
    const wide = member.email.replace('@', '＠');
    const typed = { email: `\u200e${wide} `, password: member.password, tenant: ` ${tenant.slug.toUpperCase()}\u200b` };
    payload(await signIn(server, typed), 200);
    assertProblem(await signIn(server, { ...typed, password: `${member.password}\u200b` }), '401 invalid_credentials');
  });

  test('is rejected in an Authorization header, with the reason', async () => {
    const bytes = Buffer.from('\u200b').toString('latin1');
    const refused = await server.request('GET', '/v1/audit', {
      key: null,
      headers: { Authorization: `Bearer ${server.tenant.key}${bytes}` },
    });
    assertProblem(refused, '401 unauthenticated');
    assert.match(refused.body.error.message, /invisible/);
  });
});
