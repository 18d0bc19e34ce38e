import { z } from 'zod';
import { UtcTime } from '../http/schemas.ts';
import { TenantName, TenantSlug } from '../tenants/tenant.ts';
import { listAchievements, type PublishedTrustCenter } from './trust-center.ts';

const stored = z.strictObject({
  headline: z.string().nullable(),
  description: z.string().nullable(),
  contactEmail: z.string().nullable(),
  securityContact: z.string().nullable(),
  frameworks: z.array(
    z
      .strictObject({
        code: z.string(),
        achievedAt: UtcTime,
        expiresAt: UtcTime.nullable(),
        reportUrl: z.string().nullable(),
      })
      .meta({ id: 'AchievedFramework' }),
  ),
  links: z.array(z.strictObject({ label: z.string(), url: z.string() }).meta({ id: 'TrustLink' })),
  subprocessors: z.array(
    z.strictObject({ name: z.string(), purpose: z.string(), country: z.string() }).meta({ id: 'Subprocessor' }),
  ),
  showsProof: z.boolean(),
});

/** A trust center as its tenant sees it. */
export const TrustCenterView = z
  .strictObject({
    slug: TenantSlug,
    name: TenantName,
    url: z.string().meta({ description: 'The public page, which is there while the trust center is published.' }),
    published: z.boolean(),
    ...stored.shape,
    publishedAt: UtcTime.nullable().meta({ description: 'Since when it is published; null while it is not.' }),
    updatedAt: UtcTime.nullable().meta({ description: 'Null before the first change.' }),
  })
  .meta({ id: 'TrustCenter' });

/** What the trust badge shows: spec.md "Trust widget data". */
export const TrustWidget = z
  .strictObject({
    name: z.string(),
    slug: z.string(),
    achievedFrameworks: z
      .array(z.string())
      .meta({ description: 'The names of the frameworks that are achieved and have not expired.' }),
    updatedAt: UtcTime,
  })
  .meta({ id: 'TrustWidget' });
export type TrustWidget = z.output<typeof TrustWidget>;

/** What the badge is told at a time. */
export function describeWidget({ name, slug, content, updatedAt }: PublishedTrustCenter, now: string): TrustWidget {
  const achievedFrameworks = listAchievements(content, now).map(({ framework }) => framework.name);
  return { name, slug, achievedFrameworks, updatedAt };
}
