import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Yksityisyytesi, valintasi',
  intro:
    '{controller} pyytää suostumustasi tietojesi käyttöön seuraaviin tarkoituksiin: {purposes}. Valinta on vapaa, ja voit muuttaa sitä milloin tahansa.',
  reject: 'Hylkää kaikki',
  accept: 'Hyväksy kaikki',
  preferences: 'Asetukset',
  panelTitle: 'Yksityisyysasetukset',
  panelIntro: 'Valitse, mihin {controller} saa käyttää tietojasi. Voit muuttaa valintaasi milloin tahansa.',
  required: 'Aina käytössä',
  save: 'Tallenna valinnat',
  close: 'Sulje',
  privacySignal:
    'Selaimesi pyytää sivustoja olemaan myymättä tai jakamatta tietojasi. Mikään valinnainen ei ole käytössä, ellet itse ota sitä käyttöön.',
  changed: 'Se, mihin pyydämme suostumusta, on muuttunut edellisen valintasi ({date}) jälkeen.',
  newPurpose: 'Uusi',
  trigger: 'Yksityisyysvalinnat',
  placeholder: 'Tätä sisältöä ei näytetä, koska et ole sallinut seuraavaa: {label}.',
  placeholderAllow: 'Salli {label} ja näytä sisältö',
  receipt: 'Kuitti valinnastasi',
  decidedAt: 'Valintasi: {date}',
  granted: 'Sallittu',
  refused: 'Hylätty',
  pending: 'Todiste lisätään kuittiin heti, kun palvelin on vastannut.',
  download: 'Tallenna kuitti',
  list: '{first}, {next} ja {last}',
};
