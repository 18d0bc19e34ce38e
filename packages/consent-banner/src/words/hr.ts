import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Vaša privatnost, vaš izbor',
  intro:
    '{controller} traži vašu privolu za korištenje vaših podataka u sljedeće svrhe: {purposes}. Izbor je slobodan i možete ga promijeniti u bilo kojem trenutku.',
  reject: 'Odbij sve',
  accept: 'Prihvati sve',
  preferences: 'Postavke',
  panelTitle: 'Postavke privatnosti',
  panelIntro:
    'Odaberite u koje svrhe {controller} smije koristiti vaše podatke. To možete promijeniti u bilo kojem trenutku.',
  required: 'Uvijek uključeno',
  save: 'Spremi odabir',
  close: 'Zatvori',
  privacySignal:
    'Vaš preglednik traži od web-mjesta da ne prodaju i ne dijele vaše podatke. Ništa neobavezno nije uključeno dok to sami ne uključite.',
  changed: 'Od vašeg posljednjeg izbora ({date}) promijenilo se ono za što tražimo privolu.',
  newPurpose: 'Novo',
  trigger: 'Postavke privatnosti',
  placeholder: 'Ovaj se sadržaj ne prikazuje jer niste dopustili: {label}.',
  placeholderAllow: 'Dopusti „{label}” i prikaži sadržaj',
  receipt: 'Potvrda vašeg izbora',
  decidedAt: 'Vaš izbor: {date}',
  granted: 'Dopušteno',
  refused: 'Odbijeno',
  pending: 'Dokaz će biti dodan potvrdi čim poslužitelj odgovori.',
  download: 'Spremi potvrdu',
  list: '{first}, {next} i {last}',
};
