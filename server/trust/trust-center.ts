import { z } from 'zod';
import { catalogue, type Framework, findFramework } from '../controls/catalogue/catalogue.ts';
import {
  deceptiveIssue,
  list,
  refuseRepeated,
  Time,
  text,
  textLine,
  turningCharacters,
  UtcTime,
  visibleText,
  WebAddress,
} from '../http/schemas.ts';
import { Email } from '../identity/email.ts';
import { canonicalize } from '../ledger/canonical.ts';
import { TenantName, TenantSlug } from '../tenants/tenant.ts';

const deceptive = new RegExp(`[${turningCharacters}]|[^\\P{Cc}\\n\\t]`, 'u');

/** Text with paragraphs that blank lines separate; line ends become LF. */
export function publicText(maximum: number) {
  return visibleText(maximum)
    .overwrite((text) => text.replace(/\r\n?/g, '\n'))
    .refine((text) => !deceptive.test(text), deceptiveIssue);
}

const AchievedFramework = z
  .strictObject({
    code: text(64)
      .refine((code) => findFramework(code) !== undefined, 'must be a framework of the catalogue')
      .meta({ description: 'The code of a framework of the catalogue.' }),
    achievedAt: Time.meta({ description: 'Not in the future, and not before 2000.' }),
    expiresAt: Time.nullable().default(null).meta({ description: 'From this time on, the framework is not shown.' }),
    reportUrl: WebAddress.nullable().default(null).meta({ description: 'A report or certificate.' }),
  })
  .meta({ id: 'AchievedFrameworkInput' });

const Link = z.strictObject({ label: textLine(100), url: WebAddress }).meta({ id: 'TrustLinkInput' });

const Subprocessor = z
  .strictObject({ name: textLine(120), purpose: textLine(240), country: textLine(80) })
  .meta({ id: 'SubprocessorInput' });

const contentFields = {
  headline: textLine(160).nullable().default(null),
  description: publicText(4000)
    .nullable()
    .default(null)
    .meta({ description: 'Text; blank lines separate paragraphs.' }),
  contactEmail: Email.nullable().default(null),
  securityContact: WebAddress.nullable().default(null).meta({ description: 'Where to report a vulnerability.' }),
  frameworks: list(AchievedFramework, 50)
    .superRefine(refuseRepeated('is a duplicate', ({ code }) => code, 'code'))
    .superRefine((frameworks, context) => {
      for (const [index, { achievedAt, expiresAt }] of frameworks.entries()) {
        if (expiresAt !== null && expiresAt <= achievedAt)
          context.addIssue({ code: 'custom', path: [index, 'expiresAt'], message: 'must be after achievedAt' });
      }
    })
    .default([]),
  links: list(Link, 20)
    .superRefine(refuseRepeated('is a duplicate', ({ label }) => label.toLowerCase(), 'label'))
    .default([])
    .meta({ description: 'The privacy policy, the status page and other links, each with a unique label.' }),
  subprocessors: list(Subprocessor, 100).superRefine(refuseRepeated('is a duplicate', canonicalize)).default([]),
  showsProof: z.boolean().default(false).meta({
    description:
      'Whether the page shows the latest signed checkpoint of the audit log, which includes the number of its events.',
  }),
};

/** What a tenant publishes in its trust center. */
export const TrustContent = z.strictObject(contentFields);
export type TrustContent = Readonly<z.output<typeof TrustContent>>;

/** The body of a PUT; omitted fields become empty. */
export const TrustCenterInput = z
  .strictObject({ published: z.boolean(), ...contentFields })
  .meta({ id: 'TrustCenterInput' });
export type TrustCenterInput = Readonly<z.output<typeof TrustCenterInput>>;

/** The content before the first change. */
export const emptyContent: TrustContent = TrustContent.parse({});

const stored = {
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
};

/** The trust center as the API returns it to its tenant. */
export const TrustCenterView = z
  .strictObject({
    slug: TenantSlug,
    name: TenantName,
    url: z.string().meta({ description: 'The public page, available while the trust center is published.' }),
    published: z.boolean(),
    ...stored,
    publishedAt: UtcTime.nullable().meta({ description: 'When it was published; null while it is not.' }),
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

/** A framework of the catalogue that a tenant achieved. */
export type Achievement = TrustContent['frameworks'][number] & { readonly framework: Framework };

/** The achieved frameworks that have not expired at a time, in the order of the catalogue. */
export function listAchievements({ frameworks }: TrustContent, now: string): readonly Achievement[] {
  return catalogue.frameworks.flatMap((framework) => {
    const achieved = frameworks.find(({ code }) => code === framework.code);
    if (achieved === undefined || (achieved.expiresAt !== null && achieved.expiresAt <= now)) return [];
    return [{ framework, ...achieved }];
  });
}

/** The path of the public page of a tenant. */
export function trustPath(slug: string): string {
  return `/trust/${slug}`;
}
