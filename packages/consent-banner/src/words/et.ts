import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Teie privaatsus, teie valik',
  intro:
    '{controller} palub teie nõusolekut kasutada teie andmeid järgmistel eesmärkidel: {purposes}. Valik on vaba ja saate seda igal ajal muuta.',
  reject: 'Keeldu kõigest',
  accept: 'Nõustu kõigega',
  preferences: 'Eelistused',
  panelTitle: 'Privaatsuseelistused',
  panelIntro: 'Valige, milleks {controller} tohib teie andmeid kasutada. Saate seda igal ajal muuta.',
  required: 'Alati sees',
  save: 'Salvesta valikud',
  close: 'Sulge',
  privacySignal:
    'Teie brauser palub veebisaitidel teie andmeid mitte müüa ega jagada. Miski vabatahtlik ei ole sees, kui te seda ise sisse ei lülita.',
  changed: 'See, milleks me nõusolekut küsime, on pärast teie viimast valikut ({date}) muutunud.',
  newPurpose: 'Uus',
  trigger: 'Privaatsusvalikud',
  placeholder: 'Seda sisu ei kuvata, sest te ei ole lubanud: {label}.',
  placeholderAllow: 'Luba „{label}“ ja kuva sisu',
  receipt: 'Teie valiku kinnitus',
  decidedAt: 'Teie valik: {date}',
  granted: 'Lubatud',
  refused: 'Keeldutud',
  pending: 'Tõend lisatakse kinnitusele kohe, kui server on vastanud.',
  download: 'Salvesta kinnitus',
  list: '{first}, {next} ja {last}',
};
