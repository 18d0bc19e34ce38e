import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Confidențialitatea dumneavoastră, alegerea dumneavoastră',
  intro:
    '{controller} vă cere consimțământul pentru a vă folosi datele în următoarele scopuri: {purposes}. Alegerea este liberă și o puteți schimba oricând.',
  reject: 'Respinge tot',
  accept: 'Acceptă tot',
  preferences: 'Preferințe',
  panelTitle: 'Preferințe de confidențialitate',
  panelIntro: 'Alegeți în ce scopuri vă poate folosi datele {controller}. Puteți schimba alegerea oricând.',
  required: 'Întotdeauna activ',
  save: 'Salvează alegerile',
  close: 'Închide',
  privacySignal:
    'Browserul dumneavoastră cere site-urilor să nu vă vândă și să nu vă partajeze datele. Nimic opțional nu este activ decât dacă îl activați dumneavoastră.',
  changed: 'Ceea ce vă cerem s-a schimbat de la ultima dumneavoastră alegere, din {date}.',
  newPurpose: 'Nou',
  trigger: 'Opțiuni de confidențialitate',
  placeholder: 'Acest conținut nu este afișat, deoarece nu ați permis: {label}.',
  placeholderAllow: 'Permite {label} și afișează conținutul',
  receipt: 'Confirmarea alegerii dumneavoastră',
  decidedAt: 'Alegerea dumneavoastră din {date}',
  granted: 'Permis',
  refused: 'Respins',
  pending: 'Dovada va fi adăugată la confirmare imediat ce serverul răspunde.',
  download: 'Salvează confirmarea',
  list: '{first}, {next} și {last}',
};
