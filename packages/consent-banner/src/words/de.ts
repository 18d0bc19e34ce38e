import type { Words } from '../words.ts';

export const words: Words = {
  title: 'Ihre Privatsphäre, Ihre Wahl',
  intro:
    '{controller} bittet um Ihre Einwilligung, Ihre Daten für Folgendes zu verwenden: {purposes}. Sie entscheiden frei und können Ihre Wahl jederzeit ändern.',
  reject: 'Alle ablehnen',
  accept: 'Alle akzeptieren',
  preferences: 'Einstellungen',
  panelTitle: 'Datenschutzeinstellungen',
  panelIntro: 'Wählen Sie, wofür {controller} Ihre Daten verwenden darf. Sie können dies jederzeit ändern.',
  required: 'Immer aktiv',
  save: 'Auswahl speichern',
  close: 'Schließen',
  privacySignal:
    'Ihr Browser bittet Websites, Ihre Daten weder zu verkaufen noch weiterzugeben. Alles Freiwillige bleibt ausgeschaltet, solange Sie es nicht selbst einschalten.',
  changed: 'Seit Ihrer letzten Entscheidung vom {date} hat sich geändert, wonach wir fragen.',
  newPurpose: 'Neu',
  trigger: 'Datenschutzeinstellungen',
  placeholder: 'Dieser Inhalt wird nicht angezeigt, weil Sie Folgendes nicht erlaubt haben: {label}.',
  placeholderAllow: '{label} erlauben und Inhalt anzeigen',
  receipt: 'Beleg Ihrer Entscheidung',
  decidedAt: 'Ihre Entscheidung vom {date}',
  granted: 'Erlaubt',
  refused: 'Abgelehnt',
  pending: 'Der Nachweis kommt in den Beleg, sobald der Server geantwortet hat.',
  download: 'Beleg speichern',
  list: '{first}, {next} und {last}',
};
