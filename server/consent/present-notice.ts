import type { z } from 'zod';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import { fillMessages } from './messages/fill-messages.ts';
import type { Messages } from './messages/messages.ts';
import type { NoticeContent, PublicPurpose } from './notice.ts';

/** How a content becomes what visitors get. The dashboard runs the same functions for its preview: no Node in here. */

/** A published version: its content, and its number. */
export interface Publication {
  readonly id: string;
  readonly version: number;
  readonly asksSince: number;
  readonly content: NoticeContent;
}

/** Default messages, with their own language. */
export interface LocalizedMessages {
  readonly messages: Messages;
  readonly language: string;
}

/** A version as visitors get it in one of its languages. @param defaults the default messages for that language. */
export function presentNotice(
  { id, version, asksSince, content }: Publication,
  language: string,
  defaults: LocalizedMessages,
) {
  const { name, controllerName, domain, links, theme } = content;
  const purposes = listPurposes(content, language);
  const own = ownTexts(content, language);
  const named = { language: defaults.language, controllerName, purposes };
  const { others: _, ...texts } = fillMessages({ ...defaults.messages, ...(own as Partial<Messages>) }, named);
  return {
    id,
    name,
    controllerName,
    language,
    domain,
    purposes,
    version,
    asksSince,
    languages: listLanguages(content).filter((other) => other !== language),
    ...(links !== undefined && { links }),
    ...(theme !== undefined && { theme }),
    texts,
  };
}

/** The texts of the site in a language; undefined if it has none. */
export function ownTexts({ language, texts, translations = {} }: NoticeContent, wanted: string) {
  return wanted === language ? texts : translations[wanted]?.texts;
}

/** The bytes that are sent and hashed. Without `<` they can also be in the HTML of a page. */
export function writeNotice(notice: ReturnType<typeof presentNotice>): string {
  return `{"data":${JSON.stringify(notice).replaceAll('<', '\\u003c')}}`;
}

/** The languages of a content, its own first. */
export function listLanguages(content: NoticeContent): readonly string[] {
  const { language, translations = {} } = content;
  const isWhole = (tag: string) => listUntranslated(content, tag).length === 0;
  return [language, ...Object.keys(translations).filter(isWhole).sort()];
}

/** The keys of the purposes that have no words in a language. As long as there is one, visitors do not get the language. */
export function listUntranslated({ purposes, translations = {} }: NoticeContent, tag: string): readonly string[] {
  const isMissing = ({ key, description }: NoticeContent['purposes'][number]) => {
    const words = translations[tag]?.purposes[key];
    return words === undefined || (words.description === '' && description !== '');
  };
  return purposes.filter(isMissing).map(({ key }) => key);
}

/** The purposes in one language, with what visitors see of them. */
export function listPurposes({ language, purposes, translations = {} }: NoticeContent, wanted: string) {
  const translated = wanted === language ? {} : (translations[wanted]?.purposes ?? {});
  return purposes.map((purpose): z.output<typeof PublicPurpose> => {
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
 * True if visitors who decided on one content must be asked again for another: the controller, the links or a purpose
 * has changed in a language that both have, or they have no language in common. The order of the purposes and the texts
 * of the banner are not compared.
 */
export function mustAskAgain(before: NoticeContent, after: NoticeContent): boolean {
  const earlier = listLanguages(before);
  const common = listLanguages(after).filter((language) => earlier.includes(language));
  return (
    common.length === 0 || common.some((language) => writeMatter(before, language) !== writeMatter(after, language))
  );
}

/** The parts of a content that a visitor decides on, in one language, as text to compare. */
function writeMatter(content: NoticeContent, language: string): string {
  const { controllerName, links = {} } = content;
  const purposes = listPurposes(content, language).map((purpose) => [purpose.key, purpose]);
  return canonicalize({ controllerName, links, purposes: Object.fromEntries(purposes) } as unknown as Json);
}
