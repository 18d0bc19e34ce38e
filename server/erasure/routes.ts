import { z } from 'zod';
import { SubjectId } from '../consent/record.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { eraseSubject } from './erase.ts';
import { Erasure, ErasureInput } from './erasure.ts';

/** The operations that erase what identifies a person. */
export function erasureRoutes(): readonly Route[] {
  return [
    defineRoute('POST /v1/consent/subjects/{subjectId}/erase', {
      operationId: 'eraseSubject',
      tag: 'Consent records',
      scope: 'dsr:write',
      summary: 'Erase what identifies a data subject',
      description:
        'Clears the subject and the keyed hashes of address and agent in all records of the subject, and the completed data-subject requests, webhook events and stored responses with them. In the audit log, clears each value that is the subject, and the texts of events about these requests. The records themselves stay in the ledger, which verifies as before. Pending deliveries are canceled. Cannot be undone. Emits `subject.erased`. Repeating the request erases what came since.',
      params: z.strictObject({ subjectId: SubjectId }),
      body: ErasureInput,
      result: Erasure,
      errors: ['dsr_open'],
      change: (call, work) => eraseSubject(work, call.source(), call.params.subjectId, call.body.reason),
    }),
  ];
}
