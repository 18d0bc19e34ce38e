import { z } from 'zod';
import { dictionary, namedObject, text, textLine } from '../http/schemas.ts';
import { LanguageKey } from './language.ts';
import { positions } from './notice-bounds.ts';

/** The texts of a notice, its appearance, and its translations. */

/** Tags and character references: pages show these texts as they are. */
const markup = /[<>]|&#?\w{1,32};/;

/** One line of text for visitors, of a length that the layouts of the banner can carry. */
function plainText(maximum: number) {
  return textLine(maximum).refine((given) => !markup.test(given), 'must be plain text, without markup');
}

/** The texts of the banner that a site may replace; the server adds its default words for the others. */
export const NoticeTexts = z
  .strictObject({
    title: plainText(80),
    intro: plainText(600),
    accept: plainText(40).meta({ description: 'The button that allows everything.' }),
    reject: plainText(40).meta({ description: 'The button that refuses everything.' }),
    preferences: plainText(40).meta({ description: 'The button that opens the panel.' }),
    panelTitle: plainText(80),
    panelIntro: plainText(600),
    save: plainText(40).meta({ description: 'The button of the panel that saves the choices.' }),
    trigger: plainText(60).meta({ description: 'What opens the panel again.' }),
  })
  .partial()
  .meta({ id: 'NoticeTexts' });

export const NoticeTheme = z
  .strictObject({
    scheme: z
      .enum(['page', 'light', 'dark'])
      .meta({ id: 'NoticeScheme', description: 'The colour scheme; `page`, the default, takes that of the page.' }),
    accent: text(7)
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1d2a4d')
      .toLowerCase()
      .meta({ description: 'Colour of buttons and switches; the banner computes that of the text on it.' }),
    layout: z.enum(['card', 'bar', 'center']).meta({ id: 'NoticeLayout', description: 'Default: `card`.' }),
    position: z.enum(['bottom-end', 'bottom-start', 'bottom', 'top']).meta({
      id: 'NoticePosition',
      description:
        'A card is at `bottom-end` (the default), `bottom-start` or `bottom`; a bar at `bottom` (the default) or `top`; `center` has no position.',
    }),
  })
  .partial()
  .superRefine(({ layout = 'card', position }, context) => {
    const possible: readonly string[] = positions[layout];
    if (position === undefined || possible.includes(position)) return;
    const message =
      possible.length === 0 ? `has no effect on the layout ${layout}` : `must be ${possible.join(' or ')}`;
    context.addIssue({ code: 'custom', path: ['position'], message });
  })
  .meta({ id: 'NoticeTheme' });

/** Like that of a purpose it may be empty and have several lines. */
const TranslatedDescription = text(2000)
  .trim()
  .superRefine((given, context) => {
    const parsed = plainText(2000).or(z.literal('')).safeParse(given.replaceAll('\n', ' '));
    if (!parsed.success) context.addIssue('must be plain text, without markup or control characters');
  });

const PurposeTranslation = namedObject('PurposeTranslation', {
  label: plainText(200),
  description: TranslatedDescription,
});

export const NoticeTranslations = dictionary(
  LanguageKey,
  namedObject('NoticeTranslation', {
    texts: NoticeTexts.optional(),
    purposes: dictionary(text(64), PurposeTranslation, 50).meta({ description: 'Purpose key to its words.' }),
  }),
  50,
).meta({
  description:
    'BCP 47 tag to the words in that language. A language is offered to visitors once every purpose is translated into it.',
});
export type NoticeTranslations = z.output<typeof NoticeTranslations>;
