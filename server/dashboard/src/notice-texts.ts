import type { NoticeContent, NoticeTexts } from '../../../packages/node-sdk/src/types/api.ts';
import type { NamedText, Texts } from './differences.ts';
import { contentOf } from './notice-draft.ts';
import { nameDuration, nameLanguage, nameLifetime, nameRegion } from './notice-names.ts';
import { pageWords } from './preferences.ts';

type Purpose = NoticeContent['purposes'][number];
type Part = readonly [string, NamedText];

/** The parts of a content for a comparison, as people read them: fields, each purpose, and each language. */
export function listTexts(notice: NoticeContent): Texts {
  const content = contentOf(notice);
  const { name, controllerName, language, domain, purposes, texts = {}, theme = {}, translations = {} } = content;
  const { editor } = pageWords;
  const plain = (key: string, label: string, text: string): Part => [key, { label, text }];
  return new Map([
    plain('name', pageWords.name, name),
    plain('controllerName', pageWords.controller, controllerName),
    plain('language', pageWords.noticeLanguage, nameLanguage(language)),
    plain('domain', pageWords.domain, domain),
    plain('order', pageWords.purposes, purposes.map(({ key }) => key).join(', ')),
    plain('links', pageWords.facts.links, writeLines(nameLinks(content))),
    plain('processing', pageWords.processing, writeLines(nameProcessing(content))),
    ...listBannerTexts('texts', editor.ownTexts, texts),
    plain('theme', editor.parts.look, writeLines(nameTheme(theme))),
    ...purposes.map((purpose) =>
      plain(`purposes.${purpose.key}`, `${pageWords.purpose} ${purpose.key}`, writePurpose(purpose)),
    ),
    ...Object.entries(translations).flatMap(([tag, { texts: own = {}, purposes: words }]): readonly Part[] => [
      ...listBannerTexts(`translations.${tag}`, nameLanguage(tag), own),
      ...Object.entries(words).map(([key, { label, description }]) =>
        plain(
          `translations.${tag}.${key}`,
          `${nameLanguage(tag)}: ${pageWords.purpose} ${key}`,
          `${label}\n${description}`,
        ),
      ),
    ]),
  ]);
}

/** Each text of the banner that the site has replaced. */
function listBannerTexts(place: string, owner: string, texts: NoticeTexts): readonly Part[] {
  return Object.entries(pageWords.editor.textNames).map(([name, label]) => [
    `${place}.${name}`,
    { label: `${owner}: ${label}`, text: texts[name as keyof NoticeTexts] ?? '' },
  ]);
}

type Line = readonly [label: string, value: string | undefined];

/** `Label: value`, for each value that is stated. */
function writeLines(lines: readonly Line[]): string {
  return lines
    .flatMap(([label, value]) => (value === undefined || value === '' ? [] : [`${label}: ${value}`]))
    .join('\n');
}

function nameLinks({ links = {} }: NoticeContent): readonly Line[] {
  const { facts } = pageWords;
  return [
    [facts.privacyPolicy, links.privacyPolicy],
    [facts.imprint, links.imprint],
    [facts.cookiePolicy, links.cookiePolicy],
    [facts.terms, links.terms],
    [facts.withdrawal, links.withdrawal],
    [facts.rightsLink, links.rights],
  ];
}

function nameProcessing({ controllerContact, rights, jurisdictions, consentDuration }: NoticeContent): readonly Line[] {
  const { facts } = pageWords;
  return [
    [facts.controllerAddress, controllerContact?.address],
    [facts.controllerEmail, controllerContact?.email],
    [facts.rights, rights?.map((right) => facts.rightNames[right]).join(', ')],
    [facts.jurisdictions, jurisdictions?.map(nameRegion).join(', ')],
    [facts.consentDuration, consentDuration && nameDuration(consentDuration)],
  ];
}

function nameTheme({ layout, position, scheme, accent }: NonNullable<NoticeContent['theme']>): readonly Line[] {
  const { editor } = pageWords;
  return [
    [editor.layout, layout && editor.layouts[layout]],
    [editor.position, position && editor.positions[position]],
    [editor.scheme, scheme && editor.schemes[scheme]],
    [editor.accent, accent],
  ];
}

function writePurpose(purpose: Purpose): string {
  const { label, description, required, basis, basisByRegion = {}, trackers = [] } = purpose;
  const { editor } = pageWords;
  const regions = Object.entries(basisByRegion).map(
    ([region, one]): Line => [`${editor.basis} (${nameRegion(region)})`, editor.bases[one]],
  );
  return [
    label,
    description,
    ...(required ? [pageWords.required] : []),
    writeLines([[editor.basis, basis && editor.bases[basis]], ...regions, ...nameStorage(purpose)]),
    ...trackers.map(({ name, provider, lifetime, thirdParty }) =>
      [`${editor.tracker}: ${name}`, provider, nameLifetime(lifetime), ...(thirdParty ? [editor.thirdParty] : [])].join(
        ' · ',
      ),
    ),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function nameStorage({ dataCategories, storage, recipients }: Purpose): readonly Line[] {
  const { facts } = pageWords;
  const named = recipients?.map(({ name, role, address, email, country }) =>
    [name, facts.roles[role], address, email, country && nameRegion(country)].filter((part) => part).join(' · '),
  );
  return [
    [facts.data, dataCategories?.map((category) => facts.dataNames[category]).join(', ')],
    [facts.period, storage?.period && nameDuration(storage.period)],
    [facts.criteria, storage?.criteria],
    [facts.locations, storage?.locations?.map(nameRegion).join(', ')],
    ...(named ?? []).map((one): Line => [facts.recipient, one]),
    ...(named?.length === 0 ? [[facts.recipients, facts.noRecipients] as const] : []),
  ];
}
