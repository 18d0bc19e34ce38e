import { hash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { Id, list, namedObject, refuseRepeated, text, UtcTime } from '../http/schemas.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { Language } from './language.ts';
import { mostTrackers } from './notice-bounds.ts';
import { noticeFacts, purposeFacts } from './notice-facts.ts';
import { NoticeTexts, NoticeTheme, NoticeTranslations } from './notice-words.ts';
import { basisFields, findRefusable } from './purpose-basis.ts';

export const NoticeStatus = z.enum(['draft', 'published', 'archived']).meta({ id: 'NoticeStatus' });
export type NoticeStatus = z.output<typeof NoticeStatus>;

/** A purpose as visitors see it. */
export const PublicPurpose = z
  .strictObject({
    key: text(256)
      .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, {
        abort: true,
        error: 'must begin with a letter and have at most 64 of A-Z a-z 0-9 _ . -',
      })
      // Code of a page that looks a purpose up in an object would find what every object has.
      .refine((key) => !(key in Object.prototype), 'must not be a name that every object has, such as constructor'),
    label: text(200).trim().min(1),
    description: text(2000).trim(),
    required: z.boolean().meta({ description: 'A required purpose cannot be refused.' }),
    ...z.strictObject(basisFields).partial().shape,
  })
  .meta({ id: 'PublicPurpose' });

export const Purpose = PublicPurpose.extend(z.strictObject(purposeFacts).partial().shape)
  .superRefine((purpose, context) => {
    const message = 'must be exempt, because the purpose is required';
    for (const path of findRefusable(purpose)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'Purpose' });
export type Purpose = z.output<typeof Purpose>;

/**
 * Characters that the URL parser behind `domainToASCII` would silently drop or decode: `example.com/shop` is no site.
 */
const noHostCharacter = /[/?#\\%\t\n\r]/;
const hostname = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Brings a site's name into the one form that is stored and compared: lower-case ASCII without a final dot.
 * @returns null for an invalid host name: one with a scheme, a port, a path, a wildcard.
 */
export function normalizeDomain(text: string): string | null {
  if (noHostCharacter.test(text.trim())) return null;
  const ascii = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  return hostname.test(ascii) ? ascii : null;
}

/** A site: `example.com`, `localhost`, an IPv4 address; international names are stored as their ASCII form. */
export const Domain = text(253)
  .min(1)
  .transform((text, context) => {
    const domain = normalizeDomain(text);
    if (domain !== null && (domain.includes('.') || domain === 'localhost')) return domain;
    context.addIssue('must be a host name such as example.com, without scheme, port or path');
    return z.NEVER;
  })
  .meta({ override: { type: 'string', minLength: 1, maxLength: 253 } });

const Purposes = list(Purpose, 50)
  .min(1)
  .superRefine(refuseRepeated('is used twice', ({ key }) => key, 'key'));

const contentFields = {
  name: text(200).trim().min(1),
  controllerName: text(200).trim().min(1).meta({ description: 'Who is responsible for the data (GDPR Article 4(7)).' }),
  language: Language.meta({ description: 'BCP 47.' }),
  domain: Domain.meta({ description: 'The site the notice may be used on; its subdomains are included.' }),
  purposes: Purposes,
};
const presentation = { texts: NoticeTexts, theme: NoticeTheme, translations: NoticeTranslations };
const optionalFields = z.strictObject({ ...noticeFacts, ...presentation }).partial().shape;
const removableFields = {
  texts: NoticeTexts.nullable(),
  theme: NoticeTheme.nullable(),
  translations: NoticeTranslations.nullable(),
  controllerContact: noticeFacts.controllerContact.nullable(),
  links: noticeFacts.links.nullable(),
  rights: noticeFacts.rights.nullable(),
  jurisdictions: noticeFacts.jurisdictions.nullable(),
  consentDuration: noticeFacts.consentDuration.nullable(),
} satisfies Record<keyof typeof noticeFacts | keyof typeof presentation, z.ZodType>;

/** The content that a visitor sees and decides on, and what it states about the processing. */
export const NoticeContent = z
  .strictObject({ ...contentFields, ...optionalFields })
  .superRefine((content, context) => {
    for (const { path, message } of findContentFaults(content)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'NoticeContent' });
export type NoticeContent = Readonly<z.output<typeof NoticeContent>>;

/** Faults between the fields of a content, each of which is valid by itself. */
export function findContentFaults({
  language,
  purposes,
  translations = {},
}: Pick<NoticeContent, 'language' | 'purposes' | 'translations'>): readonly {
  readonly path: string[];
  readonly message: string;
}[] {
  const faults: { path: string[]; message: string }[] = [];
  const trackers = purposes.reduce((sum, purpose) => sum + (purpose.trackers?.length ?? 0), 0);
  if (trackers > mostTrackers)
    faults.push({
      path: ['purposes'],
      message: `must have at most ${mostTrackers} trackers together; these have ${trackers}`,
    });
  const keys = new Set(purposes.map(({ key }) => key));
  for (const [tag, translation] of Object.entries(translations)) {
    const path = ['translations', tag];
    if (tag === language) faults.push({ path, message: 'is the language of the notice itself' });
    for (const key of Object.keys(translation.purposes))
      if (!keys.has(key)) faults.push({ path: [...path, 'purposes', key], message: 'is not a purpose of the notice' });
  }
  return faults;
}

/** A change of some fields of the content; null removes one. */
export const NoticeChange = z
  .strictObject({ ...contentFields, ...removableFields })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change at least one field')
  .meta({ id: 'NoticeChange' });
export type NoticeChange = z.output<typeof NoticeChange>;

const storedContentFields = {
  name: z.string(),
  controllerName: z.string(),
  language: z.string(),
  domain: z.string(),
  purposes: z.array(Purpose),
  ...optionalFields,
};

/** Something that a notice should state and does not. It is published all the same. */
const NoticeWarning = namedObject('NoticeWarning', {
  code: z
    .enum(['controller_not_named', 'purposes_not_named'])
    .meta({ id: 'NoticeWarningCode', description: 'The fault of the first layer.' }),
  language: z.string().meta({ description: 'BCP 47: the language in which it is missing.' }),
  path: z.string().meta({ description: 'The field to change, such as `translations.de.texts.intro`.' }),
  purposes: z.array(z.string()).meta({ description: 'Keys of the purposes that are not named.' }),
  message: z.string(),
});
export type NoticeWarning = z.output<typeof NoticeWarning>;

/** A notice as its tenant sees it: the content under edit, and what is published. */
export const Notice = namedObject('Notice', {
  id: Id,
  status: NoticeStatus,
  ...storedContentFields,
  version: z.int().min(1).nullable().meta({ description: 'The latest published version; null before the first.' }),
  hasUnpublishedChanges: z.boolean().meta({ description: 'Whether the content differs from the latest version.' }),
  recordCount: z.int().min(0),
  createdAt: UtcTime,
  updatedAt: UtcTime,
  publishedAt: UtcTime.nullable(),
  archivedAt: UtcTime.nullable(),
  lastSeenAt: UtcTime.nullable().meta({
    description: 'When a page of the site last fetched it or sent a decision, some seconds late; null for never.',
  }),
  warnings: z.array(NoticeWarning).meta({
    description:
      'The faults of the content under edit in each language that visitors get: a text of your own in place of the default intro should name the controller and every purpose that can be refused, by `{controller}` and `{purposes}` or in words. A warning prevents nothing.',
  }),
});
export type Notice = z.output<typeof Notice>;

/** A published version. It never changes, so its hash proves what was shown. */
export const NoticeVersion = namedObject('NoticeVersion', {
  version: z.int().min(1),
  ...storedContentFields,
  contentHash: z.string().meta({ description: 'SHA-256 of the canonical content (RFC 8785), hex.' }),
  asksSince: z.int().min(1).meta({ description: 'Visitors who decided on a version before this one are asked again.' }),
  shown: z
    .record(z.string(), z.string())
    .meta({ description: 'Language to the SHA-256, hex, of what visitors get in it.' }),
  publishedAt: UtcTime,
});
export type NoticeVersion = z.output<typeof NoticeVersion>;

const noticeEventFields = {
  noticeId: Id,
  ...Notice.pick({ name: true, domain: true, version: true, status: true }).shape,
};

/** The data of the webhook events about notices. */
export const noticeEvents = {
  'consent_notice.published': namedObject('NoticePublishedEventData', {
    ...noticeEventFields,
    version: z.int().min(1),
  }),
  'consent_notice.archived': namedObject('NoticeArchivedEventData', noticeEventFields),
};

/** The canonical text of a content, which is stored and hashed. */
export function sealContent(content: NoticeContent): { readonly text: string; readonly hash: string } {
  const text = canonicalize(content as unknown as Json);
  return { text, hash: hash('sha256', text) };
}

const contentNames = Object.keys(NoticeContent.shape) as readonly (keyof NoticeContent)[];

/** The content of a notice under edit. */
export function contentOf(notice: NoticeContent): NoticeContent {
  const stated = contentNames.filter((name) => notice[name] !== undefined);
  return Object.fromEntries(stated.map((name) => [name, notice[name]])) as NoticeContent;
}

/** The content after a change. */
export function applyChange(content: NoticeContent, change: NoticeChange): NoticeContent {
  const changed = Object.entries({ ...content, ...change }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return Object.fromEntries(changed) as unknown as NoticeContent;
}

/** The entity tag of the content under edit, for `If-Match`. */
export function tagContent(notice: Notice): string {
  return `"${sealContent(contentOf(notice)).hash.slice(0, 16)}"`;
}

/** Text without differences of case and form. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
