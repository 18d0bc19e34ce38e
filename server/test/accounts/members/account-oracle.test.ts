import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createFreshTenant, describeServer } from '../../consent/helpers.ts';
import type { TestResponse, TestServer, TestTenant } from '../../harness.ts';
import { createScimClient, userUrn } from '../../scim/scim-client.ts';
import { createEnrolledMember } from '../mfa/authenticator.ts';
import { failSignIn } from '../sign-in/sign-in-requests.ts';
import { accept, invite } from './invitation-helpers.ts';
import { addPerson, changePeople, readAudit, readWebhooks } from './membership-helpers.ts';

/** The account that an address may have in another tenant. */
const elsewhere: Readonly<Record<string, (server: TestServer, home: TestTenant, email: string) => Promise<unknown>>> = {
  'a provisioned member': (server, { id }, email) => addPerson(server, id, { email }),
  'an invited person': (server, home, email) => invite(server, home, email),
  'a member': (server, { id }, email) => server.createMember({ tenantId: id, email }),
  'a member who took an invitation': async (server, home, email) => {
    const { token } = await invite(server, home, email);
    await accept(server, token);
  },
  'a member with a second factor': (server, { id }, email) => createEnrolledMember(server, { tenantId: id, email }),
  'a suspended member': async (server, { id }, email) => {
    const { userId } = await server.createMember({ tenantId: id, email });
    await changePeople(server, id, [userId], { isActivated: false });
  },
  'a removed member': async (server, { id }, email) => {
    const { userId } = await createEnrolledMember(server, { tenantId: id, email });
    await changePeople(server, id, [userId], { isDeleted: true });
  },
};

describeServer('the information that a tenant gets about an address', (server) => {
  /** Every request of a tenant about an address whose owner has proven nothing to it, in a fixed order. */
  const probe = async (email: string): Promise<readonly unknown[]> => {
    const tenant = await createFreshTenant(server);
    const scim = await createScimClient(server, tenant.id);
    const answers: unknown[] = [];
    const hide = (text: string) =>
      text
        .replaceAll(email, 'EMAIL')
        .replaceAll(tenant.slug, 'SLUG')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/(?:svc_invitation|scim)_\w{4,}/g, 'TOKEN')
        .replace(/(?:sha256:)?[0-9a-f]{64}/g, 'HASH')
        // The limit of the address counts all tests.
        .replace(/;r=\d+/g, ';r=');
    const note = (name: string, { status, headers, text }: TestResponse) => {
      const shown = [...headers].filter(([header]) => !['date', 'svc-request-id', 'content-length'].includes(header));
      answers.push([name, status, hide(text), hide(JSON.stringify(shown))]);
    };
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await server.request(method, path, { key: tenant.key, ...(body && { body }) });
      note(`${method} ${hide(path)}`, answer);
      return answer;
    };
    const provide = async (method: string, path: string, body?: object) => {
      const answer = await scim.send(method, path, body);
      note(`SCIM ${method} ${hide(path)}`, answer);
      return answer;
    };
    const user = { schemas: [userUrn], userName: email };
    await provide('GET', `/Users?${new URLSearchParams({ filter: `userName eq "${email}"` })}`);
    await ask('GET', `/v1/users?${new URLSearchParams({ email })}`);
    await ask('POST', '/v1/users/invitations', { email, role: 'auditor' });
    const { id } = (await provide('POST', '/Users', user)).body;
    await provide('POST', '/Users', user);
    await provide('GET', `/Users/${id}`);
    await provide('PUT', '/Groups/engineer', { schemas: [], members: [{ value: id }] });
    await ask('GET', `/v1/users/${id}`);
    await ask('GET', '/v1/users');
    await ask('GET', `/v1/users/${id}/sessions`);
    await ask('DELETE', `/v1/users/${id}/sessions`);
    await ask('DELETE', `/v1/users/${id}/mfa`);
    await ask('PATCH', `/v1/users/${id}`, { role: 'auditor' });
    await ask('PATCH', `/v1/users/${id}`, { active: false });
    await ask('POST', '/v1/users/invitations', { email });
    await ask('PATCH', `/v1/users/${id}`, { active: true });
    await ask('POST', '/v1/users/invitations', { email });
    note('sign-in', await failSignIn(server, { email, tenant: tenant.slug } as { email: string }));
    await ask('DELETE', `/v1/users/${id}`);
    await ask('DELETE', `/v1/users/${id}/mfa`);
    await provide('POST', '/Users', { ...user, active: false });
    await ask('GET', '/v1/users/invitations');
    answers.push(hide(JSON.stringify(await readAudit(server, tenant.id))));
    answers.push(hide(JSON.stringify(await readWebhooks(server, tenant.id))));
    return answers;
  };
  const newEmail = () => `person-${randomUUID()}@example.com`;

  test('is the same for every state of the account in another tenant', async (context) => {
    const unknown = await probe(newEmail());
    for (const [name, prepare] of Object.entries(elsewhere)) {
      await context.test(name, async () => {
        const email = newEmail();
        await prepare(server, await createFreshTenant(server), email);
        const answers = await probe(email);
        for (const [index, answer] of answers.entries()) assert.deepEqual(answer, unknown[index]);
        assert.equal(answers.length, unknown.length);
      });
    }
  });

  test('of a member without a second factor is the same, whether or not they sign in elsewhere', async () => {
    const tenant = await createFreshTenant(server);
    const [only, both] = [newEmail(), newEmail()];
    await server.createMember({ tenantId: (await createFreshTenant(server)).id, email: both });
    const answers = [];
    for (const email of [only, both]) {
      const { userId } = await server.createMember({ tenantId: tenant.id, email });
      const { status, body } = await server.request('DELETE', `/v1/users/${userId}/mfa`, { key: tenant.key });
      answers.push([status, body.error.code, body.error.message]);
    }
    assert.deepEqual(answers[1], answers[0]);
  });
});
