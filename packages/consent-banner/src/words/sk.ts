import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Vaše súkromie, vaša voľba',
  intro:
    '{controller} vás žiada o súhlas s použitím vašich údajov na tieto účely: {purposes}. Voľba je slobodná a môžete ju kedykoľvek zmeniť.',
  reject: 'Odmietnuť všetko',
  accept: 'Prijať všetko',
  preferences: 'Predvoľby',
  panelTitle: 'Nastavenia súkromia',
  panelIntro: 'Zvoľte, na čo smie {controller} používať vaše údaje. Voľbu môžete kedykoľvek zmeniť.',
  required: 'Vždy zapnuté',
  save: 'Uložiť voľbu',
  close: 'Zavrieť',
  privacySignal:
    'Váš prehliadač žiada webové stránky, aby vaše údaje nepredávali ani nezdieľali. Nič nepovinné nie je zapnuté, kým to sami nezapnete.',
  changed: 'Od vašej poslednej voľby zo dňa {date} sa zmenilo, o čo žiadame.',
  newPurpose: 'Nové',
  trigger: 'Nastavenia súkromia',
  placeholder: 'Tento obsah sa nezobrazuje, pretože ste nepovolili: {label}.',
  placeholderAllow: 'Povoliť „{label}“ a zobraziť obsah',
  receipt: 'Potvrdenie vašej voľby',
  decidedAt: 'Vaša voľba zo dňa {date}',
  granted: 'Povolené',
  refused: 'Odmietnuté',
  pending: 'Dôkaz sa do potvrdenia doplní hneď, ako server odpovie.',
  download: 'Uložiť potvrdenie',
  list: '{first}, {next} a\u00a0{last}',
};
