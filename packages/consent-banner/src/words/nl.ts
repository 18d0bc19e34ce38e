import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Uw privacy, uw keuze',
  intro:
    '{controller} vraagt uw toestemming om uw gegevens te gebruiken voor: {purposes}. U kiest vrij en kunt uw keuze op elk moment wijzigen.',
  reject: 'Alles weigeren',
  accept: 'Alles accepteren',
  preferences: 'Voorkeuren',
  panelTitle: 'Privacyvoorkeuren',
  panelIntro: 'Kies waarvoor {controller} uw gegevens mag gebruiken. U kunt dit op elk moment wijzigen.',
  required: 'Altijd aan',
  save: 'Keuzes opslaan',
  close: 'Sluiten',
  privacySignal:
    'Uw browser vraagt sites om uw gegevens niet te verkopen of te delen. Niets wat optioneel is, staat aan, tenzij u het zelf aanzet.',
  changed: 'Wat wij u vragen is veranderd sinds uw laatste keuze van {date}.',
  newPurpose: 'Nieuw',
  trigger: 'Privacykeuzes',
  placeholder: 'Deze inhoud wordt niet getoond, omdat u het volgende niet hebt toegestaan: {label}.',
  placeholderAllow: '{label} toestaan en de inhoud tonen',
  receipt: 'Ontvangstbewijs van uw keuze',
  decidedAt: 'Uw keuze van {date}',
  granted: 'Toegestaan',
  refused: 'Geweigerd',
  pending: 'Het bewijs wordt toegevoegd zodra de server heeft geantwoord.',
  download: 'Ontvangstbewijs opslaan',
  list: '{first}, {next} en {last}',
};
