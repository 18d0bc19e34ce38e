import { z } from 'zod';
import { namedObject, UtcTime } from '../../http/schemas.ts';
import { LedgerVerification } from '../../ledger/verification.ts';

export const mostCounted = 1000;
const description = `At most ${mostCounted}, which also stands for more.`;
const Count = z.int().min(0).max(mostCounted).meta({ description });
const Fact = z.boolean().nullable();

const part = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z
    .strictObject(shape)
    .meta({ id: `Overview${id}`, description })
    .nullable();

/** The start page of a tenant: pending work, readiness and proofs; each part is null for callers without its scope. */
export const Overview = namedObject('Overview', {
  requests: part('Requests', 'Data-subject requests; needs `dsr:read`.', { open: Count, overdue: Count }),
  breaches: part(
    'Breaches',
    'Breaches that are not closed, and those 72 hours after their discovery without a notification of the authority or a reason; needs `breach:read`.',
    { open: Count, pastDeadline: Count },
  ),
  controls: part(
    'Controls',
    'The score of the readiness, controls whose requested evidence is overdue, and tests that are due; null also before a framework is adopted. Needs `controls:read`.',
    { readiness: z.int(), overdueEvidence: z.int(), dueTests: z.int() },
  ),
  webhooks: part(
    'Webhooks',
    'Webhooks whose deliveries keep failing or that were disabled, and deliveries that failed for good; needs `webhooks:read`.',
    { failing: Count, deadLetters: Count },
  ),
  notices: part(
    'Notices',
    'Published notices, and those of them that were published more than a week ago and not seen on any site within the last week; needs `consent:read`.',
    { published: Count, unseen: Count },
  ),
  proofs: part('Proofs', 'Needs `audit:read`.', {
    latestCheckpointAt: UtcTime.nullable().meta({ description: 'Of the consent ledger and the audit log together.' }),
    latestVerification: LedgerVerification.nullable(),
  }),
  firstSteps: part(
    'FirstSteps',
    'Which of the first steps are done; null for those whose data the caller may not read. Null for a tenant whose setting `firstSteps` is off, and for callers without `tenant:write`.',
    {
      noticePublished: Fact,
      bannerSeen: Fact,
      secondMember: z.boolean().meta({ description: 'Whether two people can sign in.' }),
      secondFactor: Fact.meta({ description: 'Whether the caller has one; null for an API key.' }),
      checkpointMade: Fact,
      webhookDelivered: Fact.meta({ description: `Whether one of the latest ${mostCounted} deliveries arrived.` }),
    },
  ),
});
export type Overview = z.output<typeof Overview>;
