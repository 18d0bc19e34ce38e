import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Jūsų privatumas, jūsų pasirinkimas',
  intro:
    '{controller} prašo jūsų sutikimo naudoti jūsų duomenis šiais tikslais: {purposes}. Pasirinkimas yra laisvas ir jį galite bet kada pakeisti.',
  reject: 'Atmesti viską',
  accept: 'Priimti viską',
  preferences: 'Nuostatos',
  panelTitle: 'Privatumo nuostatos',
  panelIntro: 'Pasirinkite, kokiais tikslais {controller} gali naudoti jūsų duomenis. Tai galite bet kada pakeisti.',
  required: 'Visada įjungta',
  save: 'Išsaugoti pasirinkimą',
  close: 'Uždaryti',
  privacySignal:
    'Jūsų naršyklė prašo svetainių neparduoti jūsų duomenų ir jais nesidalyti. Niekas, kas neprivaloma, nėra įjungta, kol patys to neįjungiate.',
  changed: 'Nuo paskutinio jūsų pasirinkimo ({date}) pasikeitė tai, kam prašome sutikimo.',
  newPurpose: 'Nauja',
  trigger: 'Privatumo nuostatos',
  placeholder: 'Šis turinys nerodomas, nes neleidote: {label}.',
  placeholderAllow: 'Leisti „{label}“ ir rodyti turinį',
  receipt: 'Jūsų pasirinkimo patvirtinimas',
  decidedAt: 'Jūsų pasirinkimas: {date}',
  granted: 'Leista',
  refused: 'Atmesta',
  pending: 'Įrodymas bus pridėtas prie patvirtinimo, kai tik atsakys serveris.',
  download: 'Išsaugoti patvirtinimą',
  list: '{first}, {next} ir {last}',
};
