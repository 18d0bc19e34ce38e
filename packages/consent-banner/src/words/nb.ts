import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Ditt personvern, ditt valg',
  intro:
    '{controller} ber om samtykke til å bruke opplysningene dine til: {purposes}. Valget er fritt, og du kan endre det når som helst.',
  reject: 'Avvis alt',
  accept: 'Godta alt',
  preferences: 'Innstillinger',
  panelTitle: 'Personverninnstillinger',
  panelIntro: 'Velg hva {controller} kan bruke opplysningene dine til. Du kan endre dette når som helst.',
  required: 'Alltid på',
  save: 'Lagre valg',
  close: 'Lukk',
  privacySignal:
    'Nettleseren din ber nettsteder om ikke å selge eller dele opplysningene dine. Ingenting valgfritt er på med mindre du selv slår det på.',
  changed: 'Det vi ber om, er endret siden det siste valget ditt, {date}.',
  newPurpose: 'Nytt',
  trigger: 'Personvernvalg',
  placeholder: 'Innholdet vises ikke fordi du ikke har tillatt: {label}.',
  placeholderAllow: 'Tillat {label} og vis innholdet',
  receipt: 'Kvittering for valget ditt',
  decidedAt: 'Valget ditt {date}',
  granted: 'Tillatt',
  refused: 'Avvist',
  pending: 'Beviset legges til i kvitteringen så snart serveren har svart.',
  download: 'Lagre kvitteringen',
  list: '{first}, {next} og {last}',
};
