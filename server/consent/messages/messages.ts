import { pickLanguage } from '../pick-language.ts';

/**
 * The texts of the banner for a notice without texts of its own, one JSON file for each language. The server fills
 * `{controller}` and `{purposes}` at publication; the browser fills the other placeholders.
 */
export interface Messages {
  readonly title: string;
  /** GDPR Article 7(3) and Recital 42: the choice is free and can be changed at any time. */
  readonly intro: string;
  /** Only for the server: how the first names of many purposes are followed by the number of the others. */
  readonly others: string;
  /** Shows the rest of a text that was cut off. */
  readonly more: string;
  readonly less: string;
  readonly reject: string;
  readonly accept: string;
  readonly preferences: string;
  readonly panelTitle: string;
  readonly panelIntro: string;
  /** Beside a purpose that cannot be refused. */
  readonly required: string;
  /** Beside a purpose of the basis `object`. */
  readonly objectable: string;
  /** Shows the description of a purpose. */
  readonly details: string;
  readonly save: string;
  readonly close: string;
  /** The browser sends Global Privacy Control. */
  readonly privacySignal: string;
  /** The same where the law makes it an opt-out (California: 11 CCR 7025(c)(6)). */
  readonly optOutHonored: string;
  /** Opens the panel where the law is one of opting out (California: 11 CCR 7015(b)). */
  readonly privacyChoices: string;
  /** The notice has another version than the one that was answered. */
  readonly changed: string;
  /** Beside a purpose that the answered version did not have. */
  readonly newPurpose: string;
  /** Opens the panel again elsewhere. */
  readonly trigger: string;
  /** The links of the notice, by their names there. */
  readonly privacyPolicy: string;
  readonly imprint: string;
  readonly cookiePolicy: string;
  readonly terms: string;
  readonly withdrawal: string;
  readonly rights: string;
  readonly trackers: string;
  readonly trackerName: string;
  readonly trackerProvider: string;
  readonly trackerLifetime: string;
  /** Recipient of a tracker's data: the site itself. */
  readonly firstParty: string;
  readonly thirdParty: string;
  /** Lifetimes without a duration. */
  readonly session: string;
  readonly persistent: string;
  /** In the place of content that is held back. */
  readonly placeholder: string;
  /** Shows the content for this page view, without a decision. */
  readonly showOnce: string;
  readonly loadFailed: string;
  readonly tryAgain: string;
  readonly receipt: string;
  readonly decidedAt: string;
  /** Above the purposes that were allowed. */
  readonly granted: string;
  /** Above the purposes that were not. */
  readonly refused: string;
  /** The server has not answered yet. */
  readonly pending: string;
  readonly download: string;
  /** How names are joined: what is between two of them, and before the last one. */
  readonly list: string;
}

/** The languages with default messages. */
export const languages = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fa',
  'fi',
  'fr',
  'ga',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'mt',
  'nb',
  'nl',
  'pl',
  'pt',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh-Hans',
  'zh-Hant',
] as const;

export type MessagesLanguage = (typeof languages)[number];

/**
 * The default messages that fit a language best, with their own language; English if none do.
 * @param tag a valid BCP 47 tag.
 */
export async function loadMessages(
  tag: string,
): Promise<{ readonly messages: Messages; readonly language: MessagesLanguage }> {
  const language = pickLanguage(tag, languages) ?? 'en';
  const { default: messages } = await import(`./${language}.json`, { with: { type: 'json' } });
  return { messages, language };
}
