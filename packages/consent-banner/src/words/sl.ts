import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Vaša zasebnost, vaša izbira',
  intro:
    '{controller} vas prosi za privolitev k uporabi vaših podatkov za: {purposes}. Izbira je prostovoljna in jo lahko kadar koli spremenite.',
  reject: 'Zavrni vse',
  accept: 'Sprejmi vse',
  preferences: 'Nastavitve',
  panelTitle: 'Nastavitve zasebnosti',
  panelIntro: 'Izberite, za kaj sme {controller} uporabljati vaše podatke. To lahko kadar koli spremenite.',
  required: 'Vedno vklopljeno',
  save: 'Shrani izbiro',
  close: 'Zapri',
  privacySignal:
    'Vaš brskalnik spletna mesta prosi, naj vaših podatkov ne prodajajo in ne delijo. Nič neobveznega ni vklopljeno, dokler tega ne vklopite sami.',
  changed: 'Od vaše zadnje izbire ({date}) se je spremenilo, za kaj prosimo.',
  newPurpose: 'Novo',
  trigger: 'Nastavitve zasebnosti',
  placeholder: 'Ta vsebina ni prikazana, ker niste dovolili: {label}.',
  placeholderAllow: 'Dovoli »{label}« in prikaži vsebino',
  receipt: 'Potrdilo o vaši izbiri',
  decidedAt: 'Vaša izbira: {date}',
  granted: 'Dovoljeno',
  refused: 'Zavrnjeno',
  pending: 'Dokaz bo dodan potrdilu, takoj ko strežnik odgovori.',
  download: 'Shrani potrdilo',
  list: '{first}, {next} in {last}',
};
