import { z } from 'zod';
import { requireOtherUser } from '../../accounts/members/account-store.ts';
import { findAnyMembership } from '../../accounts/members/membership.ts';
import { SubjectId } from '../../consent/record.ts';
import { EvidenceParams } from '../../controls/evidence.ts';
import { requireScopesOf } from '../../http/authorize.ts';
import { requireFound } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { Id } from '../../http/schemas.ts';
import type { Installation } from '../../installation/installation.ts';
import { eraseBreach, eraseDsr, eraseEvidence, eraseSubject } from './erase.ts';
import { Erasure, ErasureInput } from './erasure.ts';
import { UserErasure } from './user-erasure.ts';
import { eraseUser } from './user-store.ts';

const params = z.strictObject({ id: Id });

const ownErasure = 'You cannot erase yourself, also with an API key that you created; ask another administrator.';

/** The operations that erase what identifies a person. */
export function erasureRoutes({ box }: Installation): readonly Route[] {
  return [
    defineRoute('POST /v1/consent/subjects/{subjectId}/erase', {
      operationId: 'eraseSubject',
      sdkMethod: 'consent.subjects.erase',
      tag: 'Consent records',
      scope: 'dsr:write',
      summary: 'Erase what identifies a data subject',
      description:
        'Clears the subject and the keyed hashes of address and agent in all records of the subject, and the completed data-subject requests, webhook events and stored responses with them. In the audit log, clears each value that is the subject, and the texts of events about these requests. The records themselves stay in the ledger, which verifies as before. Pending deliveries are canceled. Cannot be undone. Emits `subject.erased`. Repeating the request erases what came since, and joins an erasure that is still running.',
      params: z.strictObject({ subjectId: SubjectId }),
      body: ErasureInput,
      result: Erasure,
      errors: ['dsr_open'],
      write: (call, tx) => eraseSubject(tx, call.source(), call.params.subjectId, call.body.reason),
    }),
    defineRoute('POST /v1/users/{id}/erase', {
      operationId: 'eraseUser',
      sdkMethod: 'users.erase',
      tag: 'Users',
      scope: 'users:write',
      summary: 'Erase what identifies a present or former member',
      description:
        'Removes the member and ends their sessions in this tenant, and clears their e-mail address, names and id at the identity provider in invitations, the audit log, webhook events and stored responses of this tenant. What they did stays in the audit log without their address, which verifies as before; API keys stay. Pending deliveries are canceled. Other tenants keep the membership that they have; the account, with password and second factor, goes with the last one. Cannot be undone. The last administrator who can sign in cannot be erased. Answers 409 `conflict` for the caller itself, also with an API key that they created.',
      params,
      body: ErasureInput,
      result: UserErasure,
      async write(call, tx) {
        const { principal, params } = call;
        const { tenantId } = principal;
        // Before the lock of the account, which must not reveal whether there is one.
        requireFound(await findAnyMembership(tx.queries, tenantId, params.id), 'user');
        const { email } = await tx.lockAccount(params.id);
        await tx.lockTenant(tenantId);
        const member = requireFound(await findAnyMembership(tx.queries, tenantId, params.id), 'user');
        await requireOtherUser(tx.queries, principal.actor, member.user_id, ownErasure);
        requireScopesOf(principal, member.role);
        return eraseUser(tx, box, call.source(), { member, email }, call.body.reason);
      },
    }),
    defineRoute('POST /v1/dsr/{id}/erase', {
      operationId: 'eraseDsr',
      sdkMethod: 'dsr.erase',
      tag: 'Data-subject requests',
      scope: 'dsr:write',
      summary: 'Erase the texts of a completed data-subject request',
      description:
        'Clears the subject, the notes, the reasons and what was typed into the form, also in the audit events, webhook events and stored responses about the request. Its type, dates and outcome stay, and so do the consent records of the subject. Pending deliveries are canceled. Cannot be undone. Emits `subject.erased` unless nothing was left to erase.',
      params,
      body: ErasureInput,
      result: Erasure,
      errors: ['dsr_open'],
      write: (call, tx) => eraseDsr(tx, call.source(), call.params.id, call.body.reason),
    }),
    defineRoute('POST /v1/breach/{id}/erase', {
      operationId: 'eraseBreach',
      sdkMethod: 'breaches.erase',
      tag: 'Breaches',
      scope: 'breach:write',
      summary: 'Erase the texts of a closed breach',
      description:
        'Clears the title, the description, the categories of data and the reason, also in the audit events and stored responses about the breach. Its severity, dates and the number of people stay. It cannot be reopened. Cannot be undone. Emits `subject.erased` unless nothing was left to erase.',
      params,
      body: ErasureInput,
      result: Erasure,
      errors: ['breach_open'],
      write: (call, tx) => eraseBreach(tx, call.source(), call.params.id, call.body.reason),
    }),
    defineRoute('POST /v1/control-framework/controls/{controlId}/evidence/{evidenceId}/erase', {
      operationId: 'eraseEvidence',
      sdkMethod: 'controls.evidence.erase',
      tag: 'Controls',
      scope: 'controls:write',
      summary: 'Erase the texts and the file of an item of evidence',
      description:
        'Clears the title, the description, the link, the name of the file and the reason of the withdrawal, also in audit events and stored responses, and deletes the file. Kind, dates, size and SHA-256 stay. The item is withdrawn with it. Other items with the same bytes keep their copy. Cannot be undone. Emits `subject.erased` unless nothing was left to erase.',
      params: EvidenceParams,
      body: ErasureInput,
      result: Erasure,
      write: (call, tx) => eraseEvidence(tx, call.source(), call.params, call.body.reason),
    }),
  ];
}
