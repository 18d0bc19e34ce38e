import { hash } from 'node:crypto';
import { z } from 'zod';
import { Id } from '../http/schemas.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { type NoticeContent, PublicPurpose, type Purpose } from './notice.ts';
import { noticeFacts } from './notice-facts.ts';
import { NoticeTheme } from './notice-words.ts';
import { loadWords } from './words/default-words.ts';
import { fillWords } from './words/fill-words.ts';
import type { Words } from './words/words.ts';

/** What visitors get of a version: its fixed text in each language. */

/** A notice as a visitor sees it, in one language: spec.md "Consent notice", its version, and what the banner says. */
export const PublicNotice = z
  .strictObject({
    id: Id,
    name: z.string(),
    controllerName: z.string(),
    language: z.string(),
    domain: z.string(),
    purposes: z.array(PublicPurpose),
    version: z.int().min(1),
    asksSince: z
      .int()
      .min(1)
      .meta({ description: 'Visitors who decided on a version before this one are asked again.' }),
    languages: z.array(z.string()).meta({ description: 'The other languages of the notice, as BCP 47 tags.' }),
    links: noticeFacts.links.optional(),
    theme: NoticeTheme.optional(),
    texts: z.record(z.string(), z.string()).meta({
      description: 'What the banner says: the texts of the notice, and those of the server for the others.',
    }),
  })
  .meta({ id: 'PublicNotice' });
export type PublicNotice = z.output<typeof PublicNotice>;

/** What is published under a number. */
interface Publication {
  readonly id: string;
  readonly version: number;
  readonly asksSince: number;
  readonly content: NoticeContent;
}

/** A version in one language, as it is sent and hashed. */
interface ShownText {
  readonly language: string;
  readonly text: string;
  readonly hash: string;
}

/** The texts of a version: in its own language, and in each that every purpose is translated into. */
export async function writeShownTexts(publication: Publication): Promise<readonly ShownText[]> {
  const languages = listLanguages(publication.content);
  return Promise.all(
    languages.map(async (language) => {
      const notice = await presentNotice(publication, language, languages);
      // Without `<` the same bytes can stand in the HTML of a page.
      const text = `{"data":${JSON.stringify(notice).replaceAll('<', '\\u003c')}}`;
      return { language, text, hash: hash('sha256', text) };
    }),
  );
}

async function presentNotice(
  { id, version, asksSince, content }: Publication,
  language: string,
  languages: readonly string[],
): Promise<PublicNotice> {
  const { name, controllerName, domain, links, theme, translations = {} } = content;
  const purposes = listPurposes(content, language);
  const own = language === content.language ? content.texts : translations[language]?.texts;
  const spoken = await loadWords(language);
  const named = { language: spoken.language, controllerName, purposes };
  const { others: _, ...texts } = fillWords({ ...spoken.words, ...(own as Partial<Words>) }, named);
  return {
    id,
    name,
    controllerName,
    language,
    domain,
    purposes,
    version,
    asksSince,
    languages: languages.filter((other) => other !== language),
    ...(links !== undefined && { links }),
    ...(theme !== undefined && { theme }),
    texts,
  };
}

/** The languages of a content, its own first. */
function listLanguages({ language, purposes, translations = {} }: NoticeContent): readonly string[] {
  const isWhole = (tag: string) =>
    purposes.every(({ key, description }) => {
      const words = translations[tag]?.purposes[key];
      return words !== undefined && (words.description !== '' || description === '');
    });
  return [language, ...Object.keys(translations).filter(isWhole).sort()];
}

/** The purposes in one language, with what visitors see of them. */
function listPurposes({ language, purposes, translations = {} }: NoticeContent, wanted: string) {
  const translated = wanted === language ? {} : (translations[wanted]?.purposes ?? {});
  return purposes.map((purpose: Purpose): z.output<typeof PublicPurpose> => {
    const { key, required, basis, basisByRegion, trackers } = purpose;
    const { label, description } = translated[key] ?? purpose;
    return {
      key,
      label,
      description,
      required,
      ...(basis !== undefined && { basis }),
      ...(basisByRegion !== undefined && { basisByRegion }),
      ...(trackers !== undefined && { trackers }),
    };
  });
}

/**
 * Whether visitors who decided on one content must be asked again for another: what they decided on has changed in a
 * language that both have, or they have none in common. Its order and the words of the banner do not matter.
 */
export function mustAskAgain(before: NoticeContent, after: NoticeContent): boolean {
  const earlier = listLanguages(before);
  const common = listLanguages(after).filter((language) => earlier.includes(language));
  return (
    common.length === 0 || common.some((language) => writeMatter(before, language) !== writeMatter(after, language))
  );
}

/** What a visitor decides on, in one language, as text to compare. */
function writeMatter(content: NoticeContent, language: string): string {
  const { controllerName, links = {} } = content;
  const purposes = listPurposes(content, language).map((purpose) => [purpose.key, purpose]);
  return canonicalize({ controllerName, links, purposes: Object.fromEntries(purposes) } as unknown as Json);
}
