import { hash } from 'node:crypto';
import { z } from 'zod';
import { Id, namedObject } from '../http/schemas.ts';
import { loadMessages } from './messages/messages.ts';
import { NoticeVersion, PublicPurpose } from './notice.ts';
import { noticeFacts } from './notice-facts.ts';
import { NoticeTheme } from './notice-words.ts';
import { listLanguages, type Publication, presentNotice, writeNotice } from './present-notice.ts';

/** The public form of a version: its fixed text in each language. */

/** A notice as a visitor sees it, in one language: spec.md "Consent notice", its version, and what the banner says. */
export const PublicNotice = namedObject('PublicNotice', {
  id: Id,
  ...NoticeVersion.pick({ name: true, controllerName: true, language: true, domain: true }).shape,
  purposes: z.array(PublicPurpose),
  ...NoticeVersion.pick({ version: true, asksSince: true }).shape,
  languages: z.array(z.string()).meta({ description: 'The other languages of the notice, as BCP 47 tags.' }),
  links: noticeFacts.links.optional(),
  theme: NoticeTheme.optional(),
  texts: z.record(z.string(), z.string()).meta({
    description: 'What the banner says: the texts of the notice, and those of the server for the others.',
  }),
});
export type PublicNotice = z.output<typeof PublicNotice>;

/** The banner's texts in a language that a notice has no texts for. */
export const NoticeWords = namedObject('NoticeWords', {
  language: z.string().meta({ description: 'That of the words: the best one that the server has.' }),
  texts: z.record(z.string(), z.string()).meta({
    description:
      'By the names of `texts` in the public notice. The server fills `{controller}` and `{purposes}`; the banner fills the others.',
  }),
});

/** The texts of a version: in its own language, and in each that every purpose is translated into. */
export function writeShownTexts(publication: Publication) {
  const texts = listLanguages(publication.content).map(async (language) => {
    const notice = presentNotice(publication, language, await loadMessages(language)) satisfies PublicNotice;
    const text = writeNotice(notice);
    return { language, text, hash: hash('sha256', text) };
  });
  return Promise.all(texts);
}
