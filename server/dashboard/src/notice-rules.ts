import type { NoticeContent, PublicNotice } from '../../../packages/node-sdk/src/types/api.ts';
import * as rules from '../../consent/present-notice.ts';

// The rules of the server, for the types of the API, which differ from its own only in what is read-only.

export type { LocalizedMessages } from '../../consent/present-notice.ts';

type ServerContent = Parameters<typeof rules.mustAskAgain>[0];

const asContent = (content: NoticeContent) => content as unknown as ServerContent;

/** The public notice of a content in a language, as visitors get it. */
export function presentNotice(
  content: NoticeContent,
  version: number,
  language: string,
  spoken: rules.LocalizedMessages,
): PublicNotice {
  const publication = { id: 'preview', version, asksSince: version, content: asContent(content) };
  return rules.presentNotice(publication, language, spoken) as unknown as PublicNotice;
}

/** The keys of the purposes that have no words in a language. */
export function listUntranslated(content: NoticeContent, tag: string): readonly string[] {
  return rules.listUntranslated(asContent(content), tag);
}

/** True if visitors who decided on one content are asked again for another. */
export function mustAskAgain(before: NoticeContent, after: NoticeContent): boolean {
  return rules.mustAskAgain(asContent(before), asContent(after));
}

/** The bytes that visitors get of a published text. */
export function writeNotice(notice: PublicNotice): string {
  return rules.writeNotice(notice as unknown as Parameters<typeof rules.writeNotice>[0]);
}
