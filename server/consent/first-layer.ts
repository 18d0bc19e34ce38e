import { listAsked } from './messages/fill-messages.ts';
import { foldText, type NoticeContent, type NoticeWarning } from './notice.ts';
import { listLanguages, listPurposes, ownTexts } from './present-notice.ts';

/**
 * Lists what the first layer lacks in each language that visitors get: consent is informed only if it names who asks and
 * what for (GDPR Article 4(11), Recital 42). The default intro names both; one of the site replaces it.
 */
export function listWarnings(content: NoticeContent): NoticeWarning[] {
  return listLanguages(content).flatMap((language) => listMissing(content, language));
}

function listMissing(content: NoticeContent, language: string): readonly NoticeWarning[] {
  const { title = '', intro } = ownTexts(content, language) ?? {};
  if (intro === undefined) return [];
  // A name could itself be the word of a placeholder.
  const text = foldText(`${title}\n${intro.replace(/\{\w+\}/g, ' ')}`);
  const isNamed = (name: string) => hasName(text, foldText(name));
  const place = {
    language,
    path: language === content.language ? 'texts.intro' : `translations.${language}.texts.intro`,
  };
  const warnings: NoticeWarning[] = [];
  if (!intro.includes('{controller}') && !isNamed(content.controllerName))
    warnings.push({
      ...place,
      code: 'controller_not_named',
      purposes: [],
      message: `The first layer in ${language} does not name the controller. Add {controller} to ${place.path}.`,
    });
  const purposes = intro.includes('{purposes}')
    ? []
    : listAsked(listPurposes(content, language)).filter(({ label }) => !isNamed(label));
  if (purposes.length > 0)
    warnings.push({
      ...place,
      code: 'purposes_not_named',
      purposes: purposes.map(({ key }) => key),
      message: `The first layer in ${language} does not name every purpose: ${purposes.map(({ label }) => label).join(', ')}. Add {purposes} to ${place.path}.`,
    });
  return warnings;
}

/** A letter or digit of a script that has spaces between words. */
const wordCharacter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Number}]/u;

/** Finds a name at the start of a word: "Ads" is not in "downloads". Its end may be inflected. */
function hasName(text: string, name: string): boolean {
  const before = text.split(name).slice(0, -1);
  return before.some((part) => !wordCharacter.test(part.at(-1) ?? ''));
}
