import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Jūsu privātums, jūsu izvēle',
  intro:
    '{controller} lūdz jūsu piekrišanu izmantot jūsu datus šādiem mērķiem: {purposes}. Izvēle ir brīva, un jūs varat to mainīt jebkurā laikā.',
  reject: 'Noraidīt visu',
  accept: 'Pieņemt visu',
  preferences: 'Iestatījumi',
  panelTitle: 'Privātuma iestatījumi',
  panelIntro: 'Izvēlieties, kādiem mērķiem {controller} drīkst izmantot jūsu datus. To varat mainīt jebkurā laikā.',
  required: 'Vienmēr ieslēgts',
  save: 'Saglabāt izvēli',
  close: 'Aizvērt',
  privacySignal:
    'Jūsu pārlūks lūdz vietnes nepārdot un nekopīgot jūsu datus. Nekas neobligāts nav ieslēgts, ja vien jūs to neieslēdzat.',
  changed: 'Kopš jūsu pēdējās izvēles ({date}) ir mainījies tas, kam lūdzam piekrišanu.',
  newPurpose: 'Jauns',
  trigger: 'Privātuma iestatījumi',
  placeholder: 'Šis saturs netiek rādīts, jo nav atļauts: {label}.',
  placeholderAllow: 'Atļaut „{label}” un rādīt saturu',
  receipt: 'Jūsu izvēles apliecinājums',
  decidedAt: 'Jūsu izvēle: {date}',
  granted: 'Atļauts',
  refused: 'Noraidīts',
  pending: 'Pierādījums tiks pievienots apliecinājumam, tiklīdz serveris būs atbildējis.',
  download: 'Saglabāt apliecinājumu',
  list: '{first}, {next} un {last}',
};
