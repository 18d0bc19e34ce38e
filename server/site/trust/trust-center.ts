import { z } from 'zod';
import { Email } from '../../accounts/members/email.ts';
import { TenantName, TenantSlug } from '../../accounts/tenants/tenant.ts';
import { catalogue, type Framework, findFramework } from '../../controls/catalogue/catalogue.ts';
import {
  deceptiveIssue,
  list,
  namedObject,
  refuseRepeated,
  Time,
  text,
  textLine,
  turningCharacters,
  UtcTime,
  visibleText,
  WebAddress,
} from '../../http/schemas.ts';
import { canonicalize } from '../../ledger/canonical.ts';
import { achievementsOf } from './achievements.ts';

const deceptive = new RegExp(`[${turningCharacters}]|[^\\P{Cc}\\n\\t]`, 'u');

/** Text with paragraphs that blank lines separate; line ends become LF. */
export function publicText(maximum: number) {
  return visibleText(maximum)
    .overwrite((text) => text.replace(/\r\n?/g, '\n'))
    .refine((text) => !deceptive.test(text), deceptiveIssue);
}

const AchievedFramework = namedObject('AchievedFrameworkInput', {
  code: text(64)
    .refine((code) => findFramework(code) !== undefined, 'must be a framework of the catalogue')
    .meta({ description: 'The code of a framework of the catalogue.' }),
  achievedAt: Time.meta({ description: 'Not in the future, and not before 2000.' }),
  expiresAt: Time.nullable().default(null).meta({ description: 'From this time on, the framework is not shown.' }),
  reportUrl: WebAddress.nullable().default(null).meta({ description: 'A report or certificate.' }),
});

const Link = namedObject('TrustLinkInput', { label: textLine(100), url: WebAddress });

const Subprocessor = namedObject('SubprocessorInput', {
  name: textLine(120),
  purpose: textLine(240),
  country: textLine(80),
  since: Time.nullable()
    .default(null)
    .meta({ description: 'From when it processes data, perhaps in the future: this is announced as a change.' }),
  until: Time.nullable()
    .default(null)
    .meta({ description: 'Until when. From then on it is listed among the changes only.' }),
});

/** The key that identifies a subprocessor from one version of the trust center to the next. */
export function keySubprocessor({ name, since }: { readonly name: string; readonly since: string | null }): string {
  return canonicalize([name.toLowerCase(), since]);
}

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
  subprocessors: list(Subprocessor, 100)
    .superRefine(refuseRepeated('is a duplicate', keySubprocessor))
    .superRefine((subprocessors, context) => {
      for (const [index, { since, until }] of subprocessors.entries()) {
        if (since !== null && until !== null && until <= since)
          context.addIssue({ code: 'custom', path: [index, 'until'], message: 'must be after since' });
      }
    })
    .default([])
    .meta({ description: 'Each with its own name, or its own name and `since`.' }),
  showsProof: z.boolean().default(false).meta({
    description:
      'Whether the page shows the latest signed checkpoint of the audit log, which includes the number of its events.',
  }),
};

/** A subprocessor with when its changes became public: since when the page and the feed show them. */
const SubprocessorView = namedObject('Subprocessor', {
  name: z.string(),
  purpose: z.string(),
  country: z.string(),
  since: UtcTime.nullable(),
  until: UtcTime.nullable(),
  announcedAt: UtcTime.nullable().meta({ description: 'Since when it is public; null while it was not.' }),
  endAnnouncedAt: UtcTime.nullable().meta({ description: 'Since when `until` is public.' }),
  changedAt: UtcTime.nullable().meta({ description: 'When what is announced last changed.' }),
});
export type Subprocessor = z.output<typeof SubprocessorView>;

const Content = z.strictObject(contentFields);

/** The content that a tenant publishes in its trust center. */
export type TrustContent = Readonly<
  Omit<z.output<typeof Content>, 'subprocessors'> & { subprocessors: Subprocessor[] }
>;

/** The body of a PUT; omitted fields become empty. */
export const TrustCenterInput = namedObject('TrustCenterInput', { published: z.boolean(), ...contentFields });
export type TrustCenterInput = Readonly<z.output<typeof TrustCenterInput>>;

/** The content that the next publication would show; omitted fields become empty. */
export const TrustDraftInput = Content.meta({ id: 'TrustDraftInput' });
export type TrustDraftInput = Readonly<z.output<typeof TrustDraftInput>>;

/** The content before the first change. */
export const emptyContent: TrustContent = { ...Content.parse({}), subprocessors: [] };

const stored = {
  headline: z.string().nullable(),
  description: z.string().nullable(),
  contactEmail: z.string().nullable(),
  securityContact: z.string().nullable(),
  frameworks: z.array(
    namedObject('AchievedFramework', {
      code: z.string(),
      achievedAt: UtcTime,
      expiresAt: UtcTime.nullable(),
      reportUrl: z.string().nullable(),
    }),
  ),
  links: z.array(namedObject('TrustLink', { label: z.string(), url: z.string() })),
  subprocessors: z.array(SubprocessorView),
  showsProof: z.boolean(),
};

/** A draft as the API returns it: dates of announcements are added when it is published. */
const TrustDraft = namedObject('TrustDraft', {
  ...stored,
  subprocessors: z.array(
    SubprocessorView.omit({ announcedAt: true, endAnnouncedAt: true, changedAt: true }).meta({
      id: 'DraftSubprocessor',
    }),
  ),
  updatedAt: UtcTime,
});

/** The trust center as the API returns it to its tenant. */
export const TrustCenterView = namedObject('TrustCenter', {
  slug: TenantSlug,
  name: TenantName,
  url: z.string().meta({ description: 'The public page, available while the trust center is published.' }),
  published: z.boolean(),
  ...stored,
  publishedAt: UtcTime.nullable().meta({ description: 'When it was published; null while it is not.' }),
  updatedAt: UtcTime.nullable().meta({ description: 'Null before the first change.' }),
  draft: TrustDraft.nullable().meta({ description: 'What is saved but not public; null for none.' }),
});

/** The badge's own words in one language. */
export const BadgeWords = namedObject('BadgeWords', {
  language: z.string().meta({ description: 'BCP 47: what was asked for, or the nearest that there is.' }),
  direction: z.enum(['ltr', 'rtl']),
  trustCenter: z.string(),
  view: z.string().meta({ description: 'The text of the main link.' }),
  updated: z.string().meta({ description: 'Precedes "3 days ago".' }),
  updatedOn: z.string().meta({ description: 'Precedes a date.' }),
  poweredBy: z.string(),
  close: z.string(),
});
export type BadgeWords = z.output<typeof BadgeWords>;

/** The data of the trust badge: spec.md "Trust widget data", and its texts if a language was requested. */
export const TrustWidget = namedObject('TrustWidget', {
  name: z.string(),
  slug: z.string(),
  achievedFrameworks: z
    .array(z.string())
    .meta({ description: 'The names of the frameworks that are achieved and have not expired.' }),
  updatedAt: UtcTime,
  words: BadgeWords.optional().meta({ description: 'Only with `language`.' }),
});

/** A framework that a tenant achieved, with what the page says about it. */
export type Achievement = TrustContent['frameworks'][number] & {
  readonly framework: Readonly<Record<'category' | 'allowedClaim' | 'assuranceBoundary', string | null>> &
    Pick<Framework, 'code' | 'name'>;
};

/** The achieved frameworks that have not expired at a time, in the order of the catalogue. */
export function listAchievements(content: TrustContent, now: string): readonly Achievement[] {
  return achievementsOf(catalogue.frameworks, content.frameworks, now);
}

/** The path of the public page of a tenant. */
export function trustPath(slug: string): string {
  return `/trust/${slug}`;
}
