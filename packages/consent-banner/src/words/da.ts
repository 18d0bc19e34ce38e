import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Dit privatliv, dit valg',
  intro:
    '{controller} beder om dit samtykke til at bruge dine oplysninger til: {purposes}. Valget er frit, og du kan ændre det når som helst.',
  reject: 'Afvis alt',
  accept: 'Accepter alt',
  preferences: 'Indstillinger',
  panelTitle: 'Privatlivsindstillinger',
  panelIntro: 'Vælg, hvad {controller} må bruge dine oplysninger til. Du kan ændre det når som helst.',
  required: 'Altid slået til',
  save: 'Gem valg',
  close: 'Luk',
  privacySignal:
    'Din browser beder websteder om ikke at sælge eller dele dine oplysninger. Intet valgfrit er slået til, medmindre du selv slår det til.',
  changed: 'Det, vi beder om, er ændret siden dit seneste valg den {date}.',
  newPurpose: 'Nyt',
  trigger: 'Privatlivsvalg',
  placeholder: 'Indholdet vises ikke, fordi du ikke har tilladt: {label}.',
  placeholderAllow: 'Tillad {label}, og vis indholdet',
  receipt: 'Kvittering for dit valg',
  decidedAt: 'Dit valg den {date}',
  granted: 'Tilladt',
  refused: 'Afvist',
  pending: 'Beviset føjes til kvitteringen, så snart serveren har svaret.',
  download: 'Gem kvitteringen',
  list: '{first}, {next} og {last}',
};
